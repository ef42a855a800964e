package space

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/search/state"

	"github.com/planproof/planproof/grounder"
)

// State is a packed state of one task: the form in which tables store states. It is
// read-only and comparable by content, not by ==.
type State []uint64

// Errors of Simulator.Apply.
var (
	ErrUnknownAction = errors.New("no such ground action")
	ErrInapplicable  = errors.New("the action is not applicable")
)

// Simulator executes ground actions by name on the states of a task. Its methods are
// safe for concurrent use.
type Simulator struct {
	sys    *state.System
	byName map[string][]grounder.OperatorID
	nameOf []int32 // by operator: operators of equal name share a number
	names  int
	// byNumber lists the operators of each number; nil if no two share a name.
	byNumber [][]grounder.OperatorID
	scratch  sync.Pool
}

// NewSimulator compiles a task.
func NewSimulator(t *grounder.Task) (*Simulator, error) {
	if err := state.CheckTask(t); err != nil {
		return nil, err
	}
	s := &Simulator{sys: state.NewSystem(t), byName: map[string][]grounder.OperatorID{}, nameOf: make([]int32, t.Operators.Len())}
	for o := range t.Operators.Len() {
		key := canonicalName(t.OperatorName(grounder.OperatorID(o)))
		same := s.byName[key]
		if len(same) == 0 {
			s.nameOf[o] = int32(s.names)
			s.names++
		} else {
			s.nameOf[o] = s.nameOf[same[0]]
		}
		s.byName[key] = append(same, grounder.OperatorID(o))
	}
	if s.names < t.Operators.Len() {
		s.byNumber = make([][]grounder.OperatorID, s.names)
		for o := range t.Operators.Len() {
			s.byNumber[s.nameOf[o]] = append(s.byNumber[s.nameOf[o]], grounder.OperatorID(o))
		}
	}
	s.scratch.New = func() any { return s.sys.NewScratch() }
	return s, nil
}

// canonicalName lower-cases a plan step and puts single blanks between its words:
// "( Stack A  b )" is "(stack a b)". It is "" for what has not both parentheses.
func canonicalName(step string) string {
	if isCanonical(step) {
		return step
	}
	step = strings.TrimSpace(step)
	if len(step) < 2 || step[0] != '(' || step[len(step)-1] != ')' {
		return ""
	}
	step = step[1 : len(step)-1]
	return "(" + strings.ToLower(strings.Join(strings.Fields(step), " ")) + ")"
}

// isCanonical recognises most canonical names without allocating.
func isCanonical(step string) bool {
	n := len(step)
	if n < 3 || step[0] != '(' || step[n-1] != ')' || step[1] == ' ' || step[n-2] == ' ' {
		return false
	}
	for i := 1; i < n-1; i++ {
		switch c := step[i]; {
		case c == ' ' && step[i-1] == ' ', c < ' ', c >= 'A' && c <= 'Z', c > '~', c == '(', c == ')':
			return false
		}
	}
	return true
}

// Task returns the task.
func (s *Simulator) Task() *grounder.Task { return s.sys.Task }

// Initial returns the initial state.
func (s *Simulator) Initial() State { return s.sys.Initial() }

// Pack returns the packed form of a state given by one value per variable and, in a numeric
// task, two entries per fluent, as [state.Initial] returns it; values of derived variables are
// ignored.
func (s *Simulator) Pack(values []int32) (State, error) {
	if len(values) != state.Unpacked(s.sys.Task) {
		return nil, fmt.Errorf("a state of %d values for %d variables", len(values), len(s.sys.Task.Variables))
	}
	for v, x := range values[:len(s.sys.Task.Variables)] {
		if s.sys.Packer.Stored(int32(v)) && (x < 0 || int(x) >= s.sys.Task.Variables[v].Size()) {
			return nil, fmt.Errorf("variable %d has no value %d", v, x)
		}
	}
	row := make(State, s.sys.Packer.Words())
	s.sys.Packer.Pack(row, values)
	return row, nil
}

// Values returns the value of every variable in a state, derived ones included, and the fluents as
// in Pack.
func (s *Simulator) Values(st State) []int32 {
	x := s.scratch.Get().(*state.Scratch)
	defer s.scratch.Put(x)
	s.sys.Unpack(st, x)
	return append([]int32(nil), x.Values...)
}

// IsGoal reports whether the goal holds in a state.
func (s *Simulator) IsGoal(st State) bool {
	x := s.scratch.Get().(*state.Scratch)
	defer s.scratch.Put(x)
	s.sys.Unpack(st, x)
	return s.sys.IsGoal(st, x)
}

// Applicable appends to ops the operators that are applicable in a state, in the order
// of their ids; of several of one name only the first. It allocates nothing else once it
// has been called a few times.
func (s *Simulator) Applicable(st State, ops []grounder.OperatorID) []grounder.OperatorID {
	x := s.scratch.Get().(*state.Scratch)
	defer s.scratch.Put(x)
	s.sys.Unpack(st, x)
	list := s.sys.Applicable(x)
	slices.Sort(list)
	from := len(ops)
	for _, op := range list {
		if s.byNumber != nil && slices.ContainsFunc(s.sameName(op), func(o grounder.OperatorID) bool {
			_, before := slices.BinarySearch(ops[from:], o)
			return before
		}) {
			continue
		}
		ops = append(ops, op)
	}
	return ops
}

// sameName lists the operators that are called like op and come before it.
func (s *Simulator) sameName(op grounder.OperatorID) []grounder.OperatorID {
	same := s.byNumber[s.nameOf[op]]
	i, _ := slices.BinarySearch(same, op)
	return same[:i]
}

// Apply executes a step such as "(stack a b)" and returns the successor and the cost. Of
// several ground operators of that name (a disjunctive precondition gives one for each
// disjunct) the cheapest applicable one counts, the first among equals. Errors wrap
// ErrUnknownAction or ErrInapplicable.
func (s *Simulator) Apply(st State, step string) (State, int64, error) {
	ops, ok := s.byName[canonicalName(step)]
	if !ok {
		return nil, 0, fmt.Errorf("%s: %w", step, ErrUnknownAction)
	}
	x := s.scratch.Get().(*state.Scratch)
	defer s.scratch.Put(x)
	s.sys.Unpack(st, x)
	best, bestCost := grounder.OperatorID(-1), int64(0)
	for _, op := range ops {
		if !s.sys.Applier.Applicable(x.Values, op) {
			continue
		}
		c, ok := s.sys.Applier.Cost(x.Values, op)
		if !ok {
			return nil, 0, s.costBeyond(op)
		}
		if best < 0 || c < bestCost {
			best, bestCost = op, c
		}
	}
	if best < 0 {
		return nil, 0, fmt.Errorf("%s: %w", step, ErrInapplicable)
	}
	next := make(State, s.sys.Packer.Words())
	s.sys.Applier.Apply(next, st, x.Values, best)
	return next, bestCost, nil
}

// Replay executes the steps of a plan and returns the last state and the total cost. On
// an error done is the number of steps executed before it.
func (s *Simulator) Replay(steps []string) (last State, cost int64, done int, err error) {
	last = s.Initial()
	for i, step := range steps {
		next, c, err := s.Apply(last, step)
		if err != nil {
			return last, cost, i, err
		}
		if cost+c < 0 {
			return last, cost, i, fmt.Errorf("%s: the path's cost exceeds 63 bits", step)
		}
		last, cost = next, cost+c
	}
	return last, cost, len(steps), nil
}
