package treesearch

import (
	"io"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/chart"
)

// Distances of a drawing, in pixels.
const (
	svgColumn = 170
	svgRow    = 26
	svgMargin = 20
)

// WriteSVG draws search trees as WriteDOT does: a forward tree grows from the left edge to
// the right, a backward tree from the right edge to the left. The plan is red; a node's tip
// names the action.
func WriteSVG(w io.Writer, t *grounder.Task, trees []TreeView) error {
	depth, rows := 0, 1
	places := make([][][2]int, len(trees)) // column from the root's edge, row
	for k := range trees {
		var deep, r int
		places[k], deep, r = layout(&trees[k])
		depth, rows = depth+deep+1, max(rows, r)
	}
	width, height := 2*svgMargin+depth*svgColumn, 2*svgMargin+rows*svgRow
	d := chart.New("width", width, "height", height, "font-family", "sans-serif", "font-size", 11)
	d.Add(chart.Title(t.Name))
	for k := range trees {
		tree := &trees[k]
		at := func(i int) (x, y int) {
			x = svgMargin + places[k][i][0]*svgColumn
			if tree.Direction == Backward {
				x = width - x - svgColumn*3/4
			}
			return x, svgMargin + places[k][i][1]*svgRow
		}
		box := svgColumn * 3 / 4
		for i := range tree.Nodes {
			n := &tree.Nodes[i]
			if n.hidden() {
				continue
			}
			color := "#888"
			if n.OnPlan {
				color = "#c00"
			}
			x, y := at(i)
			if n.Parent >= 0 {
				px, py := at(n.Parent)
				from, to := px+box, x
				if tree.Direction == Backward {
					from, to = px, x+box
				}
				d.Add(chart.Shape("line", "x1", from, "y1", py+9, "x2", to, "y2", y+9, "stroke", color))
			}
			tip := "root"
			if n.Parent >= 0 {
				tip = t.OperatorName(n.Op)
			}
			d.Add(chart.Group(chart.Title(tip),
				chart.Shape("rect", "x", x, "y", y, "width", box, "height", 18, "rx", 3, "fill", "#fff", "stroke", color),
				chart.Text(n.label(), "x", x+6, "y", y+13)))
		}
	}
	_, err := d.WriteTo(w)
	return err
}

// layout places the nodes that are drawn: the column is the depth, and every leaf of the
// drawing has a row of its own, in the order of a walk from the root.
func layout(v *TreeView) (places [][2]int, depth, rows int) {
	places = make([][2]int, len(v.Nodes))
	children := make([][]int, len(v.Nodes))
	for i := range v.Nodes {
		if p := v.Nodes[i].Parent; p >= 0 && !v.Nodes[i].hidden() {
			children[p] = append(children[p], i)
		}
	}
	// A walk with a stack of its own: paths may be long.
	type entry struct{ node, depth int }
	stack := []entry{{0, 0}}
	for len(stack) > 0 && len(v.Nodes) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		places[top.node] = [2]int{top.depth, rows}
		depth = max(depth, top.depth)
		if len(children[top.node]) == 0 {
			rows++
		}
		for i := len(children[top.node]) - 1; i >= 0; i-- {
			stack = append(stack, entry{children[top.node][i], top.depth + 1})
		}
	}
	return places, depth, max(rows, 1)
}
