package contract

import (
	"encoding/binary"
	"slices"
)

// automaton decides about a line in one pass. It is the grammar's deterministic automaton: its size does not
// depend on the line, so reading is linear.
type automaton struct {
	class [256]uint8 // bytes that no state tells apart have one class
	width int        // number of classes
	next  []uint16   // state*width + class -> state; 0 is the dead state
	tags  []tag      // by state
}

// tag says which rule a whole line follows; 0 is none.
type tag uint8

const (
	tagNone tag = iota
	tagBlank
	tagRemark
	tagPDDL
	tagCall
	tagWords
	tagTimed
)

// start is the state before the first byte.
const start = 1

// match returns the tag of a line.
func (a *automaton) match(line string) tag {
	s := uint16(start)
	for i := 0; i < len(line); i++ {
		if s = a.next[int(s)*a.width+int(a.class[line[i]])]; s == 0 {
			return tagNone
		}
	}
	return a.tags[s]
}

// nfa is an automaton of the usual construction: each state has either an edge over a set of bytes or edges
// without one.
type nfa struct {
	g      *grammar
	set    []byteSet
	to     []int32   // where set leads, -1 for none
	free   [][]int32 // edges without a byte
	accept map[int32]tag
	// instead has the rules that replace others: one form for all forms, say.
	instead map[string]*expr
}

func (n *nfa) state() int32 {
	n.set, n.to, n.free = append(n.set, byteSet{}), append(n.to, -1), append(n.free, nil)
	return int32(len(n.to) - 1)
}

// add compiles an expression from a state on and returns the state behind it.
func (n *nfa) add(e *expr, from int32) int32 {
	switch e.kind {
	case exprText:
		for i := 0; i < len(e.text); i++ {
			var s byteSet
			s.add(e.text[i])
			from = n.edge(s, from)
		}
	case exprClass:
		from = n.edge(e.class, from)
	case exprRule:
		body := n.instead[e.text]
		if body == nil {
			body = n.g.rules[e.text]
		}
		from = n.add(body, from)
	case exprSeq:
		for _, k := range e.kids {
			from = n.add(k, from)
		}
	case exprAlt:
		end := n.state()
		for _, k := range e.kids {
			n.skip(n.add(k, n.fork(from)), end)
		}
		from = end
	case exprRepeat:
		for range e.min {
			from = n.add(e.kids[0], from)
		}
		loop, end := n.state(), n.state()
		n.skip(from, loop)
		last := n.add(e.kids[0], n.fork(loop))
		n.skip(loop, end)
		if e.max < 0 {
			n.skip(last, loop)
		} else {
			n.skip(last, end)
		}
		from = end
	}
	return from
}

// edge adds an edge over a set of bytes to a new state.
func (n *nfa) edge(s byteSet, from int32) int32 {
	at, to := n.fork(from), n.state()
	n.set[at], n.to[at] = s, to
	return to
}

func (n *nfa) skip(from, to int32) { n.free[from] = append(n.free[from], to) }

// fork returns a new state that is reached from another without a byte.
func (n *nfa) fork(from int32) int32 {
	s := n.state()
	n.skip(from, s)
	return s
}

// closure adds the states that are reached without a byte, sorted.
func (n *nfa) closure(states []int32) []int32 {
	seen := map[int32]bool{}
	for todo := states; len(todo) > 0; {
		s := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[s] {
			continue
		}
		seen[s] = true
		todo = append(todo, n.free[s]...)
	}
	out := make([]int32, 0, len(seen))
	for s := range seen {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// compile makes the automaton of the grammar's lines. names, if not nil, replaces the rule "name"; timed adds
// the lines of temporal plans.
func compile(g *grammar, names *expr, timed bool) *automaton {
	n := &nfa{g: g, accept: map[int32]tag{}, instead: map[string]*expr{}}
	if names != nil {
		n.instead["name"] = names
	}
	root := n.state()
	rule := func(name string, t tag) {
		n.accept[n.add(&expr{kind: exprRule, text: name}, n.fork(root))] = t
	}
	rule("blank", tagBlank)
	rule("remark", tagRemark)
	if timed {
		rule("timed", tagTimed)
	}
	for _, form := range []struct {
		tag  tag
		rule string
	}{{tagPDDL, "pddl"}, {tagCall, "call"}, {tagWords, "words"}} {
		n.instead["form"] = &expr{kind: exprRule, text: form.rule}
		rule("entry", form.tag)
	}
	return n.determine(root)
}

// determine makes the deterministic automaton of the texts from a state to an accepting one.
func (n *nfa) determine(root int32) *automaton {
	a := &automaton{}
	representative := n.classes(a)
	byKey := map[string]uint16{"": 0}
	sets := [][]int32{nil}
	enter := func(states []int32) uint16 {
		key := make([]byte, 0, 4*len(states))
		for _, s := range states {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		id, ok := byKey[string(key)]
		if !ok {
			id = uint16(len(sets))
			byKey[string(key)] = id
			sets = append(sets, states)
		}
		return id
	}
	enter(n.closure([]int32{root}))
	a.next, a.tags = make([]uint16, a.width), []tag{tagNone}
	for id := start; id < len(sets); id++ {
		t := tagNone
		for _, s := range sets[id] {
			t = max(t, n.accept[s])
		}
		a.tags = append(a.tags, t)
		for _, c := range representative {
			var to []int32
			for _, s := range sets[id] {
				if n.to[s] >= 0 && n.set[s].has(c) {
					to = append(to, n.to[s])
				}
			}
			if to != nil {
				to = n.closure(to)
			}
			a.next = append(a.next, enter(to))
		}
	}
	return a
}

// classes sorts the bytes into classes that no edge tells apart, and returns one byte of each.
func (n *nfa) classes(a *automaton) (representative []byte) {
	byKey := map[string]uint8{}
	for c := range 256 {
		key := make([]byte, len(n.set))
		for s := range n.set {
			if n.to[s] >= 0 && n.set[s].has(byte(c)) {
				key[s] = 1
			}
		}
		k, ok := byKey[string(key)]
		if !ok {
			k = uint8(len(representative))
			byKey[string(key)] = k
			representative = append(representative, byte(c))
		}
		a.class[c] = k
	}
	a.width = len(representative)
	return representative
}
