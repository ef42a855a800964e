// Package astar is the search of the BoxNet paper (arXiv 2505.20573, listing 1), for comparison: A* that keeps only
// the 20 best joint actions of a node, and only moves that bring an object nearer to its target. It
// is not optimal, and fails where there are plans.
//
//	state ─► actions of each robot ─► groups of robots ─► the judge ─► the 20 best ─► open list
//
// What the paper leaves open is settled as docs/BOXNET.md says; ties go to what was found first, in
// place of a random number.
package astar

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/emirpasic/gods/queues/priorityqueue"

	"github.com/planproof/planproof/domains/boxnet"
)

// Options of Search. The zero value of each number is that of the paper.
type Options struct {
	Reading boxnet.Reading
	// Weight multiplies the heuristic; 0 is 1, as printed. 10 gives plans like those of the
	// paper's data.
	Weight float64
	// Iterations bounds the nodes that are taken from the open list; 0 is 1000.
	Iterations int
	// Width is the number of successors that are kept; 0 is 20.
	Width int
}

// Result of Search.
type Result struct {
	Plan       boxnet.Plan // nil if none was found
	Found      bool
	Iterations int
}

// maxTogether bounds the robots that move in one step, as the listing does.
const maxTogether = 4

// node is a state on the open list.
type node struct {
	state  *boxnet.State
	key    string
	parent *node
	step   boxnet.Step
	g      int
	f      float64
	order  int
}

// compareNodes orders the open list by f, then as nodes were made.
func compareNodes(first, second any) int {
	a, b := first.(*node), second.(*node)
	return cmp.Or(cmp.Compare(a.f, b.f), cmp.Compare(a.order, b.order))
}

// Search looks for a plan. The error is that of ctx.
func Search(ctx context.Context, in *boxnet.Instance, opt Options) (Result, error) {
	if err := in.CheckReading(opt.Reading); err != nil {
		return Result{}, err
	}
	s := newSearch(in, opt)
	start := &node{state: s.judge.Start()}
	start.key, start.f = key(start.state), s.estimate(start.state)
	open := priorityqueue.NewWith(compareNodes)
	open.Enqueue(start)
	best := map[string]int{start.key: 0}
	closed := map[string]bool{}
	order := 0
	for n := 1; !open.Empty() && n <= s.opt.Iterations; n++ {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		first, _ := open.Dequeue()
		at := first.(*node)
		if closed[at.key] {
			continue // counts as an iteration, as in the listing
		}
		closed[at.key] = true
		if len(s.judge.Away(at.state)) == 0 {
			return Result{Plan: at.plan(), Found: true, Iterations: n}, nil
		}
		for _, next := range s.successors(at) {
			if known, ok := best[next.key]; closed[next.key] || ok && known <= next.g {
				continue
			}
			best[next.key] = next.g
			order++
			next.order = order
			open.Enqueue(next)
		}
	}
	return Result{Iterations: s.opt.Iterations}, nil
}

func (n *node) plan() (plan boxnet.Plan) {
	for ; n.parent != nil; n = n.parent {
		plan = append(plan, n.step)
	}
	slices.Reverse(plan)
	return plan
}

// key is a text that two states share only if they are equal.
func key(st *boxnet.State) string {
	var b []byte
	for _, list := range [][]boxnet.Point{st.Arms, st.Objects} {
		for _, p := range list {
			b = binary.LittleEndian.AppendUint64(b, uint64(p.X))
			b = binary.LittleEndian.AppendUint64(b, uint64(p.Y))
		}
	}
	return string(b)
}

type search struct {
	in      *boxnet.Instance
	opt     Options
	judge   *boxnet.Judge
	reach   [][]boxnet.Point // of each robot: the cells' points, those beside its base in 3D, and targets
	scratch boxnet.Scratch
}

func newSearch(in *boxnet.Instance, opt Options) *search {
	if opt.Weight == 0 {
		opt.Weight = 1
	}
	if opt.Iterations == 0 {
		opt.Iterations = 1000
	}
	if opt.Width == 0 {
		opt.Width = 20
	}
	s := &search{in: in, opt: opt, judge: boxnet.NewJudge(in, opt.Reading)}
	for _, r := range in.Robots {
		points := append(in.Cells(r.Base), in.Beside(r.Base)...)
		for _, o := range in.Objects {
			if in.Reaches(r.Base, *o.Target) {
				points = append(points, *o.Target)
			}
		}
		slices.SortFunc(points, boxnet.ComparePoints)
		s.reach = append(s.reach, slices.Compact(points))
	}
	return s
}

// quality is the squared distance of an object's place to its target; less is better.
func (s *search) quality(object int, at boxnet.Point) float64 {
	d := at.Distance(*s.in.Objects[object].Target)
	return d * d
}

// estimate is the heuristic: the root of the summed qualities, times the weight.
func (s *search) estimate(st *boxnet.State) (h float64) {
	for o, at := range st.Objects {
		h += s.quality(o, at)
	}
	return s.opt.Weight * math.Sqrt(h)
}
