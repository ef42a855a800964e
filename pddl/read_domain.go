package pddl

import (
	"slices"

	"github.com/planproof/planproof/internal/spell"
)

// ParseDomain reads and checks a domain. The domain is nil if any diagnostic is
// an error. Diagnostics are sorted by position.
func ParseDomain(src *Source, opt Options) (*Domain, Diagnostics) {
	return parseDomain(&collector{src: src, strict: opt.Strict})
}

func parseDomain(c *collector) (*Domain, Diagnostics) {
	tree, sections := parseSkeleton(c, "domain")
	if tree == nil {
		return nil, c.result()
	}
	r := newReader(c)
	d := r.readDomain(tree, sections)
	ds := c.result()
	if ds.HasErrors() {
		return nil, ds
	}
	return d, ds
}

func newReader(c *collector) *reader {
	return &reader{
		scanner: scanner{collector: c, text: c.src.Text},
		usage:   &usage{src: c.src},
	}
}

// headName checks and returns the name in the head of a file, which the skeleton's
// grammar has read.
func (r *reader) headName(tree *fileTree, what string) (string, Pos) {
	off := tree.Name.Pos.Offset
	r.pos, r.end = off, off+len(tree.Name.Value)
	r.next()
	if r.kind == tokWord {
		r.name(what)
	}
	if r.kind != tokWord || r.lim != r.end {
		r.errorf(UnexpectedToken, off, r.end, "expected the name of the %s, found %s", what, quote(r.text[off:r.end]))
	}
	return r.text[off:r.end], Pos(off)
}

func (r *reader) readDomain(tree *fileTree, sections []section) *Domain {
	d := &Domain{Source: r.src, index: &domainIndex{totalCost: -1, either: map[string]TypeID{}}}
	r.dom, r.idx = d, d.index
	r.objects, r.prefs = &r.idx.objects, &r.idx.preferences
	d.Name, d.NamePos = r.headName(tree, "domain")
	r.newType("object", Type{Name: "object", Pos: d.NamePos})

	by := r.place(sections, true)
	for _, s := range by[secRequirements] {
		d.Requirements = r.requirements(s)
	}
	for _, s := range by[secTypes] {
		r.typesSection(s)
	}
	r.finishTypes()
	for _, s := range by[secConstants] {
		r.objectsSection(s)
	}
	d.Constants = r.objs
	for _, s := range by[secPredicates] {
		r.predicatesSection(s)
	}
	for _, s := range by[secFunctions] {
		r.functionsSection(s)
	}
	for _, s := range by[secTimeless] {
		r.timelessSection(s)
	}
	for _, s := range by[secDerived] {
		r.derived(s)
	}
	for _, s := range by[secAxiom] {
		r.axiom(s)
	}
	r.markDerived()
	r.actions(by[secAction], by[secDurative])
	for _, s := range by[secProcess] {
		r.process(s)
	}
	for _, s := range by[secEvent] {
		r.event(s)
	}
	for _, s := range by[secConstraints] {
		d.Constraints = r.constraintsSection(s)
	}
	r.finishDomain()
	return d
}

// actions reads both kinds of actions in the order of the text, so that of two with
// one name the later is reported.
func (r *reader) actions(instant, durative []section) {
	for len(instant)+len(durative) > 0 {
		if len(durative) == 0 || len(instant) > 0 && instant[0].open < durative[0].open {
			r.action(instant[0])
			instant = instant[1:]
		} else {
			r.durativeAction(durative[0])
			durative = durative[1:]
		}
	}
}

func (r *reader) finishDomain() {
	r.idx.closure = closure(r.dom.Requirements)
	r.checkRequirements(r.idx.closure)
	r.idx.features = r.usage.list()
	r.checkAxioms()
	r.idx.written = make([]bool, len(r.dom.Functions))
	for _, a := range slices.Concat(r.dom.Actions, r.dom.Processes, r.dom.Events) {
		r.markWritten(a.Effect)
		r.checkAddDelete(a.Effect)
	}
	for _, a := range r.dom.Durative {
		r.markWritten(a.Effect)
		r.checkAddDelete(a.Effect)
	}
}

func (r *reader) markWritten(e *Effect) {
	if e.Kind == EffectNumeric {
		r.idx.written[e.Func] = true
	}
	for _, c := range e.Children {
		r.markWritten(c)
	}
}

// requirements reads (:requirements :a :b ...).
func (r *reader) requirements(s section) []string {
	var out []string
	if !r.enter(s) {
		return out
	}
	for r.kind == tokKeyword {
		key := r.key()
		if _, known := implied[key]; !known && !r.bad() {
			hint := ""
			if n := spell.Nearest(key, requirementNames); n != "" {
				hint = "did you mean " + n + "?"
			}
			r.warnf(UnknownRequirement, r.off, r.lim, hint, "unknown requirement %s", quote(r.spelling()))
		}
		out = append(out, key)
		r.next()
	}
	r.leave(s)
	return out
}

