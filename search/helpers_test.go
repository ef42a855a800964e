package search

import (
	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
)

// optimalSearches are all configurations; each must find optimal plans.
var optimalSearches = []string{
	"auto()", "auto(blind=80)", "astar(lmcut())", "astar(hmax())", "astar(pdb())", "astar(pdb(states=10, orders=1))", "astar(blind())", "ucs()",
	"nbs(blind())", "nbs(lmcut())", "astar(landmarks())", "astar(landmarks(uniform=1))",
	"astar(scp())", "astar(scp(perim=1, orders=3))", "astar(pdbs())", "astar(cegar(work=1))", "symbolic()", "symbolic(backward=0)",
	"astar(lmcut(), stubborn=1)", "astar(hmax(), stubborn=1)",
	"astar(blind(), symmetry=1)", "astar(lmcut(), symmetry=1)", "astar(hmax(), stubborn=1, symmetry=1)",
	"astar(landmarks(), symmetry=1)", "astar(scp(work=1), symmetry=1)",
}

func choose(t *rapid.T) tasktest.Choose {
	return func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
}

func anyTask(t *rapid.T) *grounder.Task { return tasktest.Any(choose(t)) }

func randomTask(t *rapid.T, opt randomsas.Options) *grounder.Task {
	return tasktest.Random(choose(t), opt)
}
