package pddl

// ectx says what an effect stands in.
type ectx uint8

const (
	effInstant ectx = iota // of an action, or below a time specifier
	effTimed               // of a durative action: time specifiers are demanded
	effInTimed             // below a time specifier
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
	if r.kind != tokOpen {
		if !r.bad() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected an effect, found %s", r.found())
		}
		if r.kind == tokWord || r.kind == tokVar {
			r.next()
		}
		return nil
	}
	open := r.off
	r.next()
	switch r.kind {
	case tokWord:
	case tokClose:
		r.next()
		return r.newEffect(EffectAnd, open)
	default:
		if !r.stuck() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected an operator or a predicate, found %s", r.found())
		}
		r.skipList(open)
		return nil
	}
	key := r.key()
	switch key {
	case "and":
		return r.effectAnd(open, ctx)
	case "forall":
		if ctx == effInTimed {
			r.warnf(ForallInTimedEffect, open, r.lim, "write (forall (...) (at end ...))", "'forall' inside a timed effect is no standard PDDL; it is read as if the time specifier stood inside")
		}
		return r.effectForall(open, ctx)
	case "when":
		if ctx == effInTimed {
			r.warnf(WhenInTimedEffect, open, r.lim, "write (when (at end ...) (at end ...))", "'when' inside a timed effect is no standard PDDL; its condition is read at the time of the effect")
		}
		return r.effectWhen(open, ctx)
	}
	if op, ok := assignOps[key]; ok && r.isAssignment() {
		return r.assignment(open, op, ctx)
	}
	if ctx == effTimed {
		return r.timedEffect(open, key)
	}
	if key == "not" {
		return r.deletion(open)
	}
	return r.addition(open)
}

// isAssignment reports whether the word that names an assignment operator is one:
// it is when a fluent follows, or when no predicate has this name.
func (r *reader) isAssignment() bool {
	if r.dom == nil {
		return true
	}
	if _, isPred := r.idx.predicates.lookup(r.key()); !isPred {
		return true
	}
	save := r.scanner
	r.next()
	open := r.kind == tokOpen
	r.scanner = save
	return open
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
	r.next()
	inner, ok := r.expectOpen("an atom")
	if !ok {
		r.skipList(open)
		return nil
	}
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a predicate, found %s", r.found())
		r.skipList(inner)
		r.closeList(open)
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
		r.errorf(UnexpectedToken, r.off, r.lim, "'%s' may not stand here in an effect", key)
		r.skipList(open)
		return nil
	}
	pred, args, ok := r.predicate(open, ctxPlain)
	if !ok {
		return nil
	}
	if r.dom != nil && r.dom.Predicates[pred].Derived {
		line, col := r.src.LineCol(Pos(open))
		r.errorf(DerivedInEffect, r.effectAt, name.lim, "this effect changes (%s ...) at %d:%d, a derived predicate", r.text[name.off:name.lim], line, col)
		return nil
	}
	e := r.newEffect(k, pos)
	e.Pred, e.Args = pred, args
	return e
}

// assignment reads (OP FLUENT VALUE) from its head on.
func (r *reader) assignment(open int, op AssignOp, ctx ectx) *Effect {
	opName := r.spelling()
	r.next()
	e := r.newEffect(EffectNumeric, open)
	e.Op = op
	ok := r.assigned(e, open)
	if !ok {
		return nil
	}
	if r.dom != nil && !r.dom.Functions[e.Func].Numeric {
		return r.assignObject(e, open, ctx, opName)
	}
	r.sawTime = false
	if r.kind == tokClose {
		r.errorf(WrongOperandCount, open, open+1, "'%s' takes a fluent and a value", opName)
		r.next()
		return nil
	}
	if r.stuck() {
		r.unclosed(open)
		return nil
	}
	value := r.here()
	e.Value = r.numExpr()
	if e.Value == nil && r.kind == tokClose {
		r.next()
		return nil
	}
	r.closeList(open)
	if e.Value == nil || !r.checkTimeOf(e, ctx, open, value) {
		return nil
	}
	r.numericEffectUse(e, open)
	r.checkCost(e, value)
	return e
}

