package contract

import (
	"encoding/binary"
	"regexp/syntax"
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

// compile makes the automaton of the grammar's lines. names, if not "", is a pattern instead of the rule "name";
// timed adds the lines of temporal plans.
func compile(g *grammar, names string, timed bool) *automaton {
	n := &nfa{}
	instead := map[string]string{}
	if names != "" {
		instead["name"] = names
	}
	n.add(g, "blank", instead, tagBlank)
	n.add(g, "remark", instead, tagRemark)
	if timed {
		n.add(g, "timed", instead, tagTimed)
	}
	for t, form := range map[tag]string{tagPDDL: "pddl", tagCall: "call", tagWords: "words"} {
		instead["form"], _ = g.pattern(form, instead)
		n.add(g, "entry", instead, t)
	}
	return n.determine()
}

// nfa holds the programs of several patterns, one after the other.
type nfa struct {
	insts  []syntax.Inst
	tags   []tag // by instruction: the tag of a line that ends there
	starts []uint32
}

// add adds the pattern of a rule, which parseGrammar has checked.
func (n *nfa) add(g *grammar, rule string, instead map[string]string, t tag) {
	pattern, _ := g.pattern(rule, instead)
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic("contract.ebnf: " + err.Error())
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic("contract.ebnf: " + err.Error())
	}
	at := uint32(len(n.insts))
	n.starts = append(n.starts, at+uint32(prog.Start))
	for _, in := range prog.Inst {
		in.Out += at
		n.tags = append(n.tags, tagNone)
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			in.Arg += at
		case syntax.InstMatch:
			n.tags[len(n.insts)] = t
		}
		n.insts = append(n.insts, in)
	}
}

// closure returns the instructions that take a byte or end a line and are reached without a byte, sorted.
func (n *nfa) closure(todo []uint32) (out []uint32) {
	seen := map[uint32]bool{}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[k] {
			continue
		}
		seen[k] = true
		switch in := &n.insts[k]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		default:
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// determine makes the deterministic automaton.
func (n *nfa) determine() *automaton {
	a := &automaton{}
	representative := n.classes(a)
	byKey := map[string]uint16{"": 0}
	sets := [][]uint32{nil}
	enter := func(states []uint32) uint16 {
		key := make([]byte, 0, 4*len(states))
		for _, s := range states {
			key = binary.LittleEndian.AppendUint32(key, s)
		}
		id, ok := byKey[string(key)]
		if !ok {
			id = uint16(len(sets))
			byKey[string(key)] = id
			sets = append(sets, states)
		}
		return id
	}
	enter(n.closure(slices.Clone(n.starts)))
	a.next, a.tags = make([]uint16, a.width), []tag{tagNone}
	for id := start; id < len(sets); id++ {
		t := tagNone
		for _, s := range sets[id] {
			t = max(t, n.tags[s])
		}
		a.tags = append(a.tags, t)
		for _, c := range representative {
			var to []uint32
			for _, s := range sets[id] {
				if n.insts[s].MatchRune(rune(c)) {
					to = append(to, n.insts[s].Out)
				}
			}
			a.next = append(a.next, enter(n.closure(to)))
		}
	}
	return a
}

// classes sorts the bytes into classes that no instruction tells apart, and returns one byte of each.
func (n *nfa) classes(a *automaton) (representative []byte) {
	byKey := map[string]uint8{}
	for c := range 256 {
		key := make([]byte, len(n.insts))
		for k := range n.insts {
			if n.insts[k].MatchRune(rune(c)) {
				key[k] = 1
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
