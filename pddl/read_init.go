package pddl

import (
	"strings"
	"sync/atomic"
)

func newTypeLists(n int) []atomic.Pointer[[]ObjectID] { return make([]atomic.Pointer[[]ObjectID], n) }

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
	told := map[Pos]bool{} // atoms after their negation
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
		t.errorf(ContradictoryInit, pos, pos+1, "this literal contradicts (:timeless ...) of the domain")
		return
	}
	line, _ := t.src.LineCol(earlier)
	t.errorf(ContradictoryInit, pos, pos+1, "this literal contradicts the one in line %d", line)
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
			t.errorHint(AndInInit, t.off, t.lim, "list the facts without (and ...)", "'and' may not stand in :init")
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

// notFact reports the current word, which heads an element but is no predicate.
func (t *initReader) notFact() {
	switch key := t.key(); key {
	case "not", "and", "or", "imply", "forall", "exists", "when", "oneof", "unknown", "assign", "increase", "decrease":
		t.errorf(BadInitElement, t.off, t.lim, "'%s' may not stand in :init", key)
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

// badArg reports and skips a token that is no known object.
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
		t.errorf(NestedObjectFluent, open, t.lim, "an object fluent nested as a term is not supported")
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

// dropDuplicates removes atoms that stand before in the table. It runs over the
// whole table at the end and in batches: first the slots of a batch are touched, so
// that their cache misses overlap, then its atoms are looked up. One look-up at a
// time would spend a fifth of the reading on waiting for memory.
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

// moveAtom moves atom from down to index to, where the table ends so far.
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

// sameAs warns of a second occurrence. A fact of the domain's (:timeless ...), which
// has no place here, may be repeated.
func (t *initReader) sameAs(pos, earlier Pos) {
	if earlier != 0 && pos != 0 {
		t.warnDuplicate(int(pos), earlier)
	}
}

func (t *initReader) warnDuplicate(pos int, earlier Pos) {
	if len(t.collector.list) >= MaxDiagnostics/2 {
		t.dropped++ // spare the work of finding the line
		return
	}
	line, _ := t.src.LineCol(earlier)
	t.add(Warning, DuplicateInit, pos, pos+1, "", "the same as in line "+itoa(line))
}

func (t *initReader) isAtom(i uint32, pred PredicateID, args []ObjectID) bool {
	return t.atoms.Pred[i] == pred && sameObjects(t.atoms.Args[t.atoms.Start[i]:t.atoms.Start[i+1]], args)
}

func sameObjects(a, b []ObjectID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// findAtom returns the index of the atom of pred and t.args, or -1.
func (t *initReader) findAtom(pred PredicateID) int {
	i, ok := t.seenAtoms.find(hashTuple(uint32(pred), t.args), func(i uint32) bool { return t.isAtom(i, pred, t.args) })
	if !ok {
		return -1
	}
	return int(i)
}

// negative reads (not ATOM), which says what is so anyway; it must not contradict
// a fact.
func (t *initReader) negative(open int) {
	t.next()
	inner, ok := t.expectOpen("an atom")
	if !ok {
		t.skipList(open)
		return
	}
	if t.kind != tokWord {
		t.errorf(UnexpectedToken, t.off, t.lim, "expected a predicate, found %s", t.found())
		t.skipList(inner)
		t.closeList(open)
		return
	}
	if t.key() == "=" {
		t.errorf(BadInitElement, t.off, t.lim, "'=' may not be negated in :init")
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

// value reads (= FLUENT VALUE) from its head on.
func (t *initReader) value(open int) {
	t.next()
	if t.dom == nil {
		t.skipList(open)
		return
	}
	id, at, ok := t.initFluent(open)
	if !ok {
		return
	}
	if f := &t.dom.Functions[id]; !f.Numeric {
		t.objectValue(open, id, f)
		return
	}
	v, ok := t.number()
	t.closeList(open)
	if ok {
		t.addValue(id, v, open)
	}
	_ = at
}

// initFluent reads the fluent of an initial value into t.args. After an error it
// has skipped the whole list.
func (t *initReader) initFluent(open int) (FunctionID, span, bool) {
	inner, bare := t.off, t.kind == tokWord
	if !bare {
		if t.kind != tokOpen {
			t.errorf(UnexpectedToken, t.off, t.lim, "expected a fluent, found %s", t.found())
			t.skipList(open)
			return 0, span{}, false
		}
		t.next()
	}
	name := t.here()
	if t.kind != tokWord {
		t.errorf(UnexpectedToken, t.off, t.lim, "expected a function, found %s", t.found())
		t.skipList(inner)
		t.skipList(open)
		return 0, name, false
	}
	id, ok := t.idx.functions.lookup(t.key())
	if !ok && bare && looksNumeric(t.spelling()) {
		t.errorHint(UnexpectedToken, t.off, t.lim, "an initial value is (= FLUENT NUMBER)", "expected a fluent, found %s", t.found())
		t.skipList(open)
		return 0, name, false
	}
	if !ok {
		t.undeclared(UndeclaredFunction, "function", &t.idx.functions)
		if !bare {
			t.skipList(inner)
		}
		t.skipList(open)
		return 0, name, false
	}
	params := t.dom.Functions[id].Params
	if !bare {
		if !t.groundArgs(inner, name, params) {
			t.skipList(open)
			return 0, name, false
		}
		return FunctionID(id), name, true
	}
	t.next()
	t.args = t.args[:0]
	if len(params) > 0 {
		t.errorf(WrongArity, name.off, name.lim, "%s takes %s, found 0", quote(t.text[name.off:name.lim]), count(len(params), "argument"))
		t.skipList(open)
		return 0, name, false
	}
	return FunctionID(id), name, true
}

func (t *initReader) addValue(f FunctionID, v Number, pos int) {
	h := hashTuple(uint32(f), t.args)
	i, found := t.seenValues.find(h, func(i uint32) bool {
		return t.values.Func[i] == f && sameObjects(t.values.Args[t.values.Start[i]:t.values.Start[i+1]], t.args)
	})
	if found {
		if t.values.Value[i].Equal(v) {
			t.warnDuplicate(pos, t.values.Pos[i])
		} else {
			line, _ := t.src.LineCol(t.values.Pos[i])
			t.errorf(ContradictoryInit, pos, pos+1, "another value than in line %d", line)
		}
		return
	}
	t.seenValues.add(h, uint32(t.values.Len()), func(i uint32) uint64 {
		f, a, _ := t.values.Fluent(int(i))
		return hashTuple(uint32(f), a)
	})
	t.values.Func = append(t.values.Func, f)
	t.values.Pos = append(t.values.Pos, Pos(pos))
	t.values.Value = append(t.values.Value, v)
	t.values.Args = append(t.values.Args, t.args...)
	t.values.Start = append(t.values.Start, uint32(len(t.values.Args)))
}

// objectValue reads the value of an object fluent.
func (t *initReader) objectValue(open int, id FunctionID, f *Function) {
	t.use(usesObjectFluents, open)
	at := t.here()
	if t.kind != tokWord {
		t.errorf(UnexpectedToken, t.off, t.lim, "expected an object, found %s", t.found())
		t.skipList(open)
		return
	}
	if isWord(t.reader, "undefined") {
		t.next()
		t.closeList(open)
		return
	}
	v, ok := t.objects.lookup(t.key())
	if !ok {
		t.undeclared(UndeclaredObject, "object", t.objects)
		t.skipList(open)
		return
	}
	t.next()
	t.closeList(open)
	if have := t.objs[v].Type; !t.dom.IsSubtype(have, f.Type) {
		t.errorf(TypeMismatch, at.off, at.lim, "%s is of type %s, but %s must be %s", quote(t.text[at.off:at.lim]), t.dom.TypeName(have), quote(f.Name), t.dom.TypeName(f.Type))
		return
	}
	key := string(tupleKey(uint32(id), t.args))
	if i, dup := t.objFluents[key]; dup {
		if t.init.Objects[i].Value == ObjectID(v) {
			t.warnDuplicate(open, t.init.Objects[i].Pos)
		} else {
			line, _ := t.src.LineCol(t.init.Objects[i].Pos)
			t.errorf(ContradictoryInit, open, open+1, "another value than in line %d", line)
		}
		return
	}
	if t.objFluents == nil {
		t.objFluents = map[string]int{}
	}
	t.objFluents[key] = len(t.init.Objects)
	t.init.Objects = append(t.init.Objects, ObjectFluentInit{id, append([]ObjectID(nil), t.args...), ObjectID(v), Pos(open)})
}

// timed reads (at TIME LITERAL) or (at TIME (= FLUENT VALUE)), if the current word
// `at` begins one: a predicate may have the same name, and objects may be numbers.
func (t *initReader) timed(open int) bool {
	save := t.scanner
	t.next()
	if t.kind == tokWord && looksNumeric(t.spelling()) {
		at := t.here()
		w := t.spelling()
		t.next()
		if t.kind == tokOpen {
			v, ok := ParseNumber(w)
			switch {
			case !ok:
				t.errorf(BadNumber, at.off, at.lim, "%s is not a number that can be read exactly", quote(w))
			case v.Sign() < 0:
				t.errorf(NegativeTime, at.off, at.lim, "a timed literal at a negative time")
			}
			t.timedLiteral(open, v)
			return true
		}
	}
	t.scanner = save
	return false
}

func (t *initReader) timedLiteral(open int, at Number) {
	x := TimedInit{Time: at, Func: -1, Pos: Pos(open)}
	inner := t.off
	t.next()
	switch {
	case isWord(t.reader, "="):
		t.timedValue(open, inner, x)
		return
	case isWord(t.reader, "not"):
		x.Negated = true
		t.next()
		atom, ok := t.expectOpen("an atom")
		if !ok {
			t.skipList(inner)
			t.closeList(open)
			return
		}
		ok = t.timedAtom(atom, &x)
		t.closeList(inner)
		t.closeList(open)
		if ok {
			t.addTimed(x)
		}
		return
	}
	ok := t.timedAtom(inner, &x)
	t.closeList(open)
	if ok {
		t.addTimed(x)
	}
}

func (t *initReader) addTimed(x TimedInit) {
	t.use(usesTimedLiterals, int(x.Pos))
	t.init.Timed = append(t.init.Timed, x)
}

func (t *initReader) timedAtom(open int, x *TimedInit) (ok bool) {
	if t.kind != tokWord {
		t.errorf(UnexpectedToken, t.off, t.lim, "expected a predicate, found %s", t.found())
		t.skipList(open)
		return false
	}
	x.Pred, ok = t.fact(open)
	x.Args = append([]ObjectID(nil), t.args...)
	return ok
}

func (t *initReader) timedValue(open, inner int, x TimedInit) {
	t.use(usesTimedFluents, open)
	t.next()
	if t.dom == nil {
		t.skipList(inner)
		t.closeList(open)
		return
	}
	id, name, ok := t.initFluent(inner)
	if !ok {
		t.closeList(open)
		return
	}
	if !t.dom.Functions[id].Numeric {
		t.errorf(UnsupportedConstruct, name.off, name.lim, "timed values of object fluents are not supported")
		t.skipList(inner)
		t.closeList(open)
		return
	}
	x.Func, x.Args = id, append([]ObjectID(nil), t.args...)
	x.Value, ok = t.number()
	t.closeList(inner)
	t.closeList(open)
	if ok {
		t.init.Timed = append(t.init.Timed, x)
	}
}
