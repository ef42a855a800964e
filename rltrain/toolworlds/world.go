// Package toolworlds makes tasks of tools and scores answers to them:
//
//	size, seed ─► world (kinds of objects, functions) ─► PDDL task, functions, constraints ─► cheapest plan ─► row
//	row + answer ─► domains/tools (execute), domains/constraints (judge) ─► verdict ─► reward
//
// A world has kinds of objects, each found by way of another kind, whose objects go from state to state by calls. Each
// change has functions of several costs, so that a constraint rules out one plan and leaves another.
package toolworlds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
)

// Size says how large a world is.
type Size struct {
	Kinds   int // of objects
	Objects int // of each kind
	States  int // that an object goes through after its first, at most
	Ways    int // functions for a change, at most
	Goals   int // objects that are to reach their last state
	// Constraints on the plan, at most: fewer where no other leaves a plan.
	Constraints int
	Extras      int // functions that no plan needs
}

// DefaultSize has plans of some ten calls.
var DefaultSize = Size{Kinds: 4, Objects: 3, States: 2, Ways: 3, Goals: 2, Constraints: 2, Extras: 2}

// ParseSize reads "kinds=5 goals=3 ..." into a size.
func ParseSize(params map[string]int) (Size, error) {
	s := DefaultSize
	fields := map[string]*int{
		"kinds": &s.Kinds, "objects": &s.Objects, "states": &s.States, "ways": &s.Ways, "goals": &s.Goals,
		"constraints": &s.Constraints, "extras": &s.Extras,
	}
	for name, n := range params {
		into, ok := fields[name]
		if !ok {
			return s, fmt.Errorf("tools has no parameter %q: it has kinds, objects, states, ways, goals, constraints, extras", name)
		}
		*into = n
	}
	return s, s.check()
}

func (s *Size) check() error {
	for _, f := range []struct {
		name          string
		n, least, top int
	}{
		{"kinds", s.Kinds, 1, len(nouns)}, {"objects", s.Objects, 1, 200}, {"states", s.States, 1, 4}, {"ways", s.Ways, 1, 3},
		{"goals", s.Goals, 1, 100}, {"constraints", s.Constraints, 0, 10}, {"extras", s.Extras, 0, len(extras)},
	} {
		if f.n < f.least || f.n > f.top {
			return fmt.Errorf("%s=%d is not from %d to %d", f.name, f.n, f.least, f.top)
		}
	}
	if s.Goals > s.Objects*s.Kinds {
		return fmt.Errorf("goals=%d: there are only %d objects", s.Goals, s.Objects*s.Kinds)
	}
	return nil
}

// nouns are the kinds of objects, participles their states and the functions that bring them about.
var (
	nouns = []string{
		"Customer", "Order", "Invoice", "Parcel", "Warehouse", "Contract", "Document", "Project", "Ticket", "Meeting", "Device", "Account",
		"Claim", "Policy", "Patient", "Appointment", "Course", "Exam", "Flight", "Seat", "Hotel", "Room", "Vehicle", "Repair",
	}
	participles = []string{
		"verified", "reserved", "signed", "approved", "paid", "sent", "archived", "assigned", "registered", "released", "printed", "translated",
	}
	verbs = []string{
		"verify", "reserve", "sign", "approve", "pay", "send", "archive", "assign", "register", "release", "print", "translate",
	}
	extras   = []string{"Clock.now", "Weather.today", "Calculator.add", "News.latest", "Translator.detect", "Map.distance"}
	channels = []string{"mail", "phone", "app", "desk"}
)

// kind is a kind of objects. Its objects are found by one of the parent's, or all at once if there is none.
type kind struct {
	parent int   // -1 for none
	of     []int // the parent's object, by object
	states []int // participles, in their order
	needs  bool  // changes need the parent's object in its last state
	cost   int   // of finding
}

// Ways of a change.
const (
	plain   = iota // one object
	through        // one object, by a channel with a fee
	bulk           // all found objects of one parent in the state before
)

// function changes objects of a kind from a state (0 is new) to the next.
type function struct {
	kind, state, way, cost int
	channels               []int // allowed
}

