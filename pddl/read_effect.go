package pddl

// ectx is the context of an effect.
type ectx uint8

const (
	effInstant ectx = iota // of an action, or below a time specifier
	effTimed               // of a durative action: needs a time specifier
	effInTimed             // below a time specifier
	effProcess             // of a process: continuous only
)

var assignOps = map[string]AssignOp{
	"assign": OpAssign, "increase": OpIncrease, "decrease": OpDecrease,
	"scale-up": OpScaleUp, "scale-down": OpScaleDown,
}

func (r *reader) newEffect(k EffectKind, pos int) *Effect {
	e := r.effects.new()
	e.Kind, e.Pos = k, Pos(pos)
	return e
}

// effect reads an effect. It returns nil after an error.
func (r *reader) effect(ctx ectx) *Effect {
	open, ok := r.openForm("an effect")
	if !ok {
		return nil
	}
	switch r.kind {
	case tokWord:
	case tokClose:
		r.next()
		return r.newEffect(EffectAnd, open)
	default:
		r.noHead(open)
		return nil
	}
	key := r.key()
	switch key {
	case "and":
		return r.effectAnd(open, ctx)
	case "forall":
		if ctx == effInTimed {
			r.warnf(ForallInTimedEffect, open, r.lim, "write (forall (...) (at end ...))", "'forall' inside a timed effect is not standard PDDL; it is read as if the time specifier were inside")
		}
		return r.effectForall(open, ctx)
	case "when":
		if ctx == effInTimed {
			r.warnf(WhenInTimedEffect, open, r.lim, "write (when (at end ...) (at end ...))", "'when' inside a timed effect is not standard PDDL; its condition is read at the time of the effect")
		}
		return r.effectWhen(open, ctx)
	}
	mark := len(r.nested)
	if op, ok := assignOps[key]; ok && r.isAssignment() {
		return r.primitive(mark, r.assignment(open, op, ctx))
	}
	switch ctx {
	case effTimed:
		return r.timedEffect(open, key)
	case effProcess:
		return r.notContinuous(open)
	}
	if key == "not" {
		return r.primitive(mark, r.deletion(open))
	}
	return r.primitive(mark, r.addition(open))
}

func (r *reader) effectAnd(open int, ctx ectx) *Effect {
	r.next()
	base := len(r.effStack)
	ok := true
	for r.kind != tokClose {
		if r.stuck() {
			r.unclosed(open)
			break
		}
		if e := r.effect(ctx); e != nil {
			r.effStack = append(r.effStack, e)
		} else {
			ok = false
		}
	}
	if r.kind == tokClose {
		r.next()
	}
	e := r.newEffect(EffectAnd, open)
	e.Children = r.branches.keep(r.effStack[base:])
	r.effStack = r.effStack[:base]
	if !ok {
		return nil
	}
	return e
}

// lastEffect reads one effect and the closing parenthesis into e.
func (r *reader) lastEffect(e *Effect, open int, ctx ectx) *Effect {
	if r.stuck() {
		r.unclosed(open)
		return nil
	}
	c := r.effect(ctx)
	if c == nil && r.kind == tokClose {
		r.next()
		return nil
	}
	if r.kind == tokOpen {
		what := map[EffectKind]string{EffectWhen: "'when' takes a condition and an effect", EffectForall: "'forall' takes a list of variables and an effect"}[e.Kind]
		if what == "" {
			what = "a time specifier takes one effect"
		}
		r.errorHint(WrongOperandCount, open, open+1, "join several effects with (and ...)", "%s, found more", what)
		r.skipList(open)
		return nil
	}
	r.closeList(open)
	if c == nil {
		return nil
	}
	e.Children = r.branches.keep([]*Effect{c})
	return e
}

func (r *reader) effectForall(open int, ctx ectx) *Effect {
	r.use(usesUniversalEffects, open)
	r.next()
	bound, n, ok := r.quantifierList(open)
	if !ok {
		return nil
	}
	e := r.newEffect(EffectForall, open)
	e.Bound = bound
	e = r.lastEffect(e, open, ctx)
	r.popScope(n)
	return e
}

