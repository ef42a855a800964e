package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/chart"
)

// page is a chart: text, lines and rectangles on white. Sizes are in pixels.
type page struct{ *chart.Drawing }

// Colours of the charts, readable without telling red from green.
const (
	ink   = "#1b1b1b"
	grid  = "#d5d5d5"
	blue  = "#2b6cb0"
	light = "#a9c7e8"
	dark  = "#16365c"
	mark  = "#c05621"
)

func newPage(width, height float64) page {
	w, h := int(math.RoundToEven(width)), int(math.RoundToEven(height))
	p := page{chart.New("width", w, "height", h, "viewBox", fmt.Sprintf("0 0 %d %d", w, h), "font-family", "sans-serif")}
	p.Add(chart.Shape("rect", "width", "100%", "height", "100%", "fill", "#ffffff"))
	return p
}

// text writes at a baseline; anchor is start, middle or end.
func (p page) text(x, y float64, size int, anchor, text string) {
	p.Add(chart.Text(text, "x", x, "y", y, "font-size", size, "text-anchor", anchor, "fill", ink))
}

func (p page) rect(x, y, w, h float64, fill string) {
	p.Add(chart.Shape("rect", "x", x, "y", y, "width", w, "height", h, "fill", fill))
}

func (p page) line(x1, y1, x2, y2 float64, stroke string, width float64) {
	p.Add(chart.Shape("line", "x1", x1, "y1", y1, "x2", x2, "y2", y2, "stroke", stroke, "stroke-width", width))
}

// shortName is the name of a schedule as far as a chart has room for it.
func shortName(name string) string {
	const most = 40
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return name
}

// Draw draws a bar for each schedule, from the rate of certain shifts to that of possible
// ones, with a mark for each tie-break.
func (s *ShiftSet) Draw(w io.Writer) error { return drawRates(w, s.Rates()) }

func drawRates(w io.Writer, rates []costmodel.ShiftRate) error {
	var all []*costmodel.ShiftRate
	longest := 0
	for i := range rates {
		if rates[i].Horizon == "" {
			all = append(all, &rates[i])
			longest = max(longest, utf8.RuneCountInString(shortName(rates[i].Schedule)))
		}
	}
	const top, row, plot = 64.0, 30.0, 440.0
	left := 30 + 7.2*float64(longest)
	p := newPage(left+plot+30, top+row*float64(len(all))+56)
	p.text(16, 24, 15, "start", fmt.Sprintf("Solution shift: from certain to possible, %% of %d tasks", all[0].Tasks))
	bottom := top + row*float64(len(all))
	for pc := 0; pc <= 100; pc += 20 {
		x := left + plot*float64(pc)/100
		p.line(x, top-8, x, bottom, grid, 1)
		p.text(x, top-14, 11, "middle", strconv.Itoa(pc))
	}
	for i, r := range all {
		y := top + row*float64(i)
		at := func(n int64) float64 { return left + plot*r.Percent(n)/100 }
		p.text(left-10, y+16, 12, "end", shortName(r.Schedule))
		p.rect(at(r.Certain), y+4, max(at(r.Possible)-at(r.Certain), 1), 16, light)
		p.line(at(r.Certain), y+2, at(r.Certain), y+22, dark, 2)
		p.line(at(r.Possible), y+2, at(r.Possible), y+22, dark, 2)
		for k, n := range r.Under {
			p.line(at(n), y+4+8*float64(k), at(n), y+12+8*float64(k), mark, 3)
		}
	}
	p.rect(16, bottom+20, 24, 12, light)
	p.text(46, bottom+30, 11, "start", "certain to possible")
	x := 180.0
	for k, tie := range costmodel.TieBreaks() {
		p.line(x, bottom+20+6*float64(k), x, bottom+26+6*float64(k), mark, 3)
		p.text(x+8, bottom+30, 11, "start", map[int]string{0: "upper mark: ", 1: "lower mark: "}[k]+string(tie))
		x += 210
	}
	_, err := p.WriteTo(w)
	return err
}

// Draw draws the success rate and the mean optimality of each budget, grouped by horizon.
func (m *Metrics) Draw(w io.Writer) error {
	var budgets []string // those with rows
	for _, label := range m.budgets {
		if m.tallies[cellKey{"", label}] != nil {
			budgets = append(budgets, label)
		}
	}
	colours := []string{dark, blue, light, mark, "#6b46c1", "#d69e2e", "#8a8a8a", ink}
	groups := horizons()
	const left, plot, panel = 60.0, 180.0, 260.0
	group := 24*float64(len(budgets)) + 20
	p := newPage(left+group*float64(len(groups))+30, 2*panel+60)
	p.text(16, 24, 15, "start", "Plans under "+shortName(m.Schedule.Name))
	for i, title := range []string{"success rate", "mean optimality (0.5 is optimal)"} {
		top, most := 60+panel*float64(i), 1.0
		if i == 1 {
			most = 0.5
		}
		p.text(left, top-10, 12, "start", title)
		for tick := 0; tick <= 4; tick++ {
			y := top + plot - plot*float64(tick)/4
			p.line(left, y, left+group*float64(len(groups)), y, grid, 1)
			p.text(left-8, y+4, 11, "end", fmt.Sprintf("%.3g", most*float64(tick)/4))
		}
		for h, horizon := range groups {
			x := left + group*float64(h) + 10
			p.text(x+12*float64(len(budgets)), top+plot+18, 12, "middle", horizonTitle(horizon))
			for b, budget := range budgets {
				t := m.tallies[cellKey{horizon, budget}]
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
		p.text(x+18, 2*panel+42, 11, "start", budget)
		x += 34 + 7*float64(len(budget))
	}
	_, err := p.WriteTo(w)
	return err
}
