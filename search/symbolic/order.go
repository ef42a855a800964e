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
	maxOrderWork = 1 << 27
)

// orderer arranges variables so that those that depend on each other are close (Kissmann and
// Edelkamp, ISMP 2011): it minimises the sum of the squared distances of neighbours in the
// causal graph, by exchanging pairs, from several starts. Derived variables take part, because they
// bring together what they depend on, and are taken out in the end.
type orderer struct {
	neighbours [][]int32
	at         []int32 // by variable: its place
	order      []int32 // by place: the variable
	work       int64
}

// orderVariables returns the state variables in their order.
// Between two starts it calls pause with the work done since.
func orderVariables(t *grounder.Task, pause func(work int64)) (order []int32) {
	o := &orderer{neighbours: influence(t)}
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

// influence returns the neighbours of each variable: variables that an operator changes are
// neighbours of each other and of those that it tests, heads of axioms of what is in their bodies.
func influence(t *grounder.Task) [][]int32 {
	seen := map[[2]int32]bool{}
	out := make([][]int32, len(t.Variables))
	link := func(a, b int32) {
		if a == b || seen[[2]int32{a, b}] {
			return
		}
		seen[[2]int32{a, b}], seen[[2]int32{b, a}] = true, true
		out[a], out[b] = append(out[a], b), append(out[b], a)
	}
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		for j, e := range op.Effects {
			for _, f := range op.Pre {
				link(f.Var, e.Var)
			}
			for _, f := range e.Cond {
				link(f.Var, e.Var)
			}
			for _, other := range op.Effects[:j] {
				if len(e.Cond)+len(other.Cond) == 0 {
					link(other.Var, e.Var)
				}
			}
		}
	}
	for i := range t.Axioms {
		for _, f := range t.Axioms[i].Body {
			link(f.Var, t.Axioms[i].Head.Var)
		}
	}
	return out
}

func (o *orderer) cost() (c int64) {
	for v, list := range o.neighbours {
		for _, w := range list {
			d := int64(o.at[v] - o.at[w])
			c += d * d
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
		if w == other {
			continue
		}
		d, e := int64(o.at[w])-from, int64(o.at[w])-int64(to)
		change += e*e - d*d
	}
	return change
}
