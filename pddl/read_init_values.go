package pddl

import "slices"

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
		return t.values.Func[i] == f && slices.Equal(t.values.Args[t.values.Start[i]:t.values.Start[i+1]], t.args)
	})
	if found {
		if t.values.Value[i].Equal(v) {
			t.warnDuplicate(pos, t.values.Pos[i])
		} else {
			line, _ := t.src.LineCol(t.values.Pos[i])
			t.errorf(ContradictoryInit, pos, pos+1, "a different value from the one on line %d", line)
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
			t.errorf(ContradictoryInit, open, open+1, "a different value from the one on line %d", line)
		}
		return
	}
	if t.objFluents == nil {
		t.objFluents = map[string]int{}
	}
	t.objFluents[key] = len(t.init.Objects)
	t.init.Objects = append(t.init.Objects, ObjectFluentInit{id, append([]ObjectID(nil), t.args...), ObjectID(v), Pos(open)})
}
