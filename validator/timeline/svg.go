package timeline

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/planproof/planproof/internal/chart"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Measures of the picture, in pixels.
const (
	margin     = 12
	plotWidth  = 640
	letter     = 7 // width of a character of a label
	rowHeight  = 20
	barHeight  = 14
	axisHeight = 24
	curveHigh  = 64
	curveGap   = 14
)

// Colours.
const (
	barColour     = "#2b6cb0"
	instantColour = "#2f855a"
	failColour    = "#c53030"
	literalColour = "#b7791f"
	gridColour    = "#e2e8f0"
	textColour    = "#2d3748"
	curveColour   = "#6b46c1"
)

// svg is a picture that is being drawn.
type svg struct {
	*Picture
	d    *chart.Drawing
	left float64 // where time 0 is
	top  float64 // where the next part begins
}

// WriteSVG writes the picture.
func (p *Picture) WriteSVG(w io.Writer) error {
	label := 0
	for _, x := range p.rows() {
		label = max(label, min(len(x.Action), 48))
	}
	for _, c := range p.curves() {
		label = max(label, min(len(c.Fluent), 48))
	}
	rows, curves := len(p.rows()), len(p.curves())
	left := margin + label*letter + 10
	literals := len(p.h.Literals)
	high := margin + 22 + literals*14 + axisHeight + (rows+1)*rowHeight + curves*(curveHigh+curveGap) + margin
	s := &svg{Picture: p, left: float64(left), top: margin}
	wide := left + plotWidth + 70
	s.d = chart.New("width", wide, "height", high, "viewBox", fmt.Sprintf("0 0 %d %d", wide, high),
		"font-family", "ui-monospace, Menlo, Consolas, monospace", "font-size", 11, "fill", textColour)
	s.d.Add(chart.Title("Timeline of a plan"), chart.Shape("rect", "width", wide, "height", high, "fill", "#ffffff"))
	s.headline()
	s.axis(float64(high - margin))
	s.bars()
	s.fluents()
	_, err := s.d.WriteTo(w)
	return err
}

func (s *svg) x(t pddl.Number) float64 { return s.left + s.share(t)*plotWidth }

// headline says what the judge says.
func (s *svg) headline() {
	v, text, colour := s.h.Verdict, "", instantColour
	switch {
	case v.Valid:
		text = fmt.Sprintf("valid: cost %s, %s", v.Cost, spell.Plural(v.Steps, "step"))
	default:
		text, colour = v.Failure.Message, failColour
	}
	s.d.Add(chart.Text(shortened(text, 120), "x", margin, "y", s.top+12, "fill", colour, "font-weight", "bold"))
	s.top += 22
}

// axis draws the time with lines down to the bottom, and the timed literals above it.
func (s *svg) axis(bottom float64) {
	top := s.top + float64(14*len(s.h.Literals)) + 14
	for _, t := range ticks(s.until) {
		x := s.x(t)
		s.d.Add(chart.Shape("line", "x1", x, "y1", top, "x2", x, "y2", bottom, "stroke", gridColour))
	}
	for i, e := range s.h.Literals {
		x, y := s.x(e.Time), s.top+float64(14*i)+8
		anchor, dx := "start", 4.0
		if s.share(e.Time) > 0.6 {
			anchor, dx = "end", -4.0
		}
		s.d.Add(chart.Shape("line", "x1", x, "y1", y-8, "x2", x, "y2", bottom, "stroke", literalColour, "stroke-dasharray", "3 3"),
			chart.Text(fmt.Sprintf("%s: %s", e.Time, shortened(strings.Join(e.Text, " "), 60)), "x", x+dx, "y", y+1, "text-anchor", anchor, "fill", literalColour))
	}
	for _, t := range ticks(s.until) { // on a white ground, above the lines of the literals
		s.d.Add(chart.Text(t.String(), "x", s.x(t), "y", top-4, "text-anchor", "middle", "fill", "#718096",
			"stroke", "#ffffff", "stroke-width", 4, "paint-order", "stroke"))
	}
	s.top = top + 6
}

