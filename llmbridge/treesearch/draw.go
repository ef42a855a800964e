package treesearch

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// TreeView is a search tree for people to look at. Nodes[0] is the root.
type TreeView struct {
	Direction Direction
	Nodes     []NodeView
}

// NodeView is a node of a TreeView.
type NodeView struct {
	Parent int                 // -1 for the root
	Op     grounder.OperatorID // from the parent, in the backward tree to the parent; -1 for the root
	Cost   int64               // of the path from the root
	// Expanded is the number of the expansion, 0 for a leaf that was never expanded.
	Expanded int
	OnPlan   bool
}

// hidden reports whether a drawing leaves the node out.
func (n *NodeView) hidden() bool { return n.Expanded == 0 && !n.OnPlan }

// label says when the node was expanded and what it cost to come there.
func (n *NodeView) label() string {
	if n.Expanded == 0 {
		return fmt.Sprintf("cost %d", n.Cost)
	}
	return fmt.Sprintf("#%d, cost %d", n.Expanded, n.Cost)
}

// views copies the trees of a run.
func (r *run) views() []TreeView {
	views := []TreeView{r.forward.view()}
	if r.best != Unlimited {
		views[0].mark(int(r.meetF))
	}
	if r.backward != nil {
		v := r.backward.view()
		if r.best != Unlimited {
			v.mark(int(r.meetB))
		}
		views = append(views, v)
	}
	return views
}

func (t *tree) view() TreeView {
	v := TreeView{Direction: t.dir, Nodes: make([]NodeView, len(t.nodes))}
	for i := range t.nodes {
		n := &t.nodes[i]
		v.Nodes[i] = NodeView{Parent: int(int32(n.parent)), Op: n.op, Cost: n.g, Expanded: int(n.order)}
	}
	return v
}

// mark marks the path from the root to a node.
func (v *TreeView) mark(id int) {
	for ; id >= 0; id = v.Nodes[id].Parent {
		v.Nodes[id].OnPlan = true
	}
}

// WriteDOT draws search trees in Graphviz's language: expanded nodes with the number of
// their expansion and the cost of their path, the plan in bold. Other leaves are
// left out.
func WriteDOT(w io.Writer, t *grounder.Task, trees []TreeView) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph %s {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n  edge [fontsize=9];\n", strconv.Quote(t.Name))
	for k, tree := range trees {
		prefix := string(tree.Direction[0])
		fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%q;\n", k, string(tree.Direction)+" tree")
		for i, n := range tree.Nodes {
			if n.hidden() {
				continue
			}
			style := ""
			if n.OnPlan {
				style = ", style=bold"
			}
			fmt.Fprintf(b, "    %s%d [label=%q%s];\n", prefix, i, n.label(), style)
			if n.Parent < 0 {
				continue
			}
			from, to := n.Parent, i
			if tree.Direction == Backward {
				from, to = to, from
			}
			fmt.Fprintf(b, "    %s%d -> %s%d [label=%s%s];\n", prefix, from, prefix, to,
				strconv.Quote(strings.Trim(t.OperatorName(n.Op), "()")), style)
		}
		fmt.Fprintln(b, "  }")
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// Drawer returns what draws trees into a file of some name: [WriteDOT] for .dot, [WriteSVG] for
// .svg, and nil for others.
func Drawer(name string) func(io.Writer, *grounder.Task, []TreeView) error {
	switch filepath.Ext(name) {
	case ".dot":
		return WriteDOT
	case ".svg":
		return WriteSVG
	}
	return nil
}
