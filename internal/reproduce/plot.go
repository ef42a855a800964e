package reproduce

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/planproof/planproof/internal/chart"
)

// Plot is a chart of lines over named or numbered places, from 0 to Max.
type Plot struct {
	Title  string   `json:"title"`
	Axis   string   `json:"axis"`   // what the places are
	Places []string `json:"places"` // at least two, at equal distances
	Max    float64  `json:"max"`
	Lines  []Line   `json:"lines"`
}

// Line is one line; NaN is not JSON, so a place without a value has a negative one and is left out.
type Line struct {
	Name   string    `json:"name"`
	Paper  bool      `json:"paper,omitempty"` // printed: dashed
	Values []float64 `json:"values"`
}

const (
	plotLeft, plotTop         = 60, 40
	plotWidth, plotHeight     = 480, 260
	plotLegend, plotFoot      = 260, 50
	plotTicks, plotTextHeight = 5, 16
)

var lineColours = []string{"#2b6cb0", "#c0392b", "#2f855a", "#b7791f", "#6b46c1", "#0987a0", "#97266d", "#4a5568"}

// Write writes the plot as SVG.
func (p *Plot) Write(w io.Writer) error {
	width, height := plotLeft+plotWidth+plotLegend, plotTop+plotHeight+plotFoot
	d := chart.New("width", width, "height", height, "viewBox", fmt.Sprintf("0 0 %d %d", width, height), "font-family", "sans-serif", "font-size", 12)
	d.Add(chart.Shape("rect", "width", width, "height", height, "fill", "white"))
	d.Add(chart.Text(p.Title, "x", 8, "y", 20, "font-size", 14))
	x := func(i int) float64 {
		return plotLeft + plotWidth*float64(i)/float64(max(1, len(p.Places)-1))
	}
	y := func(v float64) float64 { return plotTop + plotHeight*(1-min(v, p.Max)/p.Max) }
	for i := range plotTicks + 1 {
		v := p.Max * float64(i) / plotTicks
		d.Add(chart.Shape("line", "x1", plotLeft, "y1", y(v), "x2", plotLeft+plotWidth, "y2", y(v), "stroke", "#ddd"),
			chart.Text(tick(v), "x", plotLeft-8, "y", y(v)+4, "text-anchor", "end", "fill", "#555"))
	}
	for i, name := range p.Places {
		d.Add(chart.Text(name, "x", x(i), "y", plotTop+plotHeight+18, "text-anchor", "middle", "fill", "#555"))
	}
	d.Add(chart.Text(p.Axis, "x", plotLeft+plotWidth/2, "y", plotTop+plotHeight+38, "text-anchor", "middle"))
	for k, l := range p.Lines {
		colour := lineColours[k%len(lineColours)]
		var path strings.Builder
		command := "M"
		for i, v := range l.Values {
			if v < 0 {
				command = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", command, x(i), y(v))
			command = "L"
			d.Add(chart.Shape("circle", "cx", x(i), "cy", y(v), "r", 3, "fill", colour))
		}
		dash := "none"
		if l.Paper {
			dash = "5 4"
		}
		d.Add(chart.Shape("path", "d", path.String(), "stroke", colour, "fill", "none", "stroke-width", 2, "stroke-dasharray", dash))
		at := plotTop + 8 + plotTextHeight*k
		d.Add(chart.Shape("line", "x1", plotLeft+plotWidth+14, "y1", at, "x2", plotLeft+plotWidth+38, "y2", at, "stroke", colour, "stroke-width", 2, "stroke-dasharray", dash),
			chart.Text(l.Name, "x", plotLeft+plotWidth+44, "y", at+4))
	}
	_, err := d.WriteTo(w)
	return err
}

func tick(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
