package pddl

import "github.com/planproof/planproof/internal/spell"

import "slices"

// part reads the parts of an action: KEYWORD VALUE ..., in any order. The value of
// :parameters is read first wherever it stands, since the others refer to it.
type part struct {
	keyword string
	read    func()
}

// parts reads the rest of a section as keyword-value pairs.
func (r *reader) parts(s section, params func(open int), known []part, unsupported ...string) {
	var seen []string
	preRead := false
	if r.kind != tokKeyword && r.kind != tokEOF {
		r.noKeyword(known)
	}
	if r.kind == tokKeyword && r.key() != ":parameters" {
		preRead = r.parametersAhead(params)
	}
	for r.kind == tokKeyword {
		key := r.key()
		at := r.here()
		r.torn = false
		r.next()
		if slices.Contains(seen, key) {
			r.errorf(DuplicateSection, at.off, at.lim, "a second %s", key)
			r.skipValue()
			continue
		}
		seen = append(seen, key)
		if key == ":parameters" {
			if preRead {
				r.skipValue()
			} else if open, ok := r.expectOpen("a list of parameters"); ok {
				params(open)
			} else {
				r.bareVariables()
			}
			continue
		}
		if key == ":effect" {
			r.effectAt = at.off
		}
		r.part(key, at, known, unsupported)
		if r.kind != tokKeyword && r.kind != tokEOF {
			r.errorHint(UnexpectedToken, r.off, r.lim, r.joinHint(), "expected a keyword or the end of the section, found %s", r.found())
			r.skipValue()
		}
	}
	r.leave(s)
}

func (r *reader) part(key string, at span, known []part, unsupported []string) {
	names := []string{":parameters"}
	for _, p := range known {
		if p.keyword == key {
			p.read()
			return
		}
		names = append(names, p.keyword)
	}
	for _, u := range unsupported {
		if u == key {
			r.errorf(UnsupportedSection, at.off, at.lim, "%s is not supported", key)
			r.skipValue()
			return
		}
	}
	hint := ""
	if n := spell.Nearest(key, names); n != "" {
		hint = "did you mean " + n + "?"
	}
	r.errorHint(UnknownSection, at.off, at.lim, hint, "unknown keyword %s", quote(r.text[at.off:at.lim]))
	r.skipValue()
}

// bareVariables skips a parameter list without its parentheses, which has been
// reported, and declares its variables so that their uses are no errors.
func (r *reader) bareVariables() {
	for ; !r.stuck(); r.next() {
		if r.kind == tokVar && len(r.scope) < MaxParameters {
			r.scope = append(r.scope, scopeVar{r.key(), len(r.schema.Vars)})
			r.schema.Vars = append(r.schema.Vars, Variable{Name: r.spelling(), Pos: Pos(r.off)})
		}
	}
}

// noKeyword reports and skips what stands before the first keyword.
func (r *reader) noKeyword(known []part) {
	hint := ""
	for _, p := range append([]part{{keyword: ":parameters"}}, known...) {
		if r.kind == tokWord && p.keyword == ":"+r.key() {
			hint = "did you mean " + p.keyword + "?"
		}
	}
	if !r.bad() {
		r.errorHint(UnexpectedToken, r.off, r.lim, hint, "expected a keyword such as :parameters, found %s", r.found())
	}
	r.skipValue()
}

// skipValue skips to the next keyword or the end of the section.
func (r *reader) skipValue() {
	for !r.stuck() {
		r.next()
	}
}

// parametersAhead reads the parameters from further on in the section.
func (r *reader) parametersAhead(params func(open int)) bool {
	save := r.scanner
	defer func() { r.scanner = save }()
	quiet := collector{src: r.src} // what is wrong before is reported when it is read
	r.collector = &quiet
	for r.kind != tokEOF {
		if r.kind == tokKeyword && r.key() == ":parameters" {
			r.collector = save.collector
			r.next()
			open, ok := r.expectOpen("a list of parameters")
			if ok {
				params(open)
			}
			return true
		}
		r.next()
	}
	return false
}

