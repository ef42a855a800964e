package pddl

// UndefinedTerm is the value `undefined` in an assignment to an object fluent.
const UndefinedTerm Term = -1 << 31

type domainIndex struct{}
type problemIndex struct{}

// PredicateByName looks a predicate up, ignoring case.
func (d *Domain) PredicateByName(name string) (PredicateID, bool) { panic("todo") }

// FunctionByName looks a function up, ignoring case.
func (d *Domain) FunctionByName(name string) (FunctionID, bool) { panic("todo") }

// TypeByName looks a type up, ignoring case.
func (d *Domain) TypeByName(name string) (TypeID, bool) { panic("todo") }

// ActionByName looks an instantaneous action up, ignoring case; its index in Actions.
func (d *Domain) ActionByName(name string) (int, bool) { panic("todo") }

// DurativeByName looks a durative action up, ignoring case; its index in Durative.
func (d *Domain) DurativeByName(name string) (int, bool) { panic("todo") }

// IsSubtype reports whether every value of type sub is a value of type super.
func (d *Domain) IsSubtype(sub, super TypeID) bool { panic("todo") }

// TypeName writes a type as in PDDL: a name or (either a b).
func (d *Domain) TypeName(t TypeID) string { panic("todo") }

// ObjectByName looks an object up, ignoring case.
func (p *Problem) ObjectByName(name string) (ObjectID, bool) { panic("todo") }

// ObjectsOfType returns the objects that are values of type t, in order of their ids. The
// slice is shared: do not change it.
func (p *Problem) ObjectsOfType(t TypeID) []ObjectID { panic("todo") }
