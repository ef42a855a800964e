package treesearch

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/planproof/planproof/search/state"
)

// ToT is tree of thoughts, breadth first (Yao et al., NeurIPS 2023, algorithm 1): all
// nodes of a level are expanded, and of their children those Beam make the next level whose
// paths are the most promising: with the greatest sums of R_conf from the root on. It ends at the first level that reaches the goal, with the cheapest plan
// there.
type ToT struct {
	// Beam is the number of nodes kept per level.
	Beam int
}

// NewToT returns the method with a beam of 5, the published one.
func NewToT() *ToT { return &ToT{Beam: 5} }

// Name implements Method.
func (*ToT) Name() string { return "tot" }

// Check implements Method.
func (m *ToT) Check() error {
	if m.Beam < 1 {
		return errors.New("the beam must be at least 1")
	}
	return nil
}

// Search implements Method.
func (m *ToT) Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	r := newForwardRun(ctx, s, g, opt, m.Name())
	if r.settled() {
		return r.finish(), nil
	}
	level, cut := []state.StateID{0}, false
	for len(level) > 0 && r.best == Unlimited {
		r.Rounds++
		var next []state.StateID
		for _, id := range level {
			if r.stopped() {
				return r.finish(), nil
			}
			kept, err := r.grow(id)
			if err != nil {
				return nil, err
			}
			for _, k := range kept {
				if !slices.Contains(next, k.id) {
					next = append(next, k.id)
				}
			}
		}
		// A node found again at less cost by a later parent has that parent now, so it is
		// ranked once, as its cheapest path says.
		slices.SortStableFunc(next, r.byConfidence)
		if len(next) > m.Beam {
			next, cut = next[:m.Beam], true
		}
		level = next
	}
	r.exhausted(!cut)
	return r.finish(), nil
}

// ToTDFS is tree of thoughts, depth first (Yao et al., NeurIPS 2023, algorithm 2): the
// children of a node are tried in order of confidence, each with all that is below it. It
// ends at the first plan.
type ToTDFS struct {
	// Branches is the number of children tried per node, 0 for all; Depth the greatest
	// number of steps, 0 for any.
	Branches, Depth int
}

// NewToTDFS returns the method that tries all children to a depth of 40 steps, which is
// more than any task of Budget-BlocksWorld needs.
func NewToTDFS() *ToTDFS { return &ToTDFS{Depth: 40} }

// Name implements Method.
func (*ToTDFS) Name() string { return "tot-dfs" }

// Check implements Method.
func (m *ToTDFS) Check() error {
	if m.Branches < 0 || m.Depth < 0 {
		return errors.New("branches and depth must not be negative")
	}
	return nil
}

// Search implements Method.
func (m *ToTDFS) Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	r := newForwardRun(ctx, s, g, opt, m.Name())
	if r.settled() {
		return r.finish(), nil
	}
	type entry struct {
		id    state.StateID
		g     int64 // when it was put on the stack
		depth int
	}
	stack, cut := []entry{{0, 0, 0}}, false
	for len(stack) > 0 && r.best == Unlimited {
		top := stack[len(stack)-1]
		if r.forward.nodes[top.id].g < top.g { // a cheaper path has been followed since
			stack = stack[:len(stack)-1]
			continue
		}
		if r.stopped() {
			return r.finish(), nil
		}
		stack = stack[:len(stack)-1]
		if m.Depth > 0 && top.depth == m.Depth {
			cut = true
			continue
		}
		r.Rounds++
		children, err := r.grow(top.id)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(children, func(a, b kept) int { return r.byConfidence(a.id, b.id) })
		if m.Branches > 0 && len(children) > m.Branches {
			children, cut = children[:m.Branches], true
		}
		for i := len(children) - 1; i >= 0; i-- {
			stack = append(stack, entry{children[i].id, r.forward.nodes[children[i].id].g, top.depth + 1})
		}
	}
	r.exhausted(!cut)
	return r.finish(), nil
}

// byConfidence orders nodes by falling confidence of their paths, then by rising cost.
func (r *run) byConfidence(a, b state.StateID) int {
	x, y := &r.forward.nodes[a], &r.forward.nodes[b]
	return cmp.Or(cmp.Compare(y.path, x.path), cmp.Compare(x.g, y.g))
}
