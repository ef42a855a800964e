package certificate

import (
	"io"
	"math"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// Saved is what commands report of a certificate that they wrote, or could not make.
type Saved struct {
	Path   string  `json:"certificate,omitempty"` // the file, when written
	Bytes  int64   `json:"certificate_bytes"`
	States int     `json:"certificate_states"`
	CPU    float64 `json:"certificate_cpu_s"`           // seconds that making it took
	Error  string  `json:"certificate_error,omitempty"` // why there is none
}

// Save writes the certificate of a task to path, compressed if the name ends in ".gz". replace puts the file in
// place as a whole, or leaves what is there; cpu is the seconds that making the certificate took.
func Save(path string, task *grounder.Task, cert *Certificate, cpu float64, replace func(path string, write func(io.Writer) error) error) (*Saved, error) {
	write := Write
	if strings.HasSuffix(path, ".gz") {
		write = WriteGzip
	}
	var size byteCount
	if err := replace(path, func(w io.Writer) error { return write(io.MultiWriter(w, &size), task, cert) }); err != nil {
		return nil, err
	}
	return &Saved{Path: path, Bytes: int64(size), States: len(cert.Bounds), CPU: math.Round(cpu*1000) / 1000}, nil
}

// byteCount counts what is written to it.
type byteCount int64

// Write implements io.Writer.
func (c *byteCount) Write(p []byte) (int, error) { *c += byteCount(len(p)); return len(p), nil }
