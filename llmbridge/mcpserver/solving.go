package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search/certificate"
)

type solveIn struct {
	taskIn
	limits
	Goal        string `json:"goal,omitempty" jsonschema:"ask whether this condition can ever hold, such as (on a b), instead of the task's goal"`
	Step        string `json:"step,omitempty" jsonschema:"ask whether this step can ever be applied, such as (stack a b)"`
	Search      string `json:"search,omitempty" jsonschema:"auto() by default; astar(lmcut()), greedy(lmcut()), symbolic(), ..."`
	Nodes       int64  `json:"nodes,omitempty" jsonschema:"states the search may expand; the same number always gives the same answer"`
	Certificate bool   `json:"certificate,omitempty" jsonschema:"also prove the answer: the certificate is kept as a resource, which check_certificate takes"`
}

// solution is the form of solve --json, with a certificate where one was asked for.
type solution struct {
	pipeline.Report
	Certificate *certificateLink `json:"certificate,omitempty"`
}

type certificateLink struct {
	URI    string `json:"uri,omitempty" jsonschema:"a resource of this connection"`
	Bytes  int    `json:"bytes"`
	States int    `json:"states"`
	SHA256 string `json:"sha256,omitempty"`
	Error  string `json:"error,omitempty" jsonschema:"why there is none"`
}

type checkCertificateIn struct {
	taskIn
	limits
	URI    string `json:"uri,omitempty" jsonschema:"the certificate that solve has made on this connection"`
	Base64 string `json:"base64,omitempty" jsonschema:"or the bytes of a certificate"`
}

func (s *Server) addSolving() {
	add[solveIn, solution](s, "solve",
		"Find a cheapest plan, or prove that there is none: status solved-optimally, unsolvable (with goal or step: never), or which limit "+
			"came first, then with bounds on the cost. Every plan is judged by other code than found it.",
		(*call).solve)
	add[checkCertificateIn, planproof.CertificateVerdict](s, "check_certificate",
		"Verify the proof of an answer of solve without trusting the search that made it.",
		(*call).checkCertificate)
}

func (c *call) solve(in *solveIn) (any, error) {
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, err
	}
	if in.Nodes < 0 {
		return nil, errors.New("nodes is positive")
	}
	r, err := pipeline.Prove(c.ctx, t.Problem, pipeline.Question{
		Search: in.Search, Goal: in.Goal, Step: in.Step, Certificate: in.Certificate,
		Time: c.left(), Memory: c.lim.bytes(), Nodes: in.Nodes,
	})
	if err != nil {
		return nil, err
	}
	out := &solution{Report: r.Report}
	switch {
	case !in.Certificate:
	case r.Certificate != nil:
		sum := sha256.Sum256(r.Certificate)
		uri, err := c.space.keep(r.Certificate)
		if err != nil {
			return nil, err
		}
		out.Certificate = &certificateLink{URI: uri, Bytes: len(r.Certificate), States: r.Saved.States, SHA256: hex.EncodeToString(sum[:])}
	case r.Saved != nil:
		out.Certificate = &certificateLink{Error: r.Saved.Error}
	default:
		out.Certificate = &certificateLink{Error: "nothing was claimed: " + string(r.Report.Status)}
	}
	return out, nil
}

func (c *call) checkCertificate(in *checkCertificateIn) (any, error) {
	if (in.URI == "") == (in.Base64 == "") {
		return nil, errors.New("give either uri or base64")
	}
	t, err := c.task(&in.taskIn)
	if err != nil {
		return nil, err
	}
	var cert []byte
	if in.URI != "" {
		cert, err = c.space.result(in.URI)
	} else {
		cert, err = base64.StdEncoding.DecodeString(in.Base64)
	}
	if err != nil {
		return nil, err
	}
	v, err := planproof.CheckCertificate(c.ctx, t, bytes.NewReader(cert), c.lim.bytes())
	switch {
	case c.ctx.Err() != nil:
		return nil, c.ctx.Err()
	case errors.Is(err, planproof.ErrLimit), errors.Is(err, grounder.ErrLimit), errors.Is(err, certificate.ErrMemory):
		return nil, problem(Limit, doAsk, "%v", err)
	case err != nil:
		return nil, problem(BadCertificate, "ask solve for a certificate of this task", "%v", err)
	}
	v.Bytes = int64(len(cert))
	return v, nil
}
