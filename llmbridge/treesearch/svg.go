package treesearch

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/grounder"
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
	b := bufio.NewWriter(w)
	depth, rows := 0, 1
	places := make([][][2]int, len(trees)) // column from the root's edge, row
	for k := range trees {
		var d, r int
		places[k], d, r = layout(&trees[k])
		depth, rows = depth+d+1, max(rows, r)
	}
	width, height := 2*svgMargin+depth*svgColumn, 2*svgMargin+rows*svgRow
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", width, height)
	fmt.Fprintf(b, "<title>%s</title>\n", escape(t.Name))
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
				fmt.Fprintf(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"/>\n", from, py+9, to, y+9, color)
			}
			tip := "root"
			if n.Parent >= 0 {
				tip = t.OperatorName(n.Op)
			}
			fmt.Fprintf(b, "<g><title>%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"18\" rx=\"3\" fill=\"#fff\" stroke=\"%s\"/>", escape(tip), x, y, box, color)
			fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">%s</text></g>\n", x+6, y+13, n.label())
		}
	}
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
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

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes all
	return b.String()
}
