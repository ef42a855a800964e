package pddl

// Problem is a parsed and checked problem of a domain.
type Problem struct {
	Source  *Source
	Domain  *Domain
	Name    string
	NamePos Pos
	// Objects are the domain's constants, followed by the problem's own objects.
	Objects      []Object
	Requirements []string
	Init         Init
	Goal         GoalSchema
	Constraints  *GoalSchema // nil when there are none
	Metric       *Metric     // nil when there is none

	index *problemIndex
}

// Init is the initial state in flat tables, since real files hold millions of
// facts.
type Init struct {
	Atoms AtomTable
	// Values are initial values of numeric fluents, in file order.
	Values ValueTable
	// Objects are initial values of object fluents (PDDL 3.1), in file order.
	Objects []ObjectFluentInit
	// Timed literals (PDDL 2.2) and timed numeric assignments, in file order.
	Timed []TimedInit
}

// AtomTable holds ground atoms: atom i is Pred[i](Args[Start[i]:Start[i+1]]).
// len(Start) == len(Pred)+1. Atoms are in file order without duplicates.
type AtomTable struct {
	Pred  []PredicateID
	Start []uint32
	Args  []ObjectID
	Pos   []Pos
}

// Len returns the number of atoms.
func (t *AtomTable) Len() int { return len(t.Pred) }

// Atom returns the predicate and arguments of atom i.
func (t *AtomTable) Atom(i int) (PredicateID, []ObjectID) {
	return t.Pred[i], t.Args[t.Start[i]:t.Start[i+1]:t.Start[i+1]]
}

// ValueTable holds initial numeric values: fluent i is Func[i](Args[Start[i]:Start[i+1]])
// and has the value Value[i].
type ValueTable struct {
	Func  []FunctionID
	Start []uint32
	Args  []ObjectID
	Value []Number
	Pos   []Pos
}

// Len returns the number of values.
func (t *ValueTable) Len() int { return len(t.Func) }

// Fluent returns the function, arguments and value of entry i.
func (t *ValueTable) Fluent(i int) (FunctionID, []ObjectID, Number) {
	return t.Func[i], t.Args[t.Start[i]:t.Start[i+1]:t.Start[i+1]], t.Value[i]
}

// ObjectFluentInit is an initial value of an object fluent.
type ObjectFluentInit struct {
	Func  FunctionID
	Args  []ObjectID
	Value ObjectID
	Pos   Pos
}

// TimedInit is a timed initial literal: at Time the atom becomes true or false
// (Negated), or, when Func >= 0, the numeric fluent takes Value.
type TimedInit struct {
	Time    Number
	Negated bool
	Pred    PredicateID
	Func    FunctionID // -1 for a literal
	Args    []ObjectID
	Value   Number
	Pos     Pos
}

// Metric is the expression to minimize or maximize. It has no variables.
type Metric struct {
	Maximize bool
	Expr     *NumExpr
	Pos      Pos
}
