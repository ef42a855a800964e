package pddl

// operator is an entry of the table of formula heads.
type operator struct {
	kind FormulaKind
	args int // operands; -1 for any number
	nums int // leading numbers (trajectory constraints)
}

// trajectoryOps are the operators of PDDL 3.0 that head a constraint, except `at end`,
// which has a reader of its own.
var trajectoryOps = map[string]operator{
	"always":          {FormulaAlways, 1, 0},
	"sometime":        {FormulaSometime, 1, 0},
	"within":          {FormulaWithin, 1, 1},
	"at-most-once":    {FormulaAtMostOnce, 1, 0},
	"sometime-after":  {FormulaSometimeAfter, 2, 0},
	"sometime-before": {FormulaSometimeBefore, 2, 0},
	"always-within":   {FormulaAlwaysWithin, 2, 1},
	"hold-during":     {FormulaHoldDuring, 1, 2},
	"hold-after":      {FormulaHoldAfter, 1, 1},
}

// timed reads (at start F), (at end F) or (over all F) from its head on.
func (r *reader) timed(open int, key string) *Formula {
	kind, ok := r.timeSpecifier(key)
	if !ok {
		r.errorf(MissingTimeSpecifier, open, r.lim, "a condition of a durative action needs (at start ...), (over all ...) or (at end ...)")
		r.skipList(open)
		return nil
	}
	return r.operands(r.newFormula(kind, open), open, 1, timeNames[kind], ctxPlain)
}

// timeSpecifier reads the two words of a time specifier if the current word, with the
// given key, begins one.
func (r *reader) timeSpecifier(key string) (FormulaKind, bool) {
	if key != "at" && key != "over" {
		return 0, false
	}
	save := r.scanner
	r.next()
	kind := FormulaTrue
	if r.kind == tokWord {
		switch second := r.key(); {
		case key == "at" && second == "start":
			kind = FormulaAtStart
		case key == "at" && second == "end":
			kind = FormulaAtEnd
		case key == "over" && second == "all":
			kind = FormulaOverAll
		}
	}
	if kind == FormulaTrue {
		r.scanner = save
		return 0, false
	}
	r.next()
	return kind, true
}

// timeInside reports whether the list whose head is the current word is a time
// specifier with a list inside, and not an atom of a predicate called at or over.
func (r *reader) timeInside() bool {
	if w := r.spelling(); len(w) != 2 && len(w) != 4 {
		return false
	}
	if r.dom == nil {
		return false // nobody knows whether there is a predicate of that name
	}
	save := r.scanner
	_, declared := r.idx.predicates.lookup(r.key())
	_, ok := r.timeSpecifier(r.key())
	if ok = ok && r.kind == tokOpen; ok && declared {
		r.next()
		if id, isFunc := r.idx.functions.lookup(r.key()); r.kind == tokWord && isFunc {
			ok = r.dom.Functions[id].Numeric // an object fluent is an argument
		}
	}
	r.scanner = save
	return ok
}

// trajectory reads a trajectory constraint from its head on.
func (r *reader) trajectory(open int, key string) *Formula {
	op, ok := trajectoryOps[key]
	if !ok {
		if kind, ok := r.timeSpecifier(key); ok && kind == FormulaAtEnd {
			return r.operands(r.newFormula(kind, open), open, 1, "at end", ctxInside)
		}
		r.errorf(MisplacedConstraint, open, r.lim, "expected a trajectory constraint such as (always ...) or (sometime ...), found %s", r.found())
		r.skipList(open)
		return nil
	}
	r.next()
	f := r.newFormula(op.kind, open)
	for i := 0; i < op.nums; i++ {
		at := r.here()
		v, ok := r.number()
		if !ok {
			r.skipList(open)
			return nil
		}
		if v.Sign() < 0 {
			r.errorf(NegativeTime, at.off, at.lim, "a negative time")
		}
		f.Bounds[i] = v
	}
	return r.operands(f, open, op.args, key, ctxInside)
}

var timeNames = map[FormulaKind]string{FormulaAtStart: "at start", FormulaAtEnd: "at end", FormulaOverAll: "over all"}
