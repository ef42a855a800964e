package costmodel

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
)

// Rounds describes in which turns the actions of a task can follow each other, from which
// the slack of a loose budget is derived.
//
// Budget-BlocksWorld allows a loose budget "two rounds of the most expensive actions" more
// than the optimum: 2 x (most expensive of pick-up and unstack + most expensive of put-down
// and stack), because whatever is taken up must be put somewhere. For any domain this is
// read as follows. Action type B may follow A unless some mutex group (or variable) rules it
// out: every A leaves one fact of the group behind, every B needs one, and no fact is
// both. In the graph of what may follow what, each strongly connected component falls into
// cyclic classes, as the states of a periodic Markov chain do: with period p, an action of
// class i is always followed by one of class i+1 modulo p. A round is one action of each
// class, at most p actions; a type that can never come again is a component of its own.
//
// In blocksworld the arm makes the period 2 and the classes {pick-up, unstack} and
// {put-down, stack}. In most domains any action may come again at any time; then the period
// is 1, and a round is one action, the most expensive one.
type Rounds struct {
	// Components lists the cyclic classes of each component as action types, in order of
	// declaration.
	Components [][][]string
}

// maxRoundTypes bounds the number of action types that get classes of their own. Beyond it, as in
// domains that were grounded by hand, there is one class.
const maxRoundTypes = 512

// RoundsOf analyses a task, which should be one that [Ground] has made.
func RoundsOf(t *grounder.Task) Rounds {
	used := make([]bool, len(t.SchemaNames))
	for o := range t.Operators.Len() {
		used[t.Operators.Schema(o)] = true
	}
	var types []int32
	for s, u := range used {
		if u {
			types = append(types, int32(s))
		}
	}
	name := func(s int32) string { return t.SchemaNames[s] }
	if len(types) > maxRoundTypes {
		one := make([]string, len(types))
		for i, s := range types {
			one[i] = name(s)
		}
		return Rounds{[][][]string{{one}}}
	}
	follows := newFollowTest(t)
	next := make([][]int, len(types))
	for i, a := range types {
		for j, b := range types {
			if follows.may(a, b) {
				next[i] = append(next[i], j)
			}
		}
	}
	var r Rounds
	for _, component := range components(next) {
		class, period := cyclicClasses(next, component)
		classes := make([][]string, period)
		for k, i := range component {
			classes[class[k]] = append(classes[class[k]], name(types[i]))
		}
		r.Components = append(r.Components, classes)
	}
	return r
}

// Slack is what a loose budget adds to the optimal cost under a schedule: two rounds, each
// of the most expensive action of every class, in the most expensive component. It is an
// error if the schedule does not price some action.
func (r Rounds) Slack(s Schedule) (pddl.Number, error) {
	most := pddl.Number{}
	for _, classes := range r.Components {
		round := pddl.Number{}
		for _, class := range classes {
			highest := pddl.Number{}
			for _, action := range class {
				c, ok := s.Cost(action)
				if !ok {
					return most, fmt.Errorf("schedule %s: no cost for %s", clip(s.String()), clip(action))
				}
				if c.Cmp(highest) > 0 {
					highest = c
				}
			}
			round = round.Add(highest)
		}
		if round.Cmp(most) > 0 {
			most = round
		}
	}
	return most.Add(most), nil
}

// ErrNoPrices is why a task without a schedule has no slack: its metric does not price action
// types.
var ErrNoPrices = errors.New("a loose budget needs a schedule of costs")

// SlackOf grounds a problem and returns what a loose budget adds to its optimal cost under a
// schedule, see [Rounds.Slack]. Without a schedule every action costs 1, unless the problem has
// a metric.
func SlackOf(ctx context.Context, p *pddl.Problem, s Schedule, opt grounder.Options) (pddl.Number, error) {
	if s.Empty() {
		if p.Metric != nil {
			return pddl.Number{}, ErrNoPrices
		}
		s = Unit()
	}
	task, err := Ground(ctx, p, opt)
	if err != nil {
		return pddl.Number{}, err
	}
	return RoundsOf(task).Slack(s)
}

// components lists the strongly connected components of a graph, nodes in order, ordered by
// their first nodes.
func components(next [][]int) [][]int {
	n := len(next)
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		stack := []int{i}
		for len(stack) > 0 {
			x := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, y := range next[x] {
				if !reach[i][y] {
					reach[i][y] = true
					stack = append(stack, y)
				}
			}
		}
	}
	var list [][]int
	done := make([]bool, n)
	for i := range n {
		if done[i] {
			continue
		}
		component := []int{i}
		for j := i + 1; j < n; j++ {
			if reach[i][j] && reach[j][i] {
				component = append(component, j)
				done[j] = true
			}
		}
		list = append(list, component)
	}
	return list
}

// cyclicClasses returns the class of each node of a strongly connected component and the
// number of classes: the greatest common divisor of the lengths of its cycles, found as
// that of depth(x)+1-depth(y) over its edges. The first node is in class 0.
func cyclicClasses(next [][]int, component []int) (class []int, period int) {
	place := map[int]int{}
	for k, x := range component {
		place[x] = k
	}
	depth := make([]int, len(component))
	for k := range depth {
		depth[k] = -1
	}
	depth[0] = 0
	queue := []int{component[0]}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, y := range next[x] {
			k, inside := place[y]
			switch {
			case !inside:
			case depth[k] < 0:
				depth[k] = depth[place[x]] + 1
				queue = append(queue, y)
			default:
				period = gcd(period, depth[place[x]]+1-depth[k])
			}
		}
	}
	period = max(period, 1) // no cycle: a type that cannot come again
	for _, d := range depth {
		class = append(class, d%period)
	}
	return class, period
}

func gcd(a, b int) int {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