// assigned reads the fluent that an assignment changes.
func (r *reader) assigned(e *Effect, open int) bool {
	if r.kind == tokWord { // a function of no parameters, without parentheses
		name := r.here()
		x := r.numWord()
		if x != nil && x.Kind == NumFluent {
			e.Func = x.Func
			return true
		}
		if x != nil {
			r.errorf(UnexpectedToken, name.off, name.lim, "expected a fluent, found %s", quote(r.text[name.off:name.lim]))
		}
		r.skipList(open)
		return false
	}
	inner, ok := r.expectOpen("a fluent")
	if !ok {
		r.skipList(open)
		return false
	}
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a function, found %s", r.found())
		r.skipList(inner)
		r.skipList(open)
		return false
	}
	if e.Func, e.Args, ok = r.fluent(inner); !ok {
		if !r.stuck() {
			r.skipList(open)
		}
		return false
	}
	return true
}

// assignObject reads the value of an assignment to an object fluent.
func (r *reader) assignObject(e *Effect, open int, ctx ectx, opName string) *Effect {
	r.use(usesObjectFluents, open)
	e.Kind = EffectAssignObject
	f := &r.dom.Functions[e.Func]
	if e.Op != OpAssign {
		r.errorf(TypeMismatch, open, open+1, "'%s' needs a numeric fluent, but %s has objects for values", opName, quote(f.Name))
		r.skipList(open)
		return nil
	}
	if ctx == effTimed {
		r.errorf(MissingTimeSpecifier, open, open+1, "an effect of a durative action needs (at start ...) or (at end ...)")
		r.skipList(open)
		return nil
	}
	if r.kind == tokClose || r.stuck() {
		r.errorf(WrongOperandCount, open, open+1, "'assign' takes a fluent and a value")
		r.closeList(open)
		return nil
	}
	if isWord(r, "undefined") {
		e.Object = UndefinedTerm
		r.next()
		r.closeList(open)
		return e
	}
	at := r.here()
	t, ok := r.term()
	if ok {
		e.Object = t
		if have := r.typeOf(t); !r.dom.typesMeet(have, f.Type) {
			r.errorf(TypeMismatch, at.off, at.lim, "%s is of type %s, but %s must be %s", quote(r.text[at.off:at.lim]), r.dom.TypeName(have), quote(f.Name), r.dom.TypeName(f.Type))
			ok = false
		}
	}
	r.closeList(open)
	if !ok {
		return nil
	}
	return e
}

// checkTimeOf checks the use of #t in a numeric effect and marks continuous ones.
func (r *reader) checkTimeOf(e *Effect, ctx ectx, open int, value span) bool {
	switch {
	case ctx != effTimed && r.sawTime:
		r.errorf(MisplacedContinuous, value.off, value.lim, "#t may only stand in an effect without a time specifier")
		return false
	case ctx == effTimed && !r.sawTime:
		r.errorf(MissingTimeSpecifier, open, open+1, "an effect of a durative action needs (at start ...) or (at end ...), or a value with #t")
		return false
	case ctx == effTimed:
		r.use(usesContinuousEffects, open)
		e.Continuous = true
		if e.Op != OpIncrease && e.Op != OpDecrease || !linearInTime(e.Value) {
			r.errorf(BadContinuousEffect, open, open+1, "a continuous effect is (increase FLUENT (* #t VALUE)) or (decrease FLUENT (* #t VALUE))")
			return false
		}
	}
	return true
}

// linearInTime reports whether e is #t, (* #t VALUE) or (* VALUE #t), where VALUE
// does not depend on #t.
func linearInTime(e *NumExpr) bool {
	if e.Kind == NumTime {
		return true
	}
	if e.Kind != NumMul || len(e.Children) != 2 {
		return false
	}
	a, b := e.Children[0], e.Children[1]
	return a.Kind == NumTime && !usesTime(b) || b.Kind == NumTime && !usesTime(a)
}

func usesTime(e *NumExpr) bool {
	if e.Kind == NumTime {
		return true
	}
	for _, c := range e.Children {
		if usesTime(c) {
			return true
		}
	}
	return false
}
