package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// certificateReport is what solve reports of --certificate.
type certificateReport struct {
	Certificate       string  `json:"certificate,omitempty"` // the file, when written
	CertificateBytes  int64   `json:"certificate_bytes"`
	CertificateStates int     `json:"certificate_states"`
	CertificateCPU    float64 `json:"certificate_cpu_s"`
	CertificateError  string  `json:"certificate_error,omitempty"`
}

// certify writes the certificate of an answer to --certificate. That it cannot be made, for
// a limit or because there is no answer, is part of the report; an error is of writing.
func (e env) certify(g *grounded, res *search.Result) (*certificateReport, error) {
	left, ok := g.limits.Left()
	if !ok {
		return &certificateReport{CertificateError: "the time limit came first"}, nil
	}
	observe, done := e.searchProgress()
	cert, task, err := pipeline.Certify(e.Context.Context, g.problem, g.task, res, pipeline.Options{
		Ground: grounder.Options{Time: left, Memory: g.limits.Memory},
		Search: search.Config{Limits: search.Limits{Wall: left, Memory: g.limits.Memory}, Observer: observe},
	})
	done()
	var limit *search.LimitError
	switch {
	case errors.As(err, &limit):
		return &certificateReport{CertificateError: fmt.Sprintf("%s after %d states", limit.Status, limit.States)}, nil
	case errors.Is(err, search.ErrNoClaim):
		return &certificateReport{CertificateError: err.Error()}, nil
	case err != nil:
		return nil, e.groundError(err)
	}
	return e.writeCertificate(task, cert.Certificate, cert.CPUSeconds)
}

// writeCertificate writes a certificate to --certificate.
func (e env) writeCertificate(task *grounder.Task, cert *certificate.Certificate, cpu float64) (*certificateReport, error) {
	path := e.String("certificate")
	var size countedWriter
	err := e.writeFile(path, func(w io.Writer) error {
		size.w = w
		if strings.HasSuffix(path, ".gz") {
			return certificate.WriteGzip(&size, task, cert)
		}
		return certificate.Write(&size, task, cert)
	})
	if err != nil {
		return nil, err
	}
	return &certificateReport{
		Certificate: path, CertificateBytes: size.n, CertificateStates: len(cert.Bounds), CertificateCPU: round3(cpu),
	}, nil
}

// certificatePath refuses a name of --certificate that cannot be one of a file.
func (e env) certificatePath() error {
	if e.IsSet("certificate") && (e.String("certificate") == "" || e.String("certificate") == "-") {
		return errors.New("--certificate needs the name of a file")
	}
	return nil
}

// countedWriter counts the bytes that go through it.
type countedWriter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