func (r *reader) effectWhen(open int, ctx ectx) *Effect {
	r.use(usesConditionalEffects, open)
	r.next()
	e := r.newEffect(EffectWhen, open)
	fc := ctxPlain
	if ctx == effTimed {
		fc = ctxTimed
	}
	if r.kind == tokClose {
		r.errorf(WrongOperandCount, open, open+1, "'when' takes a condition and an effect")
		r.next()
		return nil
	}
	if r.stuck() {
		r.unclosed(open)
		return nil
	}
	e.Condition = r.condition(fc)
	if r.kind == tokClose {
		if e.Condition != nil {
			r.errorf(WrongOperandCount, open, open+1, "'when' takes a condition and an effect")
		}
		r.next()
		return nil
	}
	cond := e.Condition
	if e = r.lastEffect(e, open, ctx); cond == nil {
		return nil
	}
	return e
}

func (r *reader) timedEffect(open int, key string) *Effect {
	kind, ok := r.timeSpecifier(key)
	if !ok || kind == FormulaOverAll {
		r.errorf(MissingTimeSpecifier, open, r.lim, "an effect of a durative action needs (at start ...) or (at end ...)")
		r.skipList(open)
		return nil
	}
	e := r.newEffect(EffectAtStart, open)
	if kind == FormulaAtEnd {
		e.Kind = EffectAtEnd
	}
	return r.lastEffect(e, open, effInTimed)
}

// deletion reads a not from its head on.
func (r *reader) deletion(open int) *Effect {
	inner, ok := r.openNegated(open)
	if !ok {
		return nil
	}
	e := r.effectAtom(EffectDelete, open, inner)
	r.closeList(open)
	return e
}

// addition reads an atom from its name on.
func (r *reader) addition(open int) *Effect { return r.effectAtom(EffectAdd, open, open) }

func (r *reader) effectAtom(k EffectKind, pos, open int) *Effect {
	name := r.here()
	switch key := r.key(); key {
	case "or", "imply", "exists", "not", "and", "forall", "when", "=", "<", ">", "<=", ">=":
		r.errorf(UnexpectedToken, r.off, r.lim, "'%s' is not allowed here in an effect", key)
		r.skipList(open)
		return nil
	}
	pred, args, ok := r.predicate(open, ctxPlain)
	if !ok {
		return nil
	}
	if r.dom != nil && r.dom.Predicates[pred].Derived {
		line, col := r.src.LineCol(Pos(open))
		r.errorf(DerivedInEffect, r.effectAt, name.lim, "this effect changes the derived predicate (%s ...) at %d:%d", r.text[name.off:name.lim], line, col)
		return nil
	}
	e := r.newEffect(k, pos)
	e.Pred, e.Args = pred, args
	return e
}

// checkAddDelete warns where one effect adds and deletes the same atom under the
// same circumstances: the add wins, which is seldom what was meant.
func (r *reader) checkAddDelete(e *Effect) {
	var adds, dels [3][]*Effect // at no time, at start, at end
	var gather func(e *Effect, at int)
	gather = func(e *Effect, at int) {
		switch e.Kind {
		case EffectAdd:
			adds[at] = append(adds[at], e)
		case EffectDelete:
			dels[at] = append(dels[at], e)
		case EffectAnd:
			for _, c := range e.Children {
				gather(c, at)
			}
		case EffectAtStart:
			gather(e.Children[0], 1)
		case EffectAtEnd:
			gather(e.Children[0], 2)
		case EffectWhen, EffectForall:
			r.checkAddDelete(e.Children[0])
		}
	}
	gather(e, 0)
	for at := range adds {
		r.sameAtoms(adds[at], dels[at])
	}
}

func (r *reader) sameAtoms(adds, dels []*Effect) {
	if len(adds) == 0 || len(dels) == 0 {
		return
	}
	seen := make(map[string]*Effect, len(adds))
	for _, a := range adds {
		seen[effectKey(a)] = a
	}
	for _, d := range dels {
		if a := seen[effectKey(d)]; a != nil {
			at := max(a.Pos, d.Pos)
			r.add(Warning, AddAndDelete, int(at), int(at)+1, "",
				"an effect both adds and deletes an atom of "+quote(r.dom.Predicates[a.Pred].Name)+"; the add wins")
		}
	}
}

func effectKey(e *Effect) string {
	b := make([]byte, 0, 4+4*len(e.Args))
	put := func(v int32) { b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
	put(int32(e.Pred))
	for _, t := range e.Args {
		put(int32(t))
	}
	return string(b)
}
