package treesearch

import (
	"context"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/state"
)

func stateID(i int) state.StateID { return state.StateID(i) }

// bundled grounds a bundled task, its costs changed by reprice unless that is nil.
func bundled(tb testing.TB, name string, reprice func(*pddl.Problem) (*pddl.Problem, error)) *grounder.Task {
	tb.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		tb.Fatal(err)
	}
	return ground(tb, d, p, reprice)
}

func ground(tb testing.TB, d, p *pddl.Source, reprice func(*pddl.Problem) (*pddl.Problem, error)) *grounder.Task {
	tb.Helper()
	dom, diags := pddl.ParseDomain(d, pddl.Options{})
	prob, more := pddl.ParseProblem(p, dom, pddl.Options{})
	if prob == nil {
		tb.Fatal(diags, more)
	}
	var err error
	if reprice != nil {
		if prob, err = reprice(prob); err != nil {
			tb.Fatal(err)
		}
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return task
}
