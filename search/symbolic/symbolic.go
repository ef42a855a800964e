package symbolic

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// Outcome is how a search ended.
type Outcome int

// Outcomes.
const (
	Running    Outcome = iota
	Solved             // Plan is optimal
	Exhausted          // no plan is cheaper than the bound: no plan at all if there is none
	Full               // memory came first
	LayersOut          // the limit on layers came first
	Overflowed         // as Exhausted, but paths of more than 63 bits of cost were left out
	Refused            // Reason says why
)

// Options of a search.
type Options struct {
	Memory   int64 // bytes, 0 for no limit
	Layers   int64 // of both sides, 0 for no limit
	Backward bool  // search from the goal, too
}

// Search is one symbolic search. It is used by one goroutine at a time, and must be closed.
type Search struct {
	sys *state.System
	opt Options
	*arrangement
	rivals []*arrangement // all that are alive, the present one included

	bound uint64 // plans must be cheaper
	lower uint64 // no plan that is not known is cheaper

	outcome Outcome
	Reason  string // of Refused
	// Plan is that of Solved, and the best plan known, if there is one, of Full and LayersOut.
	Plan []grounder.OperatorID
	Cost int64

	settled       bool // end with what is known
	extracting    bool
	alwaysCollect bool  // for tests
	onlyBackward  bool  // for tests
	relationNodes int   // nodes of a relation that is made by merging two
	firstRound    int64 // steps of each arrangement in the first round of the contest
	tick          int64 // steps between two looks at the end of the slice

	extra   int64 // work besides the diagrams'
	allowed int64 // work of the diagrams at which an attempt ends
	until   int64 // work at which the slice ends
	yield   func(struct{}) bool
	resume  func() (struct{}, bool)
	stop    func()
}

// tick is the default of Search.tick.
const tick = 1 << 12

// unitsPerStep converts steps of diagrams to units of work of other searches, so that both
// take about the same time.
const unitsPerStep = 64

var (
	errAllowance = errors.New("an attempt has taken its allowance")
	errStopped   = errors.New("the search is closed")
)

// New returns a search that has not begun.
func New(sys *state.System, opt Options) *Search {
	s := &Search{sys: sys, opt: opt, bound: infinite, allowed: math.MaxInt64}
	s.firstRound, s.tick, s.relationNodes = firstRound, tick, maxRelationNodes
	s.enter(s.newArrangement(0, opt.Memory))
	return s
}

// Run goes on until Work has risen by the given number of units or a little more, and reports
// whether the search has ended.
func (s *Search) Run(units int64) bool {
	if s.outcome != Running {
		return true
	}
	if s.resume == nil {
		s.resume, s.stop = iter.Pull(s.main)
	}
	s.until = s.Work() + units
	if _, more := s.resume(); more {
		return false
	}
	return true
}

// Close ends the coroutine. A search that is not closed keeps its memory for good.
func (s *Search) Close() {
	if s.stop != nil {
		s.stop()
	}
}

// Work returns the work done so far, in the units of all searches.
func (s *Search) Work() int64 {
	steps := int64(0)
	for _, a := range s.rivals {
		steps += a.m.Work()
	}
	return steps*unitsPerStep + s.extra
}

// Bytes returns the memory held.
func (s *Search) Bytes() (bytes int64) {
	for _, a := range s.rivals {
		bytes += a.m.Bytes()
	}
	return bytes
}

// Outcome returns how the search has ended.
func (s *Search) Outcome() Outcome { return s.outcome }

// SetBound tells the search that there is a plan of the given cost.
func (s *Search) SetBound(cost int64) { s.bound = min(s.bound, uint64(cost)) }

// SetLower tells the search that no plan is cheaper than the given cost.
func (s *Search) SetLower(cost int64) { s.lower = max(s.lower, uint64(cost)) }

// Upper returns the cost of the best plan known so far, false if none is.
func (s *Search) Upper() (int64, bool) {
	return int64(min(s.best.cost, math.MaxInt64)), s.best.state != nil
}

// Settle has the search end at its next steps with the best plan known as Plan, which need not
// be optimal.
func (s *Search) Settle() { s.settled = true }

// Lower returns a cost that no plan is below.
func (s *Search) Lower() int64 { return int64(min(s.lower, math.MaxInt64)) }

// Layers returns the layers that the two sides have finished.
func (s *Search) Layers() (forward, backward int64) { return s.forward.finished, s.backward.finished }

// Nodes returns the nodes in use.
func (s *Search) Nodes() int64 { return int64(s.m.Used()) }

// limit is the cost that plans must be below to be of interest.
func (s *Search) limit() uint64 { return min(s.best.cost, s.bound) }

// main is the coroutine. Whatever it calls pauses in pause.
func (s *Search) main(yield func(struct{}) bool) {
	defer func() {
		if r := recover(); r != nil && r != errStopped {
			panic(r)
		}
	}()
	s.yield = yield
	s.m.OnTick(s.tick, s.pause)
	s.arrange()
	for s.outcome == Running {
		s.step()
		_ = s.attempt(math.MaxInt64, s.pause) // which Settle may end
	}
}

