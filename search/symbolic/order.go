package symbolic

import (
	"math/rand/v2"

	"github.com/planproof/planproof/grounder"
)

// Bounds of ordering: orders that are improved, exchanges that are tried on each, and
// neighbours that are looked at in all.
const (
	orderStarts  = 20
	orderSwaps   = 50000
	maxOrderWork = 1 << 26
)

// orderer arranges variables so that those that depend on each other are close (Kissmann and
// Edelkamp, ISMP 2011): it minimises the weighted sum of the squared distances of neighbours in the
// causal graph, by exchanging pairs, from several starts. Derived variables take part, because they
// bring together what they depend on, and are taken out in the end.
type orderer struct {
	neighbours [][]neighbour
	at         []int32 // by variable: its place
	order      []int32 // by place: the variable
	work       int64
}

// neighbour is the end of an edge.
type neighbour struct {
	variable int32
	weight   int64
}

// A weighing says how much an operator or axiom that mentions so many variables draws two of them together.
type weighing func(variables int) int64

// fullWeight is that of an operator on two variables.
const fullWeight = 1 << 12

// weighings are those whose orders compete. Operators on few variables say more about what belongs together than those
// on many: philosophers and optical-telegraphs with the first need a tenth of the nodes that they need with the last.
var weighings = []weighing{
	func(n int) int64 { return max(fullWeight/int64((n-1)*(n-1)), 1) },
	func(n int) int64 { return max(fullWeight/int64(n-1), 1) },
	func(int) int64 { return 1 },
}

// orderVariables returns the state variables in their order.
// Between two starts it calls pause with the work done since.
func orderVariables(t *grounder.Task, w weighing, pause func(work int64)) (order []int32) {
	o := &orderer{neighbours: influence(t, w)}
	n := len(t.Variables)
	o.order, o.at = make([]int32, n), make([]int32, n)
	for v := range o.order {
		o.order[v] = int32(v)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var best []int32
	least := int64(-1)
	for start := range orderStarts {
		if start > 0 {
			copy(o.order, best)
			random.Shuffle(n, func(i, j int) { o.order[i], o.order[j] = o.order[j], o.order[i] })
		}
		for i, v := range o.order {
			o.at[v] = int32(i)
		}
		before := o.work
		o.improve(random)
		pause(o.work - before)
		if c := o.cost(); least < 0 || c < least {
			least, best = c, append(best[:0], o.order...)
		}
		if o.work > maxOrderWork {
			break
		}
	}
	for _, v := range best {
		if t.Variables[v].Layer < 0 {
			order = append(order, v)
		}
	}
	return order
}

// influence returns the neighbours of each variable: variables that an operator changes are neighbours of each other
// and of those that it tests, heads of axioms of what is in their bodies. Of several weights of an edge the largest counts.
func influence(t *grounder.Task, w weighing) [][]neighbour {
	weights := map[[2]int32]int64{}
	edge := func(a, b int32, weight int64) {
		if a > b {
			a, b = b, a
		}
		if k := [2]int32{a, b}; a != b && weights[k] < weight {
			weights[k] = weight
		}
	}
	seen := make([]int, len(t.Variables)) // by variable: one more than the last operator that mentions it
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		weight := w(max(mentioned(op, seen, i+1), 2))
		for j, e := range op.Effects {
			for _, f := range op.Pre {
				edge(f.Var, e.Var, weight)
			}
			for _, f := range e.Cond {
				edge(f.Var, e.Var, weight)
			}
			for _, other := range op.Effects[:j] {
				edge(other.Var, e.Var, weight)
			}
		}
	}
	for i := range t.Axioms {
		for _, f := range t.Axioms[i].Body {
			edge(f.Var, t.Axioms[i].Head.Var, w(max(len(t.Axioms[i].Body)+1, 2)))
		}
	}
	out := make([][]neighbour, len(t.Variables))
	for k, weight := range weights {
		out[k[0]] = append(out[k[0]], neighbour{k[1], weight})
		out[k[1]] = append(out[k[1]], neighbour{k[0], weight})
	}
	return out
}

// mentioned counts the variables of an operator and marks them as seen.
func mentioned(op grounder.Operator, seen []int, mark int) (n int) {
	see := func(v int32) {
		if seen[v] != mark {
			seen[v] = mark
			n++
		}
	}
	for _, f := range op.Pre {
		see(f.Var)
	}
	for _, e := range op.Effects {
		see(e.Var)
		for _, f := range e.Cond {
			see(f.Var)
		}
	}
	return n
}

func (o *orderer) cost() (c int64) {
	for v, list := range o.neighbours {
		for _, w := range list {
			d := int64(o.at[v] - o.at[w.variable])
			c += d * d * w.weight
		}
	}
	return c
}

// improve exchanges two variables at random where that lowers the cost.
func (o *orderer) improve(random *rand.Rand) {
	n := len(o.order)
	for range min(orderSwaps, 20*n*n) {
		i, j := int32(random.IntN(n)), int32(random.IntN(n))
		if i == j {
			continue
		}
		v, w := o.order[i], o.order[j]
		if o.move(v, w, j)+o.move(w, v, i) < 0 {
			o.order[i], o.order[j] = w, v
			o.at[v], o.at[w] = j, i
		}
		if o.work += int64(len(o.neighbours[v]) + len(o.neighbours[w])); o.work > maxOrderWork {
			return
		}
	}
}

// move is what the cost of v's neighbours changes by if v is placed at to. Its distance to
// other, with which it is exchanged, stays.
func (o *orderer) move(v, other, to int32) (change int64) {
	from := int64(o.at[v])
	for _, w := range o.neighbours[v] {
		if w.variable == other {
			continue
		}
		d, e := int64(o.at[w.variable])-from, int64(o.at[w.variable])-int64(to)
		change += (e*e - d*d) * w.weight
	}
	return change
}
