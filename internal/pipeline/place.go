package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// refusedAt returns the place in the text of what a search refuses, file:line:column, or ""
// if there is none.
func refusedAt(p *pddl.Problem, task *grounder.Task, refusal error) string {
	var back *search.Unregressable
	var feature *heuristic.Refusal
	switch {
	case errors.As(refusal, &back) && back.Atom != "":
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(back.Atom, "Negated"), "Atom "), "(")
		for _, ax := range p.Domain.Axioms {
			if strings.EqualFold(ax.Name, name) {
				return place(p.Domain.Source, ax.Pos)
			}
		}
	case back != nil && back.Goal:
		return place(p.Source, p.Goal.Pos)
	case back != nil && back.Schema >= 0 && int(back.Schema) < len(task.SchemaNames):
		if i, ok := p.Domain.ActionByName(task.SchemaNames[back.Schema]); ok {
			return place(p.Domain.Source, p.Domain.Actions[i].Pos)
		}
	case errors.As(refusal, &feature) && len(feature.Features) > 0:
		return firstUse(p, feature.Features[0])
	}
	return ""
}

// firstUse is the place of the first construct that makes a task have a feature.
func firstUse(p *pddl.Problem, f heuristic.Feature) string {
	names := map[heuristic.Feature][]string{
		heuristic.Axioms:             {"derived-predicates", "disjunctive-preconditions", "universal-preconditions"},
		heuristic.ConditionalEffects: {"conditional-effects", "universal-effects"},
		heuristic.ConditionalCosts:   {"conditional-effects", "universal-effects"},
		heuristic.NumericFluents:     {"numeric-fluents"},
	}[f]
	for _, name := range names {
		for _, use := range p.Features() {
			if use.Name == name {
				return place(use.Source, use.Pos)
			}
		}
	}
	return ""
}

func place(src *pddl.Source, pos pddl.Pos) string {
	line, col := src.LineCol(pos)
	return fmt.Sprintf("%s:%d:%d", src.Name, line, col)
}
