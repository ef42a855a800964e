package pddl

import (
	"slices"
	"strings"
)

// initReader reads the elements of (:init ...) straight into flat tables: a file
// of 100 MB holds millions of facts.
type initReader struct {
	*reader
	atoms  AtomTable
	values ValueTable
	init   Init

	seenAtoms  tupleSet // filled by finish
	touched    uint8    // keeps the loads of touch alive
	seenValues tupleSet
	args       []ObjectID
	negated    []negAtom // (not ...) literals, compared with the atoms at the end
	objFluents map[string]int
	cutShort   bool // the section is not closed: a parenthesis is missing somewhere
}

type negAtom struct {
	pred PredicateID
	args []ObjectID
	pos  int
}

// newInitReader makes room for about the given numbers of atoms and values.
func newInitReader(r *reader, atoms, values int) *initReader {
	t := &initReader{reader: r}
	t.atoms.Start = make([]uint32, 1, atoms+1)
	t.atoms.Pred = make([]PredicateID, 0, atoms)
	t.atoms.Pos = make([]Pos, 0, atoms)
	t.atoms.Args = make([]ObjectID, 0, atoms*2)
	t.values.Start = make([]uint32, 1, values+1)
	t.values.Func = make([]FunctionID, 0, values)
	t.values.Pos = make([]Pos, 0, values)
	t.values.Value = make([]Number, 0, values)
	t.values.Args = make([]ObjectID, 0, values)
	t.seenValues.room(values)
	return t
}

// emptyInit is the initial state of a problem without (:init ...).
func (r *reader) emptyInit() Init {
	t := newInitReader(r, 0, 0)
	t.addTimeless()
	return t.finish()
}

func (r *reader) initSection(s section) Init {
	body := r.text[s.start:s.end]
	opens, equals := strings.Count(body, "("), strings.Count(body, "=")
	t := newInitReader(r, max(opens-2*equals, 0)+1, min(equals, opens))
	t.addTimeless()
	t.cutShort = !s.closed
	if r.enter(s) {
		for r.kind != tokEOF && r.kind != tokKeyword {
			t.element()
		}
		r.leave(s)
	}
	return t.finish()
}

// addTimeless begins the state with the facts of the domain's (:timeless ...).
func (t *initReader) addTimeless() {
	if t.dom == nil {
		return
	}
	for i := range t.idx.timeless.Len() {
		pred, args := t.idx.timeless.Atom(i)
		t.args = append(t.args[:0], args...)
		t.addAtom(pred, 0)
	}
}

func (t *initReader) finish() Init {
	t.dropDuplicates()
	t.checkTimed()
	told := map[Pos]bool{} // atoms reported after their negation
	for _, n := range t.negated {
		t.args = append(t.args[:0], n.args...)
		i := t.findAtom(n.pred)
		if i < 0 {
			continue
		}
		atom := t.atoms.Pos[i]
		if int(atom) < n.pos {
			t.contradiction(n.pos, atom)
		} else if !told[atom] {
			told[atom] = true
			t.contradiction(int(atom), Pos(n.pos))
		}
	}
	t.init.Atoms, t.init.Values = t.atoms, t.values
	return t.init
}

func (t *initReader) contradiction(pos int, earlier Pos) {
	if earlier == 0 {
		t.errorf(ContradictoryInit, pos, pos+1, "this literal contradicts the domain's (:timeless ...)")
		return
	}
	line, _ := t.src.LineCol(earlier)
	t.errorf(ContradictoryInit, pos, pos+1, "this literal contradicts the one on line %d", line)
}

