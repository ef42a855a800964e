package sat

import (
	"context"
	"errors"
)

// Status is the answer of Solve.
type Status int

// Answers.
const (
	Unknown Status = iota // stopped
	Satisfiable
	Unsatisfiable
)

// ErrMemory is the error of Solve when the clauses need more than Solver.MaxBytes.
var ErrMemory = errors.New("the clauses need more memory than allowed")

// lit is 2*variable for a literal that is not negated, 2*variable+1 for its negation.
type lit int32

func toLit(n int) lit {
	if n < 0 {
		return lit(-2*n + 1)
	}
	return lit(2 * n)
}

func (l lit) not() lit { return l ^ 1 }
func (l lit) v() int32 { return int32(l >> 1) }

func (l lit) int() int {
	if l&1 != 0 {
		return -int(l >> 1)
	}
	return int(l >> 1)
}

// Values of literals.
const (
	open int8 = 0
	yes  int8 = 1
	no   int8 = -1
)

// watch is a clause in the list of a literal that it waits for. blocker is another literal of
// the clause: if it holds, the clause need not be looked at.
type watch struct {
	clause  ref
	blocker lit
}

// Solver holds a formula. It is for one goroutine.
type Solver struct {
	// Proof, if set before the first Add, is called with every clause that is learned, or deleted if gone is
	// true. Together with the clauses that were added they are a DRAT proof. lits is only
	// valid during the call.
	Proof func(lits []int, gone bool)
	// MaxBytes bounds the memory of clauses; 0 is 4 GB.
	MaxBytes int64
	// Limit, if positive, is the number of Conflicts at which Solve stops with Unknown.
	Limit int64
	// Conflicts counts dead ends so far.
	Conflicts int64

	db       clauses
	original []ref
	learned  []ref
	watches  [][]watch // by literal
	value    []int8    // by literal
	level    []int32   // by variable
	reason   []ref     // by variable
	phase    []bool    // by variable: negated when last assigned
	trail    []lit
	limits   []int // length of the trail when each level began
	head     int   // of the trail: before it everything is propagated
	order    order
	step     float64 // activity that a variable gains
	broken   bool    // no solution
	model    []bool

	seen             []int8 // by variable, for learning
	toClear          []int32
	learning, lemma  []lit
	stack            []lit
	levels           []int64 // by level: when it was last counted
	count            int64
	text             []int
	restarts         restarts
	reduceAt, reduce int64
}

// New returns a solver without clauses.
func New() *Solver {
	s := &Solver{step: 1, reduceAt: 2000, reduce: 2000}
	s.db.data = append(s.db.data, 0) // reference 0 is none
	s.NewVar()                       // variable 0 is none
	return s
}

// NewVar adds a variable and returns its number.
func (s *Solver) NewVar() int {
	v := len(s.level)
	s.watches = append(s.watches, nil, nil)
	s.value = append(s.value, open, open)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, 0)
	s.phase = append(s.phase, true)
	s.seen = append(s.seen, 0)
	s.levels = append(s.levels, 0)
	s.order.grow()
	if v > 0 {
		s.order.push(int32(v))
	}
	return v
}

// Vars is the number of variables.
func (s *Solver) Vars() int { return len(s.level) - 1 }

// Add adds a clause. Its variables must exist. It must not hold a literal twice.
func (s *Solver) Add(lits ...int) {
	s.backtrack(0)
	if s.broken {
		return
	}
	c := s.learning[:0]
	for _, n := range lits {
		l := toLit(n)
		switch s.value[l] {
		case yes:
			return
		case open:
			c = append(c, l)
		}
	}
	s.learning = c
	if len(c) < len(lits) {
		s.note(c, false)
	}
	switch len(c) {
	case 0:
		s.broken = true
	case 1:
		s.assign(c[0], 0)
		if s.propagate() != 0 {
			s.refuted()
		}
	default:
		s.original = append(s.original, s.attach(c, 0))
	}
}

// refuted notes that there is no solution.
func (s *Solver) refuted() {
	s.broken = true
	s.note(nil, false)
}

// note writes a line of the proof.
func (s *Solver) note(c []lit, gone bool) {
	if s.Proof == nil {
		return
	}
	s.text = s.text[:0]
	for _, l := range c {
		s.text = append(s.text, l.int())
	}
	s.Proof(s.text, gone)
}

// attach stores a clause of at least two literals and watches its first two.
func (s *Solver) attach(c []lit, lbd int32) ref {
	r := s.db.add(c, lbd)
	s.watches[c[0].not()] = append(s.watches[c[0].not()], watch{r, c[1]})
	s.watches[c[1].not()] = append(s.watches[c[1].not()], watch{r, c[0]})
	return r
}

// Value returns the value of a variable in the solution that the last Solve has found.
func (s *Solver) Value(v int) bool { return s.model[v] }

