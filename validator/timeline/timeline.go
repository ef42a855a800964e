// Package timeline draws what a plan does over time: steps as bars, the stretch over which a
// condition breaks, timed literals, and the values of numeric fluents.
//
//	validator.Judge.History ─► Picture ─► WriteSVG   one row for each step, one chart for each fluent
//	                                  └─► WriteText  the same for a terminal
package timeline

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Bounds of a picture.
const (
	maxRows   = 200
	maxCurves = 24
)

// Picture is the history of a plan with the scale of its time.
type Picture struct {
	h     *validator.History
	until pddl.Number // positive
}

// New judges a plan and prepares its picture.
func New(j *validator.Judge, plan *pddl.Plan, s *validator.Scratch) *Picture {
	h := j.History(plan, s)
	p := &Picture{h: h, until: h.Until}
	if p.until.Sign() == 0 {
		p.until = pddl.Int(1)
	}
	return p
}

// share is a moment as a part of the whole time, from 0 to 1.
func (p *Picture) share(t pddl.Number) float64 {
	q, _ := t.Div(p.until)
	return float(q)
}

func float(n pddl.Number) float64 {
	f, _ := n.Rat().Float64()
	return f
}

// textColumns is the width of the bars in a terminal.
const textColumns = 60

// WriteText writes the picture in characters: = for a step, | for a moment, ! where a condition over
// all is broken.
func (p *Picture) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	label := 0
	for _, x := range p.rows() {
		label = max(label, len(x.Action))
	}
	label = min(label, 40)
	fmt.Fprintf(out, "%*s 0%*s\n", label, "", textColumns-1, p.until)
	for _, x := range p.rows() {
		row := []byte(strings.Repeat(".", textColumns))
		p.fill(row, x.Start, x.End, '=')
		if !x.Durative {
			p.fill(row, x.Start, x.Start, '|')
		}
		if x.Broken != nil {
			p.fill(row, *x.Broken, x.End, '!')
		}
		fmt.Fprintf(out, "%-*s %s %s%s\n", label, shortened(x.Action, label), row, when(&x), mark(&x))
	}
	if more := len(p.h.Spans) - maxRows; more > 0 {
		fmt.Fprintf(out, "... and %s more\n", spell.Plural(more, "step"))
	}
	for _, e := range p.h.Literals {
		row := []byte(strings.Repeat(" ", textColumns))
		p.fill(row, e.Time, e.Time, '^')
		fmt.Fprintf(out, "%-*s %s %s: %s\n", label, "", row, e.Time, strings.Join(e.Text, " "))
	}
	for _, c := range p.curves() {
		fmt.Fprintf(out, "%s: %s\n", c.Fluent, values(&c))
	}
	if more := len(p.h.Curves) - maxCurves; more > 0 {
		fmt.Fprintf(out, "... and %s more\n", spell.Plural(more, "fluent"))
	}
	return out.Flush()
}

// fill writes a character from one moment to another.
func (p *Picture) fill(row []byte, from, to pddl.Number, with byte) {
	last := len(row) - 1
	a, b := int(p.share(from)*float64(last)+0.5), int(p.share(to)*float64(last)+0.5)
	for i := max(a, 0); i <= min(b, last); i++ {
		row[i] = with
	}
}

func (p *Picture) rows() []validator.Span {
	return p.h.Spans[:min(len(p.h.Spans), maxRows)]
}

func (p *Picture) curves() []validator.Curve {
	return p.h.Curves[:min(len(p.h.Curves), maxCurves)]
}

// when says when a step happens.
func when(x *validator.Span) string {
	if !x.Durative {
		return x.Start.String()
	}
	return fmt.Sprintf("%s to %s", x.Start, x.End)
}

// mark says that a step fails.
func mark(x *validator.Span) string {
	switch {
	case x.Broken != nil:
		return fmt.Sprintf("  broken from %s on", x.Broken)
	case x.Failed:
		return "  fails"
	}
	return ""
}

// values lists the samples of a curve.
func values(c *validator.Curve) string {
	var parts []string
	for i := range c.Samples {
		x := &c.Samples[i]
		if i+1 < len(c.Samples) && c.Samples[i+1].Time.Equal(x.Time) {
			continue // replaced at the same moment
		}
		text := fmt.Sprintf("%s at %s", valueText(x), x.Time)
		if x.Rate.Sign() != 0 {
			text += fmt.Sprintf(" (%s per time unit)", x.Rate)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func valueText(x *validator.Sample) string {
	if !x.Defined {
		return "no value"
	}
	return x.Value.String()
}

func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n-3] + "..."
}

// Draw judges a plan and draws it: for "-" as text to standard output, otherwise as SVG by what
// writes a file. A plan that cannot be read has no picture.
func Draw(j *validator.Judge, src *pddl.Source, s *validator.Scratch, path string, stdout io.Writer, file func(string, func(io.Writer) error) error) error {
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return nil
	}
	p := New(j, plan, s)
	if path == "-" {
		return p.WriteText(stdout)
	}
	return file(path, p.WriteSVG)
}
