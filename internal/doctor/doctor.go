// Package doctor finds out whether planproof works where it was installed: it solves, judges and
// proves a bundled task, looks for what is optional, and measures the speed of the hot parts
// beside the figures of docs/BENCHMARKS.md.
package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/planproof/planproof"
)

// Status is the outcome of a check.
type Status string

// Outcomes. Only Failed means that planproof does not work.
const (
	OK      Status = "ok"
	Missing Status = "missing" // something optional is not here
	Failed  Status = "failed"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
}

// Report is all that was found.
type Report struct {
	Version  string  `json:"version"`
	Platform string  `json:"platform"` // GOOS/GOARCH, Go's version
	CPUs     int     `json:"cpus"`
	OK       bool    `json:"ok"`
	Checks   []Check `json:"checks"`
	Speed    []Speed `json:"speed,omitempty"`
}

// Task is the bundled task that is solved, and Cost its optimal cost.
const (
	Task = "blocksworld:4-17"
	cost = "10"
)

// optional are the Python packages that the adapters in rltrain/python work with.
var optional = []string{"planproof", "trl", "verl", "verifiers", "openenv", "ray", "datasets", "unified_planning"}

// Examine looks at everything. measure says whether speed is measured, a second or two.
func Examine(ctx context.Context, measure bool) *Report {
	r := &Report{Version: planproof.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version(), CPUs: runtime.NumCPU()}
	r.add(solves(ctx))
	r.add(writes(os.TempDir()))
	r.python(ctx)
	if dir := os.Getenv("PLANPROOF_SHARED"); dir != "" {
		c := Check{"corpora", OK, dir}
		if _, err := os.Stat(dir); err != nil {
			c.Status, c.Detail = Missing, "PLANPROOF_SHARED: "+err.Error()
		}
		r.add(c)
	}
	if measure {
		var err error
		if r.Speed, err = speeds(ctx); err != nil {
			r.add(Check{"speed", Failed, err.Error()})
		}
	}
	r.OK = true
	for _, c := range r.Checks {
		r.OK = r.OK && c.Status != Failed
	}
	return r
}

func (r *Report) add(c Check) { r.Checks = append(r.Checks, c) }

// solves takes the bundled task all the way: optimal plan, verdict, certificate.
func solves(ctx context.Context) Check {
	c := Check{"solve, judge, prove " + Task, Failed, ""}
	t, err := planproof.ReadTask(Task)
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	s, err := planproof.Solve(ctx, t, planproof.SolveOptions{Time: 20 * time.Second, Certificate: true})
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	v, err := planproof.Judge(ctx, t, strings.Join(s.Plan, "\n"))
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	proof, err := planproof.CheckCertificate(ctx, t, bytes.NewReader(s.Certificate), 0)
	switch {
	case err != nil:
		c.Detail = err.Error()
	case !v.Valid || v.Cost.String() != cost || s.Cost.String() != cost:
		c.Detail = fmt.Sprintf("status %s, cost %s, want %s; the judge says valid %v, cost %s", s.Status, s.Cost, cost, v.Valid, v.Cost)
	case !proof.Holds:
		c.Detail = "the certificate is refused: " + proof.Reason
	default:
		c.Status, c.Detail = OK, "cost "+cost+", certificate accepted"
	}
	return c
}

func writes(dir string) Check {
	f, err := os.CreateTemp(dir, "planproof-doctor-")
	if err != nil {
		return Check{"temporary files", Failed, err.Error()}
	}
	f.Close()
	os.Remove(f.Name())
	return Check{"temporary files", OK, dir}
}

// python asks the first Python on the PATH what it has. None of it is needed by the binary.
func (r *Report) python(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	code := "import sys; from importlib.metadata import version, PackageNotFoundError\n" +
		"print(sys.version.split()[0])\n" +
		"for n in sys.argv[1:]:\n try: print(n, version(n))\n except PackageNotFoundError: print(n, '-')\n"
	out, err := exec.CommandContext(ctx, "python3", append([]string{"-c", code}, optional...)...).Output()
	if err != nil {
		r.add(Check{"python3", Missing, err.Error()})
		return
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	r.add(Check{"python3", OK, lines[0]})
	for _, line := range lines[1:] {
		name, version, _ := strings.Cut(line, " ")
		switch {
		case version == "-":
			r.add(Check{"python: " + name, Missing, "optional"})
		case name == "planproof" && version != r.Version:
			r.add(Check{"python: " + name, Failed, "version " + version + ", but the binary is " + r.Version + ": install them together"})
		default:
			r.add(Check{"python: " + name, OK, version})
		}
	}
}

// WriteText writes the report as two tables.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "planproof %s, %s, %d CPUs\n", r.Version, r.Platform, r.CPUs)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Status, c.Name, c.Detail)
	}
	for i, s := range r.Speed {
		if i == 0 {
			fmt.Fprintf(t, "\nspeed, by processor time\there\tin the docs\there / docs\n")
		}
		fmt.Fprintf(t, "%s\t%.4g %s\t%.4g\t%.2f\n", s.Name, s.Here, s.Unit, s.Docs, s.Ratio)
	}
	return t.Flush()
}