// Phase sets the value that is tried first for a variable.
func (s *Solver) Phase(v int, value bool) { s.phase[v] = !value }

// assign makes a literal true.
func (s *Solver) assign(l lit, why ref) {
	s.value[l], s.value[l.not()] = yes, no
	s.level[l.v()], s.reason[l.v()] = int32(len(s.limits)), why
	s.trail = append(s.trail, l)
}

// backtrack takes assignments back until only those up to a level are left.
func (s *Solver) backtrack(level int) {
	if len(s.limits) <= level {
		return
	}
	end := s.limits[level]
	for i := len(s.trail) - 1; i >= end; i-- {
		l := s.trail[i]
		s.value[l], s.value[l.not()] = open, open
		s.phase[l.v()] = l&1 != 0
		s.order.push(l.v())
	}
	s.trail, s.limits, s.head = s.trail[:end], s.limits[:level], end
}

// propagate assigns all literals that the clauses force, and returns a clause that is
// violated, 0 if none is.
func (s *Solver) propagate() ref {
	for s.head < len(s.trail) {
		p := s.trail[s.head]
		s.head++
		list := s.watches[p]
		kept := list[:0]
		for i := 0; i < len(list); i++ {
			w := list[i]
			if s.value[w.blocker] == yes {
				kept = append(kept, w)
				continue
			}
			c := s.db.lits(w.clause)
			if c[0] == p.not() {
				c[0], c[1] = c[1], c[0]
			}
			w.blocker = c[0]
			if s.value[c[0]] == yes || !s.moveWatch(c, w) {
				kept = append(kept, w)
			} else {
				continue
			}
			switch s.value[c[0]] {
			case no:
				kept = append(kept, list[i+1:]...)
				s.watches[p] = kept
				s.head = len(s.trail)
				return w.clause
			case open:
				s.assign(c[0], w.clause)
			}
		}
		s.watches[p] = kept
	}
	return 0
}

// moveWatch looks for a literal to watch in place of the second, which is false.
func (s *Solver) moveWatch(c []lit, w watch) bool {
	for k := 2; k < len(c); k++ {
		if s.value[c[k]] != no {
			c[1], c[k] = c[k], c[1]
			s.watches[c[1].not()] = append(s.watches[c[1].not()], w)
			return true
		}
	}
	return false
}

// Solve looks for a solution in which the assumptions hold. The error is that of ctx, or
// ErrMemory; the answer is then Unknown, as it is at Limit. Unsatisfiable with assumptions says nothing about the
// formula without them.
func (s *Solver) Solve(ctx context.Context, assumptions ...int) (Status, error) {
	s.backtrack(0)
	defer s.backtrack(0)
	if !s.broken && s.propagate() != 0 {
		s.refuted()
	}
	for work := 0; !s.broken; work++ {
		if work%256 == 0 {
			if err := s.stopped(ctx); err != nil {
				return Unknown, err
			}
		}
		if conflict := s.propagate(); conflict != 0 {
			s.Conflicts++
			if len(s.limits) == 0 {
				s.refuted()
				break
			}
			s.learn(conflict)
			if s.Limit > 0 && s.Conflicts >= s.Limit {
				return Unknown, nil
			}
			continue
		}
		if s.restarts.due() {
			s.backtrack(0)
			continue
		}
		if s.Conflicts >= s.reduceAt {
			s.reduceLearned()
		}
		switch next := s.decide(assumptions); next {
		case lost:
			return Unsatisfiable, nil
		case none:
			s.keepModel()
			return Satisfiable, nil
		case held:
			s.limits = append(s.limits, len(s.trail))
		default:
			s.limits = append(s.limits, len(s.trail))
			s.assign(next, 0)
		}
	}
	return Unsatisfiable, nil
}

func (s *Solver) stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limit := s.MaxBytes
	if limit == 0 {
		limit = 4 << 30
	}
	if 3*4*int64(len(s.db.data)) > limit { // with the watches
		return ErrMemory
	}
	return nil
}

// Answers of decide that are no literals to assume.
const (
	none lit = 0  // everything is assigned
	lost lit = -1 // an assumption is false
	held lit = -2 // the next assumption is true already
)

func (s *Solver) decide(assumptions []int) lit {
	if n := len(s.limits); n < len(assumptions) {
		l := toLit(assumptions[n])
		switch s.value[l] {
		case yes:
			return held
		case no:
			return lost
		}
		return l
	}
	for {
		v, ok := s.order.pop()
		if !ok {
			return none
		}
		if l := lit(2 * v); s.value[l] == open {
			if s.phase[v] {
				l++
			}
			return l
		}
	}
}

func (s *Solver) keepModel() {
	s.model = s.model[:0]
	for v := range s.level {
		s.model = append(s.model, s.value[2*v] == yes)
	}
}
