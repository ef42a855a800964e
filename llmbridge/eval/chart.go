package eval

import (
	"fmt"
	"html"
	"io"
	"strings"
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
	var b strings.Builder
	width, height := chartLabel+chartPlot+chartNote, chartHead+chartRow*len(bars)+14
	x := func(p float64) float64 { return chartLabel + chartPlot*p }
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="8" y="18" font-size="14">%s</text>`+"\n", html.EscapeString(title))
	for tick := 0; tick <= 100; tick += 25 {
		at := x(float64(tick) / 100)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ccc"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555" font-size="10">%d%%</text>`+"\n",
			at, chartHead-6, at, height-10, at, chartHead-10, tick)
	}
	for i, bar := range bars {
		y := chartHead + chartRow*i
		mid := y + chartRow/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, chartLabel-8, mid+4, html.EscapeString(shorten(bar.Label, 52)))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="#4a7ebb"/>`, chartLabel, y+3, chartPlot*bar.Rate, chartRow-6)
		fmt.Fprintf(&b, `<path d="M%.1f %dH%.1fM%.1f %dV%dM%.1f %dV%d" stroke="#222" fill="none"/>`,
			x(bar.Low), mid, x(bar.High), x(bar.Low), mid-4, mid+4, x(bar.High), mid-4, mid+4)
		if bar.Mark >= 0 {
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#c0392b" stroke-width="2"/>`, x(bar.Mark), y+1, x(bar.Mark), y+chartRow-1)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", chartLabel+chartPlot+8, mid+4, html.EscapeString(bar.Note))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
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
