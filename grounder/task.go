package grounder

import (
	"github.com/planproof/planproof/grounder/fdr"
	"github.com/planproof/planproof/pddl"
)

// The parts of a task are those of package fdr, which links nothing else.
type (
	// Fact is one value of one variable.
	Fact = fdr.Fact
	// Variable is a finite-domain variable, of the state or derived.
	Variable = fdr.Variable
	// Effect sets a variable when its condition holds.
	Effect = fdr.Effect
	// CondCost is a cost that is added when its condition holds.
	CondCost = fdr.CondCost
	// OperatorID indexes Task.Operators.
	OperatorID = fdr.OperatorID
	// Axiom derives a fact from others.
	Axiom = fdr.Axiom
)

// Operator is a ground action, as Task.Operators gives it out. If two effects on one variable fire, the later one wins. Effects never
// disagree in operators made by Ground; only in those of ReadSAS may the order matter.
type Operator struct {
	// Schema indexes Task.SchemaNames; Args are the objects of its parameters.
	Schema int32
	Args   []pddl.ObjectID
	// Pre is sorted by Var and has at most one fact per variable. It includes
	// conditions on derived variables.
	Pre     []Fact
	Effects []Effect
	// Cost is in units of Task.CostUnit, and 1 when Task.Metric is false.
	Cost      int64
	CondCosts []CondCost
}

// MutexGroup is a set of facts of which at most one holds in any reachable state.
type MutexGroup []Fact

// Task is a ground finite-domain planning task (SAS+ with axioms and
// conditional effects).
type Task struct {
	Name      string     // "domain/problem", for messages
	Variables []Variable // at least one if made by Ground
	// Init has one value per variable; derived variables hold their Default.
	Init []int32
	// Goal is sorted by Var, at most one fact per variable.
	Goal      []Fact
	Operators Operators
	Axioms    []Axiom
	Mutexes   []MutexGroup

	// Metric is true when the problem minimises a cost; otherwise each operator costs 1.
	Metric bool
	// CostUnit is the value of one unit of Operator.Cost: costs are scaled to coprime
	// integers once, so that decimals, fractions and huge numbers stay exact. The cost of
	// a plan is CostBase + CostUnit * (sum of operator costs).
	CostUnit, CostBase pddl.Number

	// Unsolvable is true if grounding has already shown that the goal cannot be reached;
	// no state satisfies Goal.
	Unsolvable bool
	// Trivial is true if this task, without operators, stands for one whose goal is
	// unreachable or true initially. It never is with Options.KeepIrrelevant.
	Trivial bool

	// SchemaNames and ObjectNames spell operators: see OperatorName.
	SchemaNames []string
	ObjectNames []string

	// Numeric is the numeric part, nil for a classical task.
	Numeric *Numeric
}

// OperatorName writes an operator as a plan step, "(stack a b)".
func (t *Task) OperatorName(id OperatorID) string {
	b := make([]byte, 0, 32)
	b = append(b, '(')
	b = append(b, t.SchemaNames[t.Operators.Schema(int(id))]...)
	for _, o := range t.Operators.Args(int(id)) {
		b = append(b, ' ')
		b = append(b, t.ObjectNames[o]...)
	}
	return string(append(b, ')'))
}

// PlanCost turns a sum of operator costs into the cost of a plan in the problem's units.
func (t *Task) PlanCost(units int64) pddl.Number {
	return t.CostBase.Add(t.CostUnit.Mul(pddl.Int(units)))
}

// Bytes estimates the memory of the task. It is counted, so that where a search stops
// does not depend on the machine.
func (t *Task) Bytes() int64 {
	var n int64
	for i := range t.Variables {
		n += 64 + 64*int64(t.Variables[i].Size()) // with the values' names
	}
	for i := range t.Operators.Len() {
		effects := t.Operators.listed(i)
		n += 128 + 4*int64(len(t.Operators.Args(i))) + 8*int64(len(t.Operators.Pre(i))) + 32*int64(len(effects)+len(t.Operators.own(i)))
		for k := range effects {
			n += 8 * int64(len(effects[k].Cond))
		}
	}
	n += t.Numeric.bytes()
	for i := range t.Axioms {
		n += 32 + 8*int64(len(t.Axioms[i].Body))
	}
	return n
}
