package pddl

import "fmt"

// timed reads (at TIME LITERAL) or (at TIME (= FLUENT VALUE)) if the current word `at`
// begins one: a predicate may have the same name, and numbers may be object names.
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

// checkTimed refuses timed literals that contradict each other at one time, and drops those
// that are repeated.
func (t *initReader) checkTimed() {
	type entry struct {
		at int
		x  TimedInit
	}
	seen := map[string]entry{}
	kept := t.init.Timed[:0]
	for _, x := range t.init.Timed {
		key := fmt.Sprint(x.Time, " ", x.Pred, " ", x.Func, x.Args)
		e, again := seen[key]
		switch {
		case !again:
			seen[key] = entry{int(x.Pos), x}
			kept = append(kept, x)
		case e.x.Negated != x.Negated || !e.x.Value.Equal(x.Value):
			line, _ := t.src.LineCol(Pos(e.at))
			t.errorf(ContradictoryInit, int(x.Pos), int(x.Pos)+1, "this contradicts the one on line %d, which has the same time", line)
		default:
			t.sameAs(x.Pos, Pos(e.at))
		}
	}
	t.init.Timed = kept
}
