package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/rows"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// question is the member of that name of an item of solve: what is to be found out, see [pipeline.Question].
type question struct {
	Goal        string `json:"goal"`
	Step        string `json:"step"`
	Search      string `json:"search"`
	Nodes       int64  `json:"nodes"`
	Certificate bool   `json:"certificate"`
}

// solution is the answer to a question, in the form of solve --json.
type solution struct {
	pipeline.Report
	// Certificate is the file of solve --certificate, in base64; CertificateError says why there is none.
	Certificate      []byte `json:"certificate,omitempty"`
	CertificateError string `json:"certificate_error,omitempty"`
}

// doSolve appends a cheapest plan of a task, or that there is none, with a proof if one is asked for. A search takes
// at most what the making of a table may take.
func (o *Oracle) doSolve(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "solution"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	var q question
	if rowjson.Present(item.question) {
		if err := rowjson.Unmarshal(item.question, &q, true); err != nil {
			return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "question: " + rowjson.Fault(err)}), nil
		}
	}
	if q.Nodes < 0 {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "question: nodes is positive"}), nil
	}
	lim := &o.opt.Limits
	r, err := pipeline.Prove(ctx, p.problem, pipeline.Question{
		Goal: q.Goal, Step: q.Step, Search: q.Search, Nodes: q.Nodes, Certificate: q.Certificate, Time: lim.TableTime, Memory: lim.TableBytes,
	})
	switch {
	case ctx.Err() != nil:
		return w.appendRefused(b, item, member, &itemError{limitStatus(ctx), "the request's time is over"}), nil
	case err != nil:
		return w.appendRefused(b, item, member, fmt.Errorf("solving: %w", err)), nil
	}
	out := &solution{Report: r.Report, Certificate: r.Certificate}
	if r.Saved != nil {
		out.CertificateError = r.Saved.Error
	}
	status := rows.StatusValid
	switch r.Report.Status {
	case search.Timeout, search.Memout, search.Nodeout:
		status = rows.StatusTimeout
	case search.Unsupported:
		status = rows.StatusTaskError
	}
	return w.appendAnswer(b, item, status, member, out, r.Report.Reason)
}

// doCheck appends whether a certificate, in base64, proves what it claims of a task.
func (o *Oracle) doCheck(ctx context.Context, w *worker, item *wireItem, p prepared, b []byte) ([]byte, error) {
	const member = "check"
	if p.err != nil {
		return w.appendRefused(b, item, member, p.err), nil
	}
	var file []byte
	if err := rowjson.Unmarshal(item.certificate, &file, true); err != nil || len(file) == 0 {
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "certificate is the file in base64"}), nil
	}
	lim := &o.opt.Limits
	limited, cancel := context.WithTimeout(ctx, lim.TableTime)
	defer cancel()
	v, err := pipeline.CheckFile(limited, p.problem, bytes.NewReader(file), lim.TableBytes)
	switch {
	case ctx.Err() != nil:
		return w.appendRefused(b, item, member, &itemError{limitStatus(ctx), "the request's time is over"}), nil
	case limited.Err() != nil, errors.Is(err, certificate.ErrMemory), errors.Is(err, search.ErrLimit):
		return w.appendAnswer(b, item, rows.StatusTimeout, member, nil, "a limit ended the check")
	case err != nil:
		return w.appendRefused(b, item, member, &itemError{rows.StatusBadRow, "certificate: " + err.Error()}), nil
	}
	v.Bytes = int64(len(file))
	return w.appendAnswer(b, item, rows.StatusValid, member, v, v.Reason)
}
