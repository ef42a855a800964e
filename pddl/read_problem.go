package pddl

import "slices"

// ParseProblem reads and checks a problem of dom. With a nil dom only the syntax
// is checked and the problem is nil.
func ParseProblem(src *Source, dom *Domain, opt Options) (*Problem, Diagnostics) {
	return parseProblem(&collector{src: src, strict: opt.Strict}, dom)
}

func parseProblem(c *collector, dom *Domain) (*Problem, Diagnostics) {
	tree, sections := parseSkeleton(c, "problem")
	if tree == nil {
		return nil, c.result()
	}
	r := newReader(c)
	r.dom, r.shared = dom, dom != nil
	p := r.readProblem(tree, sections)
	ds := c.result()
	if ds.HasErrors() || dom == nil {
		return nil, ds
	}
	return p, ds
}

func (r *reader) readProblem(tree *fileTree, sections []section) *Problem {
	p := &Problem{Source: r.src, index: &problemIndex{}}
	r.objects = &p.index.objects
	r.prefs = &symtab{}
	if r.dom != nil {
		r.idx = r.dom.index
		for _, o := range r.dom.Constants {
			r.objects.insert(fold(o.Name))
		}
		for _, k := range r.idx.preferences.keys {
			r.prefs.insert(k)
		}
	}
	p.Name, p.NamePos = r.headName(tree, "problem")
	by := r.place(sections, false)
	if r.dom != nil {
		r.objs = append(make([]Object, 0, len(r.dom.Constants)), r.dom.Constants...)
	}
	r.checkDomainName(by[secDomain], p.NamePos)
	for _, s := range by[secRequirements] {
		p.Requirements = r.requirements(s)
	}
	for _, s := range by[secObjects] {
		r.objectsSection(s)
	}
	p.Objects = r.objs
	for _, s := range by[secInit] {
		p.Init = r.initSection(s)
	}
	if len(by[secInit]) == 0 && r.missing(":init") {
		r.warnf(MissingInit, int(p.NamePos), int(p.NamePos)+len(p.Name), "", "the problem has no (:init ...); all facts are false")
	}
	if len(by[secInit]) == 0 && r.dom != nil {
		p.Init = r.emptyInit()
	}
	for _, s := range by[secGoal] {
		r.goalSection(s, &p.Goal)
	}
	if len(by[secGoal]) == 0 && r.missing(":goal") {
		r.errorf(MissingSection, int(p.NamePos), int(p.NamePos)+len(p.Name), "the problem has no (:goal ...)")
	}
	for _, s := range by[secConstraints] {
		p.Constraints = r.constraintsSection(s)
	}
	for _, s := range by[secMetric] {
		p.Metric = r.metricSection(s)
	}
	for _, s := range by[secLength] {
		r.lengthSection(s)
	}
	r.finishProblem(p)
	return p
}

func (r *reader) finishProblem(p *Problem) {
	if r.dom == nil {
		return
	}
	p.Domain = r.dom
	p.index.byType = newTypeLists(len(r.dom.Types))
	p.index.features = r.usage.list()
	all := r.idx.closure
	if len(p.Requirements) > 0 {
		all = closure(append(append([]string(nil), r.dom.Requirements...), p.Requirements...))
	}
	told := *r.usage
	// What the domain uses without declaring it has been reported with the domain.
	for _, f := range r.idx.features {
		for i := range featureTable {
			if featureTable[i].name == f.Name {
				told.used[i] = false
			}
		}
	}
	r.usage = &told
	r.checkRequirements(all)
	r.checkCostValues(&p.Init)
}

// missing reports whether no misspelt section of the file was probably meant to have
// this keyword.
func (c *collector) missing(keyword string) bool { return !slices.Contains(c.meant, keyword) }

// checkDomainName reads (:domain NAME), and compares it with the domain's.
func (r *reader) checkDomainName(ss []section, at Pos) {
	if len(ss) == 0 {
		if r.missing(":domain") {
			r.errorf(MissingSection, int(at), int(at)+1, "the problem has no (:domain ...)")
		}
		return
	}
	s := ss[0]
	if !r.enter(s) {
		return
	}
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected the name of a domain, found %s", r.found())
		return
	}
	if r.dom != nil && !r.bad() && r.key() != fold(r.dom.Name) {
		r.warnf(DomainMismatch, r.off, r.lim, "", "the problem belongs to domain %s, not to %s", quote(r.spelling()), quote(r.dom.Name))
	}
	r.next()
	r.leave(s)
}

// goalSection reads (:goal CONDITION).
func (r *reader) goalSection(s section, g *GoalSchema) {
	if !r.enter(s) {
		return
	}
	g.Name, g.Pos = "goal", Pos(s.keywordAt())
	r.schema, r.scope = &g.Schema, r.scope[:0]
	if r.kind == tokEOF {
		if s.closed {
			r.errorHint(EmptyCondition, s.open, s.start, "write (:goal (and)) for the goal that is always reached", "the goal is empty")
		} else {
			r.leave(s)
		}
		return
	}
	g.Formula = r.formula(ctxPreference)
	r.leave(s)
}

// metricSection reads (:metric minimize|maximize EXPRESSION).
func (r *reader) metricSection(s section) *Metric {
	if !r.enter(s) {
		return nil
	}
	m := &Metric{Pos: Pos(s.open)}
	switch {
	case isWord(r, "minimize"):
	case isWord(r, "maximize"):
		m.Maximize = true
	default:
		r.errorf(BadMetric, r.off, r.lim, "expected 'minimize' or 'maximize', found %s", r.found())
		return nil
	}
	r.next()
	if r.kind == tokEOF {
		r.errorf(BadMetric, s.open, s.start, "a metric without an expression")
		return nil
	}
	var schema Schema
	r.schema, r.scope = &schema, r.scope[:0]
	r.inMetric = true
	m.Expr = flat(r, "metrics", (*reader).numExpr)
	r.inMetric = false
	r.leave(s)
	if m.Expr == nil {
		return nil
	}
	if r.dom != nil && m.Expr.Kind == NumFluent && int32(m.Expr.Func) == r.idx.totalCost {
		r.use(usesActionCosts, s.open)
	} else {
		r.metricUse(m.Expr)
	}
	return m
}

// metricUse records numeric fluents in a metric.
func (r *reader) metricUse(e *NumExpr) {
	if e.Kind == NumFluent {
		r.use(usesNumericFluents, int(e.Pos))
	}
	for _, c := range e.Children {
		r.metricUse(c)
	}
}

// lengthSection reads PDDL 1.2's (:length (:serial N) (:parallel N)), advice that does
// not affect which plans are valid.
func (r *reader) lengthSection(s section) {
	if !r.enter(s) {
		return
	}
	for r.kind == tokOpen {
		open := r.off
		r.next()
		if r.kind != tokKeyword || r.key() != ":serial" && r.key() != ":parallel" {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected :serial or :parallel, found %s", r.found())
			r.pos = s.end
			r.next()
			return
		}
		r.next()
		r.number()
		r.closeList(open)
	}
	r.leave(s)
}