// objectsSection reads (:constants ...) or (:objects ...) into r.objs.
func (r *reader) objectsSection(s section) {
	if !r.enter(s) {
		return
	}
	first := len(r.objs)
	r.typedList(s.open, true, func() bool {
		spelling, key, ok := r.name("object")
		if !ok {
			r.skipOne()
			return false
		}
		if r.dom == nil {
			r.next()
			return true
		}
		if id, fresh := r.objects.insert(key); !fresh && !r.bad() {
			r.duplicateObject(int(id))
			r.next()
			return false
		} else if !fresh {
			r.next()
			return false
		}
		r.objs = append(r.objs, Object{Name: spelling, Pos: Pos(r.off)})
		r.next()
		return true
	}, func(from, to int, t TypeID) {
		if r.dom == nil {
			return
		}
		for i := from; i < to; i++ {
			r.objs[first+i].Type = t
		}
	})
	r.leave(s)
}

func (r *reader) duplicateObject(id int) {
	if r.src != r.dom.Source && id < len(r.dom.Constants) {
		r.errorf(DuplicateObject, r.off, r.lim, "object %s is already a constant of the domain", quote(r.spelling()))
		return
	}
	line, _ := r.src.LineCol(r.objs[id].Pos)
	r.errorf(DuplicateObject, r.off, r.lim, "object %s is already declared on line %d", quote(r.spelling()), line)
}

// skipOne skips one token, or a whole list.
func (r *reader) skipOne() {
	open := r.off
	switch {
	case r.stuck():
	case r.kind == tokOpen:
		r.next()
		r.skipList(open)
	default:
		r.next()
	}
}

// declaration reads (NAME PARAMETERS) of a predicate or function.
func (r *reader) declaration(what string) (spelling, key string, at span, params []Variable, ok bool) {
	open, ok := r.expectOpen("a " + what + " in parentheses")
	if !ok {
		r.skipOne()
		return
	}
	at = r.here()
	spelling, key, ok = r.name(what)
	if !ok {
		r.skipList(open)
		return
	}
	ok = !r.bad()
	r.next()
	var schema Schema
	r.schema = &schema
	r.declaring = true
	_, n := r.variables(open)
	r.declaring = false
	r.popScope(n)
	return spelling, key, at, schema.Vars, ok
}

// predicatesSection reads (:predicates ...).
func (r *reader) predicatesSection(s section) {
	if !r.enter(s) {
		return
	}
	for r.kind != tokEOF {
		if r.kind == tokKeyword {
			break
		}
		spelling, key, at, params, ok := r.declaration("predicate")
		if !ok {
			continue
		}
		if key == "=" {
			r.warnf(ReservedName, at.off, at.lim, "", "'=' is built in and needs no declaration")
			continue
		}
		if isOperator(key) {
			r.errorf(ReservedName, at.off, at.lim, "%s is an operator and cannot name a predicate", quote(spelling))
			continue
		}
		if id, fresh := r.idx.predicates.insert(key); !fresh {
			line, _ := r.src.LineCol(r.dom.Predicates[id].Pos)
			r.errorf(DuplicatePredicate, at.off, at.lim, "predicate %s is already declared on line %d", quote(spelling), line)
			continue
		}
		r.dom.Predicates = append(r.dom.Predicates, Predicate{Name: spelling, Pos: Pos(at.off), Params: params})
	}
	r.leave(s)
}

// timelessSection reads the ground atoms of (:timeless ...), which hold in every
// problem of the domain.
func (r *reader) timelessSection(s section) {
	if !r.enter(s) {
		return
	}
	t := newInitReader(r, 0, 0)
	for r.kind != tokEOF && r.kind != tokKeyword {
		t.element()
	}
	r.leave(s)
	r.idx.timeless = t.finish().Atoms
}

// constraintsSection reads (:constraints ...).
func (r *reader) constraintsSection(s section) *GoalSchema {
	if !r.enter(s) {
		return nil
	}
	r.use(usesConstraints, s.open)
	g := &GoalSchema{Schema: Schema{Name: "constraints", Pos: Pos(s.keywordAt())}}
	r.schema, r.scope = &g.Schema, r.scope[:0]
	if r.kind == tokEOF {
		r.errorHint(EmptyCondition, s.open, s.start, "write (:constraints (and))", "an empty :constraints section")
		return nil
	}
	if r.kind == tokOpen && r.emptyList() {
		g.Formula = r.newFormula(FormulaTrue, s.open)
	} else {
		g.Formula = r.formula(ctxConstraint | ctxPreference)
	}
	r.leave(s)
	if g.Formula == nil {
		return nil
	}
	return g
}

// emptyList reads () if that is what the current token begins.
func (r *reader) emptyList() bool {
	save := r.scanner
	r.next()
	if r.kind == tokClose {
		r.next()
		return true
	}
	r.scanner = save
	return false
}