// element reads one element of the initial state.
func (t *initReader) element() {
	if t.kind != tokOpen {
		if !t.bad() && !t.torn {
			t.errorf(UnexpectedToken, t.off, t.lim, "expected a fact in parentheses, found %s", t.found())
		}
		t.next()
		return
	}
	open := t.off
	t.next()
	if t.kind != tokWord {
		if !t.stuck() {
			t.errorf(BadInitElement, open, t.lim, "expected a predicate, found %s", t.found())
		}
		t.skipList(open)
		return
	}
	switch t.spelling()[0] {
	case '=':
		if t.lim == t.off+1 {
			t.value(open)
			return
		}
	case 'n', 'N':
		if t.key() == "not" {
			t.negative(open)
			return
		}
	case 'a', 'A':
		switch t.key() {
		case "and":
			t.errorHint(AndInInit, t.off, t.lim, "list the facts without (and ...)", "'and' is not allowed in :init")
			t.skipList(open)
			return
		case "at":
			if t.timed(open) {
				return
			}
		}
	}
	if pred, ok := t.fact(open); ok {
		t.addAtom(pred, open)
	}
}

// fact reads a ground atom, from its predicate on, into t.args.
func (t *initReader) fact(open int) (PredicateID, bool) {
	if t.dom == nil {
		t.skipList(open)
		return 0, false
	}
	name := t.here()
	id, ok := t.idx.predicates.lookup(t.key())
	if !ok {
		t.notFact()
		t.skipList(open)
		return 0, false
	}
	p := &t.dom.Predicates[id]
	if p.Derived {
		t.errorf(DerivedInInit, name.off, name.lim, "%s is a derived predicate and cannot be set in :init", quote(p.Name))
		t.skipList(open)
		return 0, false
	}
	return PredicateID(id), t.groundArgs(open, name, p.Params)
}

// notFact reports the current word, which heads an element but is not a predicate.
func (t *initReader) notFact() {
	switch key := t.key(); key {
	case "not", "and", "or", "imply", "forall", "exists", "when", "oneof", "unknown", "assign", "increase", "decrease":
		t.errorf(BadInitElement, t.off, t.lim, "'%s' is not allowed in :init", key)
	default:
		t.undeclared(UndeclaredPredicate, "predicate", &t.idx.predicates)
	}
}

// groundArgs reads objects up to the closing parenthesis into t.args and checks
// their number and types.
func (t *initReader) groundArgs(open int, name span, params []Variable) bool {
	t.args = t.args[:0]
	t.next()
	ok := true
	for t.kind != tokClose {
		if t.kind == tokWord && !t.bad() {
			if id, found := t.objects.lookup(t.key()); found {
				if n := len(t.args); n < len(params) {
					if want, have := params[n].Type, t.objs[id].Type; have != want && want != RootType {
						ok = t.checkType(Term(id), want, t.off, t.lim, name, n) && ok
					}
				}
				t.args = append(t.args, ObjectID(id))
				t.next()
				continue
			}
		}
		if t.stuck() || t.kind == tokOpen && t.cutShort && !t.torn {
			t.unclosed(open)
			return false
		}
		t.badArg()
		ok = false
		t.args = append(t.args, 0)
	}
	t.next()
	if len(t.args) != len(params) {
		t.errorf(WrongArity, name.off, name.lim, "%s takes %s, found %d", quote(t.text[name.off:name.lim]), count(len(params), "argument"), len(t.args))
		return false
	}
	return ok
}

// badArg reports and skips a token that is not a known object.
func (t *initReader) badArg() {
	switch t.kind {
	case tokWord:
		t.undeclared(UndeclaredObject, "object", t.objects)
		t.next()
	case tokVar:
		if !t.bad() {
			t.errorf(UnexpectedToken, t.off, t.lim, "variable %s in :init", quote(t.spelling()))
		}
		t.next()
	default:
		open := t.off
		t.next()
		t.errorf(NestedObjectFluent, open, t.lim, "an object fluent is not supported as a term in :init")
		t.skipList(open)
	}
}

// addAtom adds the atom of pred and t.args.
func (t *initReader) addAtom(pred PredicateID, pos int) {
	t.atoms.Pred = append(t.atoms.Pred, pred)
	t.atoms.Pos = append(t.atoms.Pos, Pos(pos))
	t.atoms.Args = append(t.atoms.Args, t.args...)
	t.atoms.Start = append(t.atoms.Start, uint32(len(t.atoms.Args)))
}

