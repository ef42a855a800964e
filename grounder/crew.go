package grounder

import (
	"slices"

	"github.com/planproof/planproof/internal/inorder"
	"github.com/planproof/planproof/pddl"
)

// crew builds the operators of an action with many instances on several threads. A worker has a copy of the grounder:
// what it reads is shared, and what it makes, in sas, is its own until it is put in its place, in the order of the
// instances. So the task is the same for any number of threads. What would change more than sas (an atom that stands
// for a condition, a diagnostic) ends the work at its piece, and one thread goes on from there.
type crew struct {
	g     *grounder
	model grounder // what workers copy
	a     *action
	room  *room
	size  int // instances of a piece
}

// alone is what a worker panics with that would change more than its sas.
type alone struct{}

// threads returns how many threads share n steps of work, in pieces of some size.
func (g *grounder) threads(n, size int) int { return max(1, min(g.opt.Threads, n/max(1, size))) }

// fork returns a copy of the grounder for another thread.
func (g *grounder) fork() *grounder {
	own := *g
	own.worker, own.memory = true, slices.Clone(g.memory)
	return &own
}

// together has threads make pieces of work. Each has a copy of the grounder to tick; one thread has the grounder itself.
func (g *grounder) together(threads, pieces int, worker func(own *grounder) inorder.Worker) {
	model := *g
	_, failed := inorder.Run(threads, pieces, func() inorder.Worker {
		if threads == 1 {
			return worker(g)
		}
		return worker(model.fork())
	})
	if failed != nil {
		panic(failed)
	}
}

// spread cuts n steps into one stretch for each of some threads.
func (g *grounder) spread(n, threads int, do func(own *grounder, i, from, to int)) {
	g.together(threads, threads, func(own *grounder) inorder.Worker {
		return inorder.Worker{Do: func(i int) { do(own, i, n*i/threads, n*(i+1)/threads) }}
	})
}

// apart reports whether instances of a become operators one without the other: nothing of what they need is made
// when it is first asked for, and no cost has a condition.
func (a *action) apart() bool {
	return !a.hasUniv &&
		!slices.ContainsFunc(a.effects, func(e effect) bool { return e.join != nil }) &&
		!slices.ContainsFunc(a.costs, func(t costTerm) bool { return t.join != nil })
}

// apart is the same for numbers.
func (n *numeric) apart() bool { return !slices.Contains(n.tracked, true) }

// build makes the operators of as many instances of an action as several threads can, from the first one on, and
// returns their number.
func (g *grounder) build(a *action, r *room) int {
	c := &crew{g: g, a: a, room: r, size: max(1, min(g.limits.piece, max(g.limits.piece, a.count)/16))}
	n := g.threads(a.count, c.size)
	if n < 2 {
		return 0
	}
	c.model = *g
	placed, failed := inorder.Run(n, (a.count+c.size-1)/c.size, c.worker)
	if _, ok := failed.(alone); failed != nil && !ok {
		panic(failed)
	}
	return min(placed*c.size, a.count)
}

// worker makes pieces, one after another.
type worker struct {
	*crew
	b     *opBuilder
	costs []int64 // the index of each cost of the piece among all
	lists []int32 // the same for lists of effects
	rows  []operatorRow
	args  []pddl.ObjectID
	facts []Fact
	at    mark // where the piece begins
}

func (c *crew) worker() inorder.Worker {
	own := c.model.fork()
	own.sas = sasTask{}
	w := &worker{crew: c, b: own.newBuilder()}
	w.b.begin(c.a)
	return inorder.Worker{Do: w.do, Place: w.place, Fill: w.fill}
}

func (w *worker) do(k int) {
	g := w.b.g
	g.sas.reuse(newSharing(g.limits.sharing))
	g.sas.share.off = g.sas.share.off || w.room.off.Load()
	defer func() {
		if len(g.diags) > 0 {
			panic(alone{})
		}
	}()
	for t := k * w.size; t < min((k+1)*w.size, w.a.count); t++ {
		w.b.tuple = w.a.tuples.at(t)
		w.b.instance()
		g.tick()
	}
}

// reuse empties sas for other operators.
func (s *sasTask) reuse(share sharing) {
	share.table = s.share.table
	clear(share.table)
	o := &s.ops
	*s = sasTask{share: share, facts: s.facts, effs: s.effs, costs: s.costs,
		ops: Operators{rows: o.rows[:0], args: o.args[:0], facts: o.facts[:0], effects: o.effects[:0]}}
	s.facts.reset()
	s.effs.reset()
	s.costs.reset()
}

// place finds room for a piece among all operators.
func (w *worker) place(k int, settle func()) {
	g, p := w.g, &w.b.g.sas
	s := &g.sas
	w.room.made(k*w.size, settle)
	if s.count += p.count; s.count > maxCount {
		g.tooMany()
	}
	w.costs = w.costs[:0]
	for _, v := range p.costs.vals {
		w.costs = append(w.costs, s.costs.index(v))
	}
	if !w.placeLists() {
		var own Operators // effects that the worker shared are the operators' own here
		for i, r := range p.ops.rows {
			op := p.ops.At(i)
			op.Cost = r.cost
			own.emit(&op, ^int32(len(op.Effects)))
		}
		p.ops = own
	}
	w.room.off.Store(s.share.off)
	o := &p.ops
	w.at = s.ops.mark()
	if cap(s.ops.rows)-w.at.rows < len(o.rows) || cap(s.ops.args)-w.at.args < len(o.args) || cap(s.ops.facts)-w.at.facts < len(o.facts) {
		settle()
		s.ops.rows, s.ops.args = roomFor(s.ops.rows, max(w.at.rows/4, len(o.rows))), roomFor(s.ops.args, max(w.at.args/4, len(o.args)))
		s.ops.facts = roomFor(s.ops.facts, max(w.at.facts/4, len(o.facts)))
	}
	extend(&s.ops.rows, len(o.rows), &w.rows)
	extend(&s.ops.args, len(o.args), &w.args)
	extend(&s.ops.facts, len(o.facts), &w.facts)
}

// extend makes s longer by n elements, which are those of part.
func extend[T any](s *[]T, n int, part *[]T) {
	*part = (*s)[len(*s) : len(*s)+n]
	*s = (*s)[:len(*s)+n]
}

// fill writes a piece where it was placed.
func (w *worker) fill(int) {
	o := &w.b.g.sas.ops
	copy(w.args, o.args)
	copy(w.facts, o.facts)
	for i, r := range o.rows {
		if r.list >= 0 {
			r.list = w.lists[r.list]
		}
		r.args, r.pre, r.cost = r.args.moved(w.at.args), r.pre.moved(w.at.facts), w.costs[r.cost]
		w.rows[i] = r
	}
}

// placeLists files the lists of effects of a piece, and notes in w.lists what each of them has become. It reports false
// if operators share no effects any more, and all of these lists could be their own.
func (w *worker) placeLists() bool {
	g, p := w.g, &w.b.g.sas
	s, o := &g.sas, &p.ops
	if s.share.off && len(o.effects) > 0 && !o.conditional(w.b.g) {
		return false
	}
	s.share.asked += max(0, p.share.asked-p.share.lists)
	w.lists = w.lists[:0]
	for _, effects := range o.effects {
		if k := s.share.find(s.ops.effects, effects); k >= 0 {
			w.lists = append(w.lists, k)
			continue
		}
		kept := s.effs.copy(effects)
		for k := range kept {
			kept[k].Cond = s.facts.copy(kept[k].Cond)
		}
		w.lists = append(w.lists, int32(len(s.ops.effects)))
		s.ops.addList(kept, nil)
	}
	return true
}