// actionHead reads an action's name and declares it. It reports whether the name
// is new.
func (r *reader) actionHead(sch *Schema, at int32) bool {
	r.schema, r.scope = sch, r.scope[:0]
	spelling, key, ok := r.name("action")
	if !ok {
		r.skipValue()
		return false
	}
	sch.Name, sch.Pos = spelling, Pos(r.off)
	id, fresh := r.idx.actions.insert(key)
	if !fresh && !r.bad() {
		line, _ := r.src.LineCol(r.actionPos(id))
		r.errorf(DuplicateAction, r.off, r.lim, "action %s is already declared in line %d", quote(spelling), line)
	}
	if fresh {
		r.idx.actionAt = append(r.idx.actionAt, at)
	}
	r.next()
	return fresh
}

func (r *reader) actionPos(id int32) Pos {
	if at := r.idx.actionAt[id]; at >= 0 {
		return r.dom.Actions[at].Pos
	} else {
		return r.dom.Durative[^at].Pos
	}
}

// parameters returns the reader of a parameter list.
func (r *reader) parameters(sch *Schema) func(open int) {
	return func(open int) {
		_, sch.NumParams = r.variables(open)
	}
}

// action reads (:action ...).
func (r *reader) action(s section) {
	if !r.enter(s) {
		return
	}
	a := &Action{}
	fresh := r.actionHead(&a.Schema, int32(len(r.dom.Actions)))
	if fresh {
		r.dom.Actions = append(r.dom.Actions, a)
	}
	var vars []int32
	r.parts(s, r.parameters(&a.Schema), []part{
		{":precondition", func() { a.Precondition = r.condition(ctxPreference) }},
		{":effect", func() { a.Effect = r.effect(effInstant) }},
		{":vars", func() { vars = r.actionVars(&a.Schema) }},
	}, ":expansion", ":maintain", ":only-in-expansions")
	if a.Precondition == nil {
		a.Precondition = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Effect == nil {
		a.Effect = r.newEffect(EffectAnd, int(a.Pos))
	}
	if len(vars) > 0 {
		r.use(usesExistential, s.open)
		f := r.newFormula(FormulaExists, int(a.Precondition.Pos))
		f.Bound, f.Children = vars, []*Formula{a.Precondition}
		a.Precondition = f
		if e := effectUses(a.Effect, vars); e != nil {
			r.errorf(VariableInEffectScope, int(e.Pos), int(e.Pos)+1, "an effect uses a variable of :vars, which is not supported: make it a parameter")
		}
	}
}

// actionVars reads the value of PDDL 1.2's :vars, variables that exist besides the
// parameters. As in a quantifier, the precondition asks for some value.
func (r *reader) actionVars(sch *Schema) []int32 {
	open, ok := r.expectOpen("a list of variables")
	if !ok {
		r.skipValue()
		return nil
	}
	first, n := r.variables(open)
	vars := make([]int32, n)
	for i := range vars {
		vars[i] = int32(first + i)
	}
	return vars
}

// effectUses returns the first part of e that has a variable among slots.
func effectUses(e *Effect, slots []int32) *Effect {
	in := func(ts []Term) bool {
		for _, t := range ts {
			if t.IsVar() && int32(t.Slot()) >= slots[0] && int32(t.Slot()) <= slots[len(slots)-1] {
				return true
			}
		}
		return false
	}
	var inExpr func(x *NumExpr) bool
	inExpr = func(x *NumExpr) bool {
		found := in(x.Args)
		for _, c := range x.Children {
			found = found || inExpr(c)
		}
		return found
	}
	var inFormula func(f *Formula) bool
	inFormula = func(f *Formula) bool {
		found := in(f.Args) || f.Kind == FormulaObjectEqual && in([]Term{f.Value})
		if f.Left != nil {
			found = found || inExpr(f.Left) || inExpr(f.Right)
		}
		for _, c := range f.Children {
			found = found || inFormula(c)
		}
		return found
	}
	if in(e.Args) || e.Value != nil && inExpr(e.Value) || e.Condition != nil && inFormula(e.Condition) ||
		e.Kind == EffectAssignObject && e.Object != UndefinedTerm && in([]Term{e.Object}) {
		return e
	}
	for _, c := range e.Children {
		if u := effectUses(c, slots); u != nil {
			return u
		}
	}
	return nil
}

// condition reads a precondition or durative condition; () means true.
func (r *reader) condition(ctx fctx) *Formula {
	open := r.off
	if r.kind == tokOpen && r.emptyList() {
		return r.newFormula(FormulaTrue, open)
	}
	if r.stuck() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a condition, found %s", r.found())
		return nil
	}
	return r.formula(ctx)
}