// bars draws a row for each step.
func (s *svg) bars() {
	for _, x := range s.rows() {
		y := s.top + 3
		colour := barColour
		if x.Failed {
			colour = failColour
		}
		s.d.Add(chart.Text(shortened(x.Action, 48), "x", s.left-8, "y", y+11, "text-anchor", "end"))
		a, b := s.x(x.Start), s.x(x.End)
		title := chart.Title(x.Action + ", " + when(&x) + mark(&x))
		switch {
		case !x.Durative:
			if !x.Failed {
				colour = instantColour
			}
			s.d.Add(chart.Holding("path", []chart.Element{title}, "d", fmt.Sprintf("M%.1f %.1f l5 7 l-5 7 l-5 -7 z", a, y), "fill", colour))
		case x.Broken != nil:
			at := s.x(*x.Broken)
			s.d.Add(chart.Holding("rect", []chart.Element{title}, "x", a, "y", y, "width", math.Max(b-a, 2), "height", barHeight, "rx", 2, "fill", barColour),
				chart.Shape("rect", "x", at, "y", y-2, "width", math.Max(b-at, 3), "height", barHeight+4, "fill", failColour, "fill-opacity", "0.85"))
		default:
			s.d.Add(chart.Holding("rect", []chart.Element{title}, "x", a, "y", y, "width", math.Max(b-a, 2), "height", barHeight, "rx", 2, "fill", colour))
		}
		s.d.Add(chart.Text(when(&x), "x", b+8, "y", y+11, "fill", "#718096", "font-size", 10))
		s.top += rowHeight
	}
	if more := len(s.h.Spans) - maxRows; more > 0 {
		s.d.Add(chart.Text(fmt.Sprintf("... and %s more", spell.Plural(more, "step")), "x", margin, "y", s.top+12))
	}
	s.top += rowHeight
}

// fluents draws a chart for each fluent.
func (s *svg) fluents() {
	for _, c := range s.curves() {
		s.fluent(&c)
		s.top += curveHigh + curveGap
	}
}

func (s *svg) fluent(c *validator.Curve) {
	points := s.points(c)
	low, high := math.Inf(1), math.Inf(-1)
	var least, most pddl.Number
	for _, p := range points {
		if v := float(p.value); p.defined && v < low {
			low, least = v, p.value
		}
		if v := float(p.value); p.defined && v > high {
			high, most = v, p.value
		}
	}
	s.d.Add(chart.Shape("rect", "x", s.left, "y", s.top, "width", plotWidth, "height", curveHigh, "fill", "none", "stroke", gridColour),
		chart.Text(shortened(c.Fluent, 48), "x", s.left-8, "y", s.top+curveHigh/2+4, "text-anchor", "end"))
	if low > high {
		return
	}
	y := func(v float64) float64 {
		if high == low {
			return s.top + curveHigh/2
		}
		return s.top + curveHigh - 4 - (v-low)/(high-low)*(curveHigh-8)
	}
	path, pen := "", "M"
	for _, p := range points {
		if !p.defined {
			pen = "M"
			continue
		}
		path += fmt.Sprintf("%s%.1f %.1f ", pen, s.x(p.time), y(float(p.value)))
		pen = "L"
	}
	s.d.Add(chart.Holding("path", []chart.Element{chart.Title(c.Fluent + ": " + shortened(values(c), 200))},
		"d", strings.TrimSpace(path), "fill", "none", "stroke", curveColour, "stroke-width", "1.5"))
	s.d.Add(chart.Text(most.String(), "x", s.left+plotWidth+6, "y", y(high)+4, "font-size", 10, "fill", curveColour))
	if high > low {
		s.d.Add(chart.Text(least.String(), "x", s.left+plotWidth+6, "y", y(low)+4, "font-size", 10, "fill", curveColour))
	}
}

// point is a corner of a curve.
type point struct {
	time, value pddl.Number
	defined     bool
}

// points are the corners of a curve: where each sample ends and the next begins.
func (s *svg) points(c *validator.Curve) (out []point) {
	for i := range c.Samples {
		x := &c.Samples[i]
		out = append(out, point{x.Time, x.Value, x.Defined})
		end := s.h.Seen
		if i+1 < len(c.Samples) {
			end = c.Samples[i+1].Time
		}
		out = append(out, point{end, x.At(end), x.Defined})
	}
	return out
}

// ticks are round moments: at most ten, from 0 on.
func ticks(until pddl.Number) []pddl.Number {
	step := pddl.Int(1)
	tenth, _ := pddl.Int(1).Div(pddl.Int(10))
	for ten := pddl.Int(10); until.Cmp(step.Mul(ten)) > 0; {
		step = step.Mul(ten)
	}
	for until.Cmp(step) < 0 {
		step = step.Mul(tenth)
	}
	for _, factor := range []int64{1, 2, 5, 10} {
		if s := step.Mul(pddl.Int(factor)); until.Cmp(s.Mul(pddl.Int(8))) <= 0 || factor == 10 {
			step = s
			break
		}
	}
	var out []pddl.Number
	for t := (pddl.Number{}); t.Cmp(until) <= 0; t = t.Add(step) {
		out = append(out, t)
	}
	return out
}
