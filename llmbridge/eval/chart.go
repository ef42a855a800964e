package eval

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/chart"
)

// Bar is one bar of a chart: a rate with its interval, and perhaps a second rate to compare
// it with.
type Bar struct {
	Label string
	Rate  float64
	Interval
	// Mark is drawn as a line across the bar; negative: none.
	Mark float64
	Note string // at the right: "12/30"
}

const (
	chartLabel = 330 // pixels for labels
	chartPlot  = 360 // pixels for 0 to 100 %
	chartNote  = 110
	chartRow   = 22
	chartHead  = 44
)

// WriteChart draws rates as horizontal bars with 95 % intervals, as SVG. The text is a
// function of the arguments.
func WriteChart(w io.Writer, title string, bars []Bar) error {
	width, height := chartLabel+chartPlot+chartNote, chartHead+chartRow*len(bars)+14
	x := func(p float64) float64 { return chartLabel + chartPlot*p }
	d := chart.New("width", width, "height", height, "viewBox", fmt.Sprintf("0 0 %d %d", width, height), "font-family", "sans-serif", "font-size", 12)
	d.Add(chart.Shape("rect", "width", width, "height", height, "fill", "white"))
	d.Add(chart.Text(title, "x", 8, "y", 18, "font-size", 14))
	for tick := 0; tick <= 100; tick += 25 {
		at := x(float64(tick) / 100)
		d.Add(chart.Shape("line", "x1", at, "y1", chartHead-6, "x2", at, "y2", height-10, "stroke", "#ccc"),
			chart.Text(fmt.Sprintf("%d%%", tick), "x", at, "y", chartHead-10, "text-anchor", "middle", "fill", "#555", "font-size", 10))
	}
	for i, bar := range bars {
		y := chartHead + chartRow*i
		mid := y + chartRow/2
		row := []chart.Element{
			chart.Text(shorten(bar.Label, 52), "x", chartLabel-8, "y", mid+4, "text-anchor", "end"),
			chart.Shape("rect", "x", chartLabel, "y", y+3, "width", chartPlot*bar.Rate, "height", chartRow-6, "fill", "#4a7ebb"),
			chart.Shape("path", "d", fmt.Sprintf("M%.1f %dH%.1fM%.1f %dV%dM%.1f %dV%d",
				x(bar.Low), mid, x(bar.High), x(bar.Low), mid-4, mid+4, x(bar.High), mid-4, mid+4), "stroke", "#222", "fill", "none"),
		}
		if bar.Mark >= 0 {
			row = append(row, chart.Shape("line", "x1", x(bar.Mark), "y1", y+1, "x2", x(bar.Mark), "y2", y+chartRow-1, "stroke", "#c0392b", "stroke-width", 2))
		}
		d.Add(append(row, chart.Text(bar.Note, "x", chartLabel+chartPlot+8, "y", mid+4))...)
	}
	_, err := d.WriteTo(w)
	return err
}

// shorten cuts a label in the middle.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	half := (n - 1) / 2
	return string(r[:half]) + "…" + string(r[len(r)-half:])
}