// pause gives control back if the slice has ended, and ends an attempt that has taken too long.
func (s *Search) pause() {
	if s.m.Work() >= s.allowed || s.settled && !s.extracting {
		panic(errAllowance)
	}
	if s.Work() >= s.until && !s.yield(struct{}{}) {
		panic(errStopped)
	}
}

// attempt calls f, which may take so many steps, and returns the reason if it is given up.
func (s *Search) attempt(steps int64, f func()) (err error) {
	old := s.allowed
	s.allowed = min(old, more(s.m.Work(), steps))
	defer func() {
		s.allowed = old
		switch r := recover(); {
		case r == nil:
		case r == bdd.ErrFull, r == errAllowance && s.m.Work() < old:
			err = r.(error)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// more is work + steps, where steps may be MaxInt64.
func more(work, steps int64) int64 { return work + min(steps, math.MaxInt64-work) }

func (s *Search) refuse(format string, args ...any) {
	s.outcome, s.Reason = Refused, "symbolic search does not support "+fmt.Sprintf(format, args...)
}

// minAllowance is the least number of steps that an attempt is allowed.
const minAllowance = 1 << 18

// step goes on with the side that promises less work, or ends the search.
func (s *Search) step() {
	if s.ended() {
		return
	}
	if s.opt.Layers > 0 && s.forward.finished+s.backward.finished >= s.opt.Layers {
		s.giveUp(LayersOut)
		return
	}
	d := s.choose()
	if d == nil {
		s.giveUp(Full)
		return
	}
	allowance := int64(math.MaxInt64)
	if o := s.other(d); !o.blocked {
		allowance = max(minAllowance, 2*s.promise(o))
	}
	before := s.m.Work()
	err := s.attempt(allowance, func() { s.advance(d) })
	if d.busy {
		d.spent += s.m.Work() - before
	}
	switch err {
	case nil:
		d.failed = false
	case bdd.ErrFull:
		d.blocked = d.failed
		d.failed = true
		s.collect()
	default:
		d.promise = max(s.promise(d), 4*s.promise(s.other(d)), 4*minAllowance)
	}
	s.collectIfWorthwhile()
}

// ended updates the lower bound and reports whether that ends the search.
func (s *Search) ended() bool {
	f, b := s.forward.least(), s.backward.least()
	exhausted := f == infinite || b == infinite
	if exhausted {
		s.lower = max(s.lower, s.limit())
	} else {
		s.lower = max(s.lower, min(plus(plus(f, b), s.cheapest), s.limit()))
	}
	if s.lower < s.limit() && !s.settled {
		return false
	}
	switch {
	case s.best.state != nil && s.best.cost <= s.bound:
		s.extracting = true
		end := Solved // the plan may take several slices
		if s.attempt(math.MaxInt64, s.extract) != nil {
			s.collect()
			if s.attempt(math.MaxInt64, s.extract) != nil {
				end = Full
			}
		}
		s.outcome = end
	case s.limit() == infinite && !exhausted:
		return false
	case s.overflow:
		s.outcome = Overflowed
	default:
		s.outcome = Exhausted
	}
	return true
}

// giveUp ends the search at a limit, with the best plan known.
func (s *Search) giveUp(o Outcome) {
	if s.best.state != nil {
		s.collect()
		if s.attempt(math.MaxInt64, s.extract) != nil {
			s.Plan = nil
		}
	}
	s.outcome = o
}

// choose returns the side to go on with, nil if none can.
func (s *Search) choose() *side {
	f, b := s.forward, s.backward
	switch {
	case f.blocked && b.blocked:
		return nil
	case f.blocked:
		return b
	case b.blocked || s.promise(f) <= s.promise(b):
		return f
	}
	return b
}

// promise is the expected work that is left of a side's layer in progress: none if it has not
// begun, so that both sides know the size of their next layer.
func (s *Search) promise(d *side) int64 {
	if d.spent > d.promise {
		d.promise = 2 * d.spent
	}
	return max(d.promise-d.spent, d.promise/8)
}

// collectIfWorthwhile frees nodes when many are likely to be free. All that is needed must be
// in the fields of the search.
func (s *Search) collectIfWorthwhile() {
	if s.m.Worthwhile() || s.alwaysCollect {
		s.collect()
	}
}

func (s *Search) collect() {
	roots := append([]bdd.Node(nil), s.constraints...)
	roots = append(append(roots, s.e.derived...), s.e.bodies...)
	for _, c := range s.classes {
		for _, r := range c.relations {
			roots = append(roots, r.node, r.cube)
		}
	}
	for _, d := range []*side{s.forward, s.backward} {
		roots = append(roots, d.closed, d.frontier, d.grown)
		for _, b := range d.open {
			roots = append(roots, b.states)
		}
		for _, l := range d.layers {
			roots = append(append(roots, l.steps...), l.all)
		}
	}
	s.m.Collect(roots)
}