// dropDuplicates removes atoms that occur earlier in the table. It runs over the whole
// table at the end, in batches: first the slots of a batch are touched, so that their
// cache misses overlap, then its atoms are looked up. Looking up one at a time would
// spend a fifth of the reading time waiting for memory.
func (t *initReader) dropDuplicates() {
	const batch = 32
	var hashes [batch]uint64
	n := t.atoms.Len()
	t.seenAtoms.room(n)
	kept, touched := 0, uint8(0)
	for from := 0; from < n; from += batch {
		m := min(batch, n-from)
		for k := range m {
			pred, args := t.atoms.Atom(from + k)
			hashes[k] = hashTuple(uint32(pred), args)
			touched ^= t.seenAtoms.touch(hashes[k])
		}
		for k := range m {
			pred, args := t.atoms.Atom(from + k)
			if i, found := t.seenAtoms.find(hashes[k], func(i uint32) bool { return t.isAtom(i, pred, args) }); found {
				t.sameAs(t.atoms.Pos[from+k], t.atoms.Pos[i])
				continue
			}
			t.moveAtom(from+k, kept)
			t.seenAtoms.place(hashes[k], uint32(kept))
			kept++
		}
	}
	t.touched = touched
	t.atoms.Pred, t.atoms.Pos, t.atoms.Start = t.atoms.Pred[:kept], t.atoms.Pos[:kept], t.atoms.Start[:kept+1]
	t.atoms.Args = t.atoms.Args[:t.atoms.Start[kept]]
}

// moveAtom moves the atom at index from down to index to, the current end of the table.
func (t *initReader) moveAtom(from, to int) {
	if from == to {
		return
	}
	a := &t.atoms
	args := a.Args[a.Start[from]:a.Start[from+1]]
	a.Pred[to], a.Pos[to] = a.Pred[from], a.Pos[from]
	a.Start[to+1] = a.Start[to] + uint32(len(args))
	copy(a.Args[a.Start[to]:], args)
}

// sameAs warns of a second occurrence. A fact of the domain's (:timeless ...), which has
// no position in this file, may be repeated.
func (t *initReader) sameAs(pos, earlier Pos) {
	if earlier != 0 && pos != 0 {
		t.warnDuplicate(int(pos), earlier)
	}
}

func (t *initReader) warnDuplicate(pos int, earlier Pos) {
	if len(t.collector.list) >= MaxDiagnostics/2 {
		t.dropped++ // saves the work of finding the line
		return
	}
	line, _ := t.src.LineCol(earlier)
	t.add(Warning, DuplicateInit, pos, pos+1, "", "the same as on line "+itoa(line))
}

func (t *initReader) isAtom(i uint32, pred PredicateID, args []ObjectID) bool {
	return t.atoms.Pred[i] == pred && slices.Equal(t.atoms.Args[t.atoms.Start[i]:t.atoms.Start[i+1]], args)
}

// findAtom returns the index of the atom of pred and t.args, or -1.
func (t *initReader) findAtom(pred PredicateID) int {
	i, ok := t.seenAtoms.find(hashTuple(uint32(pred), t.args), func(i uint32) bool { return t.isAtom(i, pred, t.args) })
	if !ok {
		return -1
	}
	return int(i)
}

// negative reads (not ATOM), which is redundant: facts that are not listed are false.
// It must not contradict a fact.
func (t *initReader) negative(open int) {
	inner, ok := t.openNegated(open)
	if !ok {
		return
	}
	if t.key() == "=" {
		t.errorf(BadInitElement, t.off, t.lim, "'=' cannot be negated in :init")
		t.skipList(inner)
		t.closeList(open)
		return
	}
	pred, ok := t.fact(inner)
	t.closeList(open)
	if ok {
		t.negated = append(t.negated, negAtom{pred, append([]ObjectID(nil), t.args...), open})
	}
}
