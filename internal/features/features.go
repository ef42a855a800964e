// Package features measures which language features each stage supports. Every stage gets a
// tiny task that uses one feature, so that the table shows what the code does:
//
//	probes.go  feature ─► domain, problem ─► read ─► judge
//	                                           └───► ground ─► each search
package features

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Feature is one row: a language feature, and the stages that take a task which uses it.
type Feature struct {
	Name      string          `json:"feature"`
	Supported map[string]bool `json:"supported"` // by stage, see Stages
}

// probedSearches are the search strings that have a column of their own.
var probedSearches = []string{"astar(blind())", "astar(hmax())", "astar(lmcut())", "nbs(lmcut())"}

// Stages lists the columns: reading, judging, grounding and some searches.
func Stages() []string {
	return append([]string{"read", "judge", "ground"}, probedSearches...)
}

// Measure runs every probe through every stage.
func Measure(ctx context.Context) ([]Feature, error) {
	var rows []Feature
	for _, p := range append([]probe{plainProbe}, probes...) {
		row := Feature{Name: p.feature, Supported: map[string]bool{}}
		rows = append(rows, row)
		domSrc, probSrc := p.sources()
		dom, diags := pddl.ParseDomain(domSrc, pddl.Options{})
		prob, more := pddl.ParseProblem(probSrc, dom, pddl.Options{})
		if diags.HasErrors() || more.HasErrors() {
			return nil, fmt.Errorf("internal error: the probe of %s has errors: %v", p.feature, append(diags, more...))
		}
		row.Supported["read"] = true
		_, err := validator.NewJudge(prob, validator.Options{})
		row.Supported["judge"] = err == nil
		task, err := grounder.Ground(ctx, prob, grounder.Options{KeepIrrelevant: true, ObjectFluents: true, NumericFluents: true})
		if row.Supported["ground"] = err == nil; err != nil {
			continue
		}
		for _, s := range probedSearches {
			res, err := search.Run(ctx, task, search.Config{Search: s})
			row.Supported[s] = err == nil && res.Status == search.SolvedOptimally
		}
	}
	return rows, nil
}

// WriteTable writes the rows of [Measure] for people.
func WriteTable(out io.Writer, rows []Feature) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "feature")
	for _, s := range Stages() {
		fmt.Fprintf(w, "\t%s", s)
	}
	fmt.Fprintln(w)
	for _, r := range rows {
		fmt.Fprint(w, r.Name)
		for _, s := range Stages() {
			fmt.Fprintf(w, "\t%s", map[bool]string{true: "yes", false: "-"}[r.Supported[s]])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
