package validator

import (
	"github.com/planproof/planproof/pddl"
)

// walkFormula visits f and everything below it.
func walkFormula(f *pddl.Formula, visit func(*pddl.Formula)) {
	if f == nil {
		return
	}
	visit(f)
	for _, k := range f.Children {
		walkFormula(k, visit)
	}
}

// walkEffect visits e and the effects below it.
func walkEffect(e *pddl.Effect, visit func(*pddl.Effect)) {
	if e == nil {
		return
	}
	visit(e)
	for _, k := range e.Children {
		walkEffect(k, visit)
	}
}

// walkExpr visits e and everything below it.
func walkExpr(e *pddl.NumExpr, visit func(*pddl.NumExpr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, k := range e.Children {
		walkExpr(k, visit)
	}
}