// durativeAction reads (:durative-action ...).
func (r *reader) durativeAction(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDurative, s.open)
	a := &DurativeAction{}
	fresh := r.actionHead(&a.Schema, ^int32(len(r.dom.Durative)))
	if fresh {
		r.dom.Durative = append(r.dom.Durative, a)
	}
	hasDuration := false
	r.durative = true
	r.parts(s, r.parameters(&a.Schema), []part{
		{":duration", func() { hasDuration, a.Duration = true, r.duration() }},
		{":condition", func() { a.Condition = r.condition(ctxTimed | ctxPreference) }},
		{":effect", func() { a.Effect = r.effect(effTimed) }},
	})
	r.durative = false
	if !hasDuration && !s.cut {
		r.errorf(MissingSection, int(a.Pos), int(a.Pos)+len(a.Name), "durative action %s has no :duration", quote(a.Name))
	}
	if a.Duration == nil {
		a.Duration = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Condition == nil {
		a.Condition = r.newFormula(FormulaTrue, int(a.Pos))
	}
	if a.Effect == nil {
		a.Effect = r.newEffect(EffectAnd, int(a.Pos))
	}
}

// duration reads a duration constraint; () leaves the duration free.
func (r *reader) duration() *Formula {
	if r.kind != tokOpen {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a duration constraint, found %s", r.found())
		r.skipValue()
		return nil
	}
	open := r.off
	if r.emptyList() {
		r.use(usesDurationInequalities, open)
		return r.newFormula(FormulaTrue, open)
	}
	r.next()
	if r.kind != tokWord {
		r.badDuration(open)
		return nil
	}
	switch key := r.key(); key {
	case "and":
		return r.durationAnd(open)
	case "=", "<=", ">=", "<", ">":
		return r.durationBound(open, key)
	default:
		kind, ok := r.timeSpecifier(key)
		if !ok || kind == FormulaOverAll {
			r.badDuration(open)
			return nil
		}
		f := r.newFormula(kind, open)
		c := r.duration()
		r.closeList(open)
		if c == nil {
			return nil
		}
		f.Children = r.children.keep([]*Formula{c})
		return f
	}
}

func (r *reader) badDuration(open int) {
	r.errorf(BadDuration, open, open+1, "a duration constraint is (= ?duration VALUE), (<= ...), (>= ...) or a conjunction of these")
	r.skipList(open)
}

func (r *reader) durationAnd(open int) *Formula {
	r.next()
	base := len(r.kidStack)
	ok := true
	for r.kind != tokClose && !r.stuck() {
		if r.kind != tokOpen {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a duration constraint, found %s", r.found())
			r.next()
			ok = false
			continue
		}
		if c := r.duration(); c != nil {
			r.kidStack = append(r.kidStack, c)
		} else {
			ok = false
		}
	}
	r.closeList(open)
	f := r.newFormula(FormulaAnd, open)
	f.Children = r.children.keep(r.kidStack[base:])
	r.kidStack = r.kidStack[:base]
	if !ok {
		return nil
	}
	if len(f.Children) == 0 {
		f.Kind = FormulaTrue
	}
	return f
}

func (r *reader) durationBound(open int, key string) *Formula {
	f := r.newFormula(FormulaCompare, open)
	switch key {
	case "<=":
		f.Cmp = CompareLessEqual
	case ">=":
		f.Cmp = CompareGreaterEqual
	case "<":
		f.Cmp = CompareLess
	case ">":
		f.Cmp = CompareGreater
	}
	if key != "=" {
		r.use(usesDurationInequalities, open)
	}
	r.next()
	base := len(r.numStack)
	defer func() { r.numStack = r.numStack[:base] }()
	if !r.numOperands(open) {
		return nil
	}
	got := r.numStack[base:]
	if len(got) != 2 || got[0].Kind != NumDuration {
		r.errorf(BadDuration, open, open+1, "a duration constraint is (%s ?duration VALUE)", key)
		return nil
	}
	f.Left, f.Right = got[0], got[1]
	return f
}