// draft is a world before it is written.
type draft struct {
	Size
	names     []int // nouns of the kinds
	kinds     []kind
	functions []function
	fees      []int
	external  []bool   // channels
	goals     [][2]int // kind and object
	extras    []int
}

func newDraft(s Size, seed uint64) *draft {
	r := seeded.Rand(seed, "tools")
	d := &draft{Size: s, names: r.Perm(len(nouns))[:s.Kinds]}
	for range channels {
		d.fees = append(d.fees, r.IntN(4))
		d.external = append(d.external, r.IntN(2) == 0)
	}
	d.external[0], d.external[1] = true, false // there is something to choose
	for k := range s.Kinds {
		d.kind(k, r)
	}
	var objects [][2]int
	for k := range s.Kinds {
		for o := range s.Objects {
			objects = append(objects, [2]int{k, o})
		}
	}
	// Goals about the last kinds need the most calls.
	slices.Reverse(objects)
	deep := objects[:max(s.Goals, min(len(objects), s.Objects*2))]
	for _, i := range r.Perm(len(deep))[:s.Goals] {
		d.goals = append(d.goals, deep[i])
	}
	d.extras = r.Perm(len(extras))[:s.Extras]
	return d
}

func (d *draft) kind(k int, r *rand.Rand) {
	c := kind{parent: -1, cost: 1 + r.IntN(3)}
	if k > 0 {
		c.parent, c.needs = max(k-1-r.IntN(2), 0), r.IntN(2) == 0
	}
	for range d.Objects {
		c.of = append(c.of, r.IntN(d.Objects))
	}
	c.states = r.Perm(len(participles))[:1+r.IntN(d.States)]
	for s := range c.states {
		for w, way := range r.Perm(3)[:1+r.IntN(d.Ways)] {
			f := function{kind: k, state: s, way: way, cost: 1 + r.IntN(5)}
			switch {
			case way == bulk && k == 0 && w == 0:
				f.way = plain
			case way == bulk && k == 0:
				continue
			}
			if f.way == bulk {
				f.cost += d.Objects
			}
			if f.way == through {
				f.channels = r.Perm(len(channels))[:2+r.IntN(2)]
				slices.Sort(f.channels)
			}
			if !slices.ContainsFunc(d.functions, func(g function) bool { return g.kind == k && g.state == s && g.way == f.way }) {
				d.functions = append(d.functions, f)
			}
		}
	}
	d.kinds = append(d.kinds, c)
}

// naming gives a world its words. The plain one numbers everything, so that worlds which differ only in words are the
// same text.
type naming struct {
	d     *draft
	plain bool
}

func (n naming) kind(k int) string {
	if n.plain {
		return fmt.Sprintf("K%d", k)
	}
	return nouns[n.d.names[k]]
}

func (n naming) typ(k int) string { return strings.ToLower(n.kind(k)) }

// object is what a call names an object; atom is its name in the task.
func (n naming) object(k, o int) string { return fmt.Sprintf("%s %d", n.kind(k), o+1) }

func (n naming) atom(k, o int) string { return fmt.Sprintf("%s-%d", n.typ(k), o+1) }

func (n naming) state(k, s int) string {
	switch {
	case s == 0:
		return "new"
	case n.plain:
		return fmt.Sprintf("s%d", s)
	}
	return participles[n.d.kinds[k].states[s-1]]
}

func (n naming) fact(k, s int) string { return n.typ(k) + "-" + n.state(k, s) }

// call is the name of a function that changes objects, find that of the one that finds them.
func (n naming) call(f *function) string {
	verb := fmt.Sprintf("a%d", f.state)
	if !n.plain {
		verb = verbs[n.d.kinds[f.kind].states[f.state]]
	}
	return n.kind(f.kind) + "." + verb + [...]string{"", "_by", "_all"}[f.way]
}

func (n naming) find(k int) string {
	if n.d.kinds[k].parent < 0 {
		return n.kind(k) + ".list"
	}
	return n.kind(k) + ".find"
}

// action is the action of a function.
func action(call string) string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(strings.ToLower(call))
}
