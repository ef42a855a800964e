package debugger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/chart"
)

// Sizes of a picture of states, in pixels.
const (
	columnWidth = 90.0
	rowHeight   = 22.0
	spaceMargin = 40.0
)

// drawSpace draws states in columns by their distance to the goal: the goal to the right, dead ends to the
// left. path is the way of a plan, from the initial state, 0, on.
func drawSpace(nodes []node, path []int) (string, error) {
	columns := columnsByDistance(nodes)
	arrange(nodes, columns)
	tallest := 0
	for _, c := range columns {
		tallest = max(tallest, len(c))
	}
	width, height := 2*spaceMargin+columnWidth*float64(len(columns)-1), 2*spaceMargin+rowHeight*float64(tallest)
	for i, c := range columns {
		for k, id := range c {
			nodes[id].x = spaceMargin + columnWidth*float64(i)
			nodes[id].y = spaceMargin + rowHeight*(float64(tallest-len(c))/2+float64(k)+0.5)
		}
	}
	d := chart.New("viewBox", attr(0, 0, int(width), int(height)), "width", int(width), "height", int(height), "font-family", "sans-serif", "font-size", 12, "text-anchor", "middle")
	d.Add(chart.Shape("rect", "width", int(width), "height", int(height), "fill", "#fff"))
	for i, c := range columns {
		d.Add(chart.Text(distanceName(nodes[c[0]].h), "x", spaceMargin+columnWidth*float64(i), "y", 18, "fill", "#222"))
	}
	drawEdges(d, nodes, path)
	worst := int64(1)
	for i := range nodes {
		if h := nodes[i].h; h != nil {
			worst = max(worst, *h)
		}
	}
	for i := range nodes {
		d.Add(nodes[i].shape(i == 0, slices.Contains(path, i), worst))
	}
	var b strings.Builder
	_, err := d.WriteTo(&b)
	return b.String(), err
}

func attr(numbers ...int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

func distanceName(h *int64) string {
	if h == nil {
		return "dead end"
	}
	return fmt.Sprintf("h* = %d", *h)
}

// columnsByDistance groups the states: dead ends, then by falling distance.
func columnsByDistance(nodes []node) (columns [][]int) {
	ids := make([]int, len(nodes))
	for i := range ids {
		ids[i] = i
	}
	far := func(i int) int64 {
		if nodes[i].h == nil {
			return -1
		}
		return *nodes[i].h
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		if x, y := far(a), far(b); x < 0 || y < 0 {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(far(b), far(a))
	})
	for i, id := range ids {
		if i == 0 || far(id) != far(ids[i-1]) {
			columns = append(columns, nil)
		}
		columns[len(columns)-1] = append(columns[len(columns)-1], id)
	}
	return columns
}

// arrange sorts each column by where the neighbors to its right stand, which keeps edges short.
func arrange(nodes []node, columns [][]int) {
	place := make([]float64, len(nodes))
	for i := len(columns) - 1; i >= 0; i-- {
		c := columns[i]
		key := func(id int) float64 {
			sum, n := 0.0, 0.0
			for _, e := range nodes[id].out {
				if h := nodes[e.to].h; h != nil && nodes[id].h != nil && *h < *nodes[id].h {
					sum, n = sum+place[e.to], n+1
				}
			}
			if n == 0 {
				return 0.5
			}
			return sum / n
		}
		slices.SortStableFunc(c, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
		for k, id := range c {
			place[id] = (float64(k) + 0.5) / float64(len(c))
		}
	}
}

func drawEdges(d *chart.Drawing, nodes []node, path []int) {
	onPath := map[[2]int]bool{}
	for i := 1; i < len(path); i++ {
		onPath[[2]int{path[i-1], path[i]}] = true
	}
	var plain, bold []chart.Element
	drawn := map[[2]int]bool{}
	for i := range nodes {
		for _, e := range nodes[i].out {
			pair := [2]int{i, e.to}
			back := [2]int{e.to, i}
			if i == e.to || drawn[pair] || !onPath[pair] && (drawn[back] || onPath[back]) {
				continue
			}
			drawn[pair] = true
			a, b := &nodes[i], &nodes[e.to]
			bend := 0.0
			if a.x == b.x {
				bend = 24 // neighbors of one column
			}
			p := fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", a.x, a.y, (a.x+b.x)/2+bend, (a.y+b.y)/2, b.x, b.y)
			if onPath[pair] {
				bold = append(bold, chart.Shape("path", "d", p, "fill", "none", "stroke", "#b00040", "stroke-width", 3))
			} else {
				plain = append(plain, chart.Shape("path", "d", p, "fill", "none", "stroke", "#c3c8d0", "stroke-width", 1))
			}
		}
	}
	d.Add(plain...)
	d.Add(bold...)
}

// shape is a state: its color by its distance, with what holds in it as its title.
func (n *node) shape(first, onPath bool, worst int64) chart.Element {
	fill := "#555555"
	if n.h != nil {
		// From green over yellow to red, as dark as the text on a white page needs.
		share := float64(*n.h) / float64(worst)
		fill = fmt.Sprintf("#%02x%02x30", int(40+180*share), int(150-90*share))
	}
	stroke, width, r := "#333", 1, 6
	if onPath {
		stroke, width, r = "#b00040", 3, 7
	}
	if first {
		r = 9
	}
	name := "circle"
	attrs := []any{"cx", n.x, "cy", n.y, "r", r, "fill", fill, "stroke", stroke, "stroke-width", width}
	if n.goal {
		name = "rect"
		attrs = []any{"x", n.x - 7, "y", n.y - 7, "width", 14, "height", 14, "fill", fill, "stroke", stroke, "stroke-width", width}
	}
	return chart.Holding(name, []chart.Element{chart.Title(distanceName(n.h) + ": " + strings.Join(n.facts, " "))}, attrs...)
}