// derived reads (:derived (PREDICATE PARAMETERS) BODY).
func (r *reader) derived(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDerived, s.open)
	ax := &Axiom{}
	r.schema, r.scope = &ax.Schema, r.scope[:0]
	open, ok := r.expectOpen("a derived predicate with its parameters")
	if !ok {
		return
	}
	name := r.here()
	ok = r.kind == tokWord && !r.bad()
	var id int32
	if ok {
		if id, ok = r.idx.predicates.lookup(r.key()); !ok {
			r.undeclared(UndeclaredPredicate, "predicate", &r.idx.predicates)
		}
		r.next()
	} else if !r.bad() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a predicate, found %s", r.found())
	}
	_, ax.NumParams = r.variables(open)
	if ok {
		ok = r.axiomHead(ax, PredicateID(id), name)
	}
	ax.Body = r.condition(ctxPlain)
	r.leave(s)
	r.addAxiom(ax, ok)
}

// axiomHead checks the head of a rule against the declaration of its predicate.
// A parameter declared wider than in the predicate takes the predicate's type.
func (r *reader) axiomHead(ax *Axiom, id PredicateID, name span) bool {
	p := &r.dom.Predicates[id]
	ax.Name, ax.Pos, ax.Pred = r.text[name.off:name.lim], Pos(name.off), id
	if len(p.Params) != ax.NumParams {
		r.errorf(WrongArity, name.off, name.lim, "%s takes %s, found %d", quote(p.Name), count(len(p.Params), "argument"), ax.NumParams)
		return false
	}
	ok := true
	for i := range p.Params {
		v := &ax.Vars[i]
		switch {
		case r.dom.IsSubtype(v.Type, p.Params[i].Type):
		case r.dom.IsSubtype(p.Params[i].Type, v.Type):
			v.Type = p.Params[i].Type
		default:
			r.errorf(TypeMismatch, int(v.Pos), int(v.Pos)+len(v.Name), "%s is of type %s, but argument %d of %s must be %s",
				quote(v.Name), r.dom.TypeName(v.Type), i+1, quote(p.Name), r.dom.TypeName(p.Params[i].Type))
			ok = false
		}
	}
	return ok
}

func (r *reader) addAxiom(ax *Axiom, ok bool) {
	if ok && ax.Body != nil {
		r.dom.Axioms = append(r.dom.Axioms, ax)
	} else if ok {
		r.derivedPreds = append(r.derivedPreds, ax.Pred)
	}
}

// markDerived marks the predicates that rules define.
func (r *reader) markDerived() {
	for _, ax := range r.dom.Axioms {
		r.dom.Predicates[ax.Pred].Derived = true
	}
	for _, p := range r.derivedPreds {
		r.dom.Predicates[p].Derived = true
	}
}

// axiom reads PDDL 1.2's (:axiom :vars (...) :context F :implies (P ...)). Every
// argument of the implied atom must be a different variable.
func (r *reader) axiom(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDerived, s.open)
	ax := &Axiom{}
	r.schema, r.scope = &ax.Schema, r.scope[:0]
	var head *Formula
	r.axiomVars(ax)
	r.parts(s, func(open int) { r.variables(open) }, []part{
		{":vars", r.skipValue},
		{":context", func() { ax.Body = r.condition(ctxPlain) }},
		{":implies", func() { head = r.formula(ctxPlain) }},
	})
	if head == nil {
		return
	}
	if ax.Body == nil {
		ax.Body = r.newFormula(FormulaTrue, s.open)
	}
	if head.Kind != FormulaAtom || !r.orderSlots(ax, head) {
		r.errorf(UnsupportedConstruct, int(head.Pos), int(head.Pos)+1, "an axiom must imply a predicate of distinct variables")
		return
	}
	name := span{int(head.Pos) + 1, int(head.Pos) + 1 + len(r.dom.Predicates[head.Pred].Name)}
	r.addAxiom(ax, r.axiomHead(ax, head.Pred, name))
}

// axiomVars reads the value of :vars wherever it stands in the axiom.
func (r *reader) axiomVars(ax *Axiom) {
	save := r.scanner
	for r.kind != tokEOF {
		if r.kind == tokKeyword && r.key() == ":vars" {
			r.next()
			if open, ok := r.expectOpen("a list of variables"); ok {
				_, ax.NumParams = r.variables(open)
			}
			break
		}
		r.next()
	}
	r.scanner = save
}
