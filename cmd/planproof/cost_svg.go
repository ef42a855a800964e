package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
)

// svgPage is a small chart in SVG: text, lines and rectangles on a white page. Sizes are in
// pixels; numbers are written with one decimal, so that a chart is the same bytes anywhere.
type svgPage struct {
	b             bytes.Buffer
	width, height float64
}

// Colours of the charts, readable without telling red from green.
const (
	svgInk   = "#1b1b1b"
	svgGrid  = "#d5d5d5"
	svgBlue  = "#2b6cb0"
	svgLight = "#a9c7e8"
	svgDark  = "#16365c"
	svgMark  = "#c05621"
)

func newSVG(width, height float64) *svgPage { return &svgPage{width: width, height: height} }

// text writes at a baseline; anchor is start, middle or end.
func (p *svgPage) text(x, y, size float64, anchor, format string, args ...any) {
	fmt.Fprintf(&p.b, `<text x="%.1f" y="%.1f" font-size="%.0f" text-anchor="%s" fill="%s">`, x, y, size, anchor, svgInk)
	_ = xml.EscapeText(&p.b, fmt.Appendf(nil, format, args...)) // a buffer takes everything
	p.b.WriteString("</text>\n")
}

func (p *svgPage) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(&p.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, h, fill)
}

func (p *svgPage) line(x1, y1, x2, y2 float64, stroke string, width float64) {
	fmt.Fprintf(&p.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>`+"\n", x1, y1, x2, y2, stroke, width)
}

func (p *svgPage) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="sans-serif">`+
		"\n"+`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n%s</svg>\n", p.width, p.height, p.width, p.height, p.b.Bytes())
	return err
}

// svgName is the name of a schedule as far as a chart has room for it.
func svgName(name string) string {
	const most = 40
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return name
}

// drawShift draws one bar for each schedule, from the rate of certain shifts to that of
// possible ones, with a mark for each tie-break.
func drawShift(w io.Writer, rates []costmodel.ShiftRate) error {
	var all []*costmodel.ShiftRate
	longest := 0
	for i := range rates {
		if rates[i].Horizon == "" {
			all = append(all, &rates[i])
			longest = max(longest, utf8.RuneCountInString(svgName(rates[i].Schedule)))
		}
	}
	const top, row, plot = 64.0, 30.0, 440.0
	left := 30 + 7.2*float64(longest)
	p := newSVG(left+plot+30, top+row*float64(len(all))+56)
	p.text(16, 24, 15, "start", "Solution shift: from certain to possible, %% of %d tasks", all[0].Tasks)
	bottom := top + row*float64(len(all))
	for pc := 0; pc <= 100; pc += 20 {
		x := left + plot*float64(pc)/100
		p.line(x, top-8, x, bottom, svgGrid, 1)
		p.text(x, top-14, 11, "middle", "%d", pc)
	}
	for i, r := range all {
		y := top + row*float64(i)
		at := func(n int64) float64 { return left + plot*r.Percent(n)/100 }
		p.text(left-10, y+16, 12, "end", "%s", svgName(r.Schedule))
		p.rect(at(r.Certain), y+4, max(at(r.Possible)-at(r.Certain), 1), 16, svgLight)
		p.line(at(r.Certain), y+2, at(r.Certain), y+22, svgDark, 2)
		p.line(at(r.Possible), y+2, at(r.Possible), y+22, svgDark, 2)
		for k, n := range r.Under {
			p.line(at(n), y+4+8*float64(k), at(n), y+12+8*float64(k), svgMark, 3)
		}
	}
	p.rect(16, bottom+20, 24, 12, svgLight)
	p.text(46, bottom+30, 11, "start", "certain to possible")
	x := 180.0
	for k, tie := range costmodel.TieBreaks() {
		p.line(x, bottom+20+6*float64(k), x, bottom+26+6*float64(k), svgMark, 3)
		p.text(x+8, bottom+30, 11, "start", "%s", map[int]string{0: "upper mark: ", 1: "lower mark: "}[k]+string(tie))
		x += 210
	}
	return p.write(w)
}

// draw draws the success rate and the mean optimality of each budget, grouped by horizon.
func (m *metrics) draw(w io.Writer) error {
	keys := m.cells()
	var budgets []string
	horizons := append(append([]costmodel.Horizon{}, costmodel.Horizons...), "")
	for _, k := range keys {
		if len(budgets) == 0 || budgets[len(budgets)-1] != k.budget {
			budgets = append(budgets, k.budget)
		}
	}
	colours := []string{svgDark, svgBlue, svgLight, svgMark, "#6b46c1", "#d69e2e", "#8a8a8a", svgInk}
	const left, plot, panel = 60.0, 180.0, 260.0
	group := 24*float64(len(budgets)) + 20
	p := newSVG(left+group*float64(len(horizons))+30, 2*panel+60)
	p.text(16, 24, 15, "start", "Plans under %s", svgName(m.schedule.Name))
	for i, title := range []string{"success rate", "mean optimality (0.5 is optimal)"} {
		top, most := 60+panel*float64(i), 1.0
		if i == 1 {
			most = 0.5
		}
		p.text(left, top-10, 12, "start", "%s", title)
		for tick := 0; tick <= 4; tick++ {
			y := top + plot - plot*float64(tick)/4
			p.line(left, y, left+group*float64(len(horizons)), y, svgGrid, 1)
			p.text(left-8, y+4, 11, "end", "%.3g", most*float64(tick)/4)
		}
		for h, horizon := range horizons {
			x := left + group*float64(h) + 10
			p.text(x+12*float64(len(budgets)), top+plot+18, 12, "middle", "%s", horizonTitle(horizon))
			for b, budget := range budgets {
				t := m.tallies[tallyKey{horizon, budget}]
				if t == nil {
					continue
				}
				value, _ := t.SuccessRate()
				if i == 1 {
					value, _ = t.Optimality()
				}
				height := plot * value / most
				p.rect(x+24*float64(b), top+plot-height, 20, height, colours[b%len(colours)])
			}
		}
	}
	x := left
	for b, budget := range budgets {
		p.rect(x, 2*panel+32, 12, 12, colours[b%len(colours)])
		p.text(x+18, 2*panel+42, 11, "start", "%s", budget)
		x += 34 + 7*float64(len(budget))
	}
	return p.write(w)
}
