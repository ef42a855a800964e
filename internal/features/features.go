// Package features measures which language features each stage supports. Every stage gets a
// tiny task that uses one feature, so that the table shows what the code does:
//
//	probes.go  feature ─► domain, problem ─► read ─► judge
//	                                           └───► ground ─► every search
package features

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/validator"
)

// Feature is one row: a language feature, and the stages that take a task which uses it.
type Feature struct {
	Name      string          `json:"feature"`
	Supported map[string]bool `json:"supported"` // by stage, see Stages
}

// Searches lists the search strings that are measured: every algorithm of the catalogue, and A* with every heuristic.
func Searches() []string {
	var out []string
	for _, s := range search.Searches {
		switch {
		case !s.Heuristic:
			out = append(out, s.Name+"()")
		case s.Name == "astar":
			for _, h := range heuristic.Catalogue {
				out = append(out, s.Name+"("+h.Name+"())")
			}
		default:
			out = append(out, s.Name+"(lmcut())")
		}
	}
	return out
}

// Stages lists what a feature is measured for: reading, judging, grounding and all of [Searches].
func Stages() []string {
	return append([]string{"read", "judge", "ground"}, Searches()...)
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
		for _, s := range Searches() {
			if pipeline.Ungrounded(s) {
				a, err := pipeline.SearchUngrounded(ctx, prob, pipeline.Options{})
				row.Supported[s] = err == nil && a.Verdict != nil
				continue
			}
			res, err := search.Run(ctx, task, search.Config{Search: s})
			row.Supported[s] = err == nil && (res.Status == search.SolvedOptimally || res.Status == search.Solved)
		}
	}
	return rows, nil
}

// WriteTable writes the rows of [Measure] for people, and what the searches and heuristics are. One column names the searches, since a column for each would be
// wider than a screen.
func WriteTable(out io.Writer, rows []Feature) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "feature\tread\tjudge\tground\tsearches")
	for _, r := range rows {
		fmt.Fprint(w, r.Name)
		for _, s := range []string{"read", "judge", "ground"} {
			fmt.Fprintf(w, "\t%s", map[bool]string{true: "yes", false: "-"}[r.Supported[s]])
		}
		fmt.Fprintf(w, "\t%s\n", r.searches())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nsearch\twhat it does")
	for _, s := range search.Searches {
		fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Synopsis)
	}
	fmt.Fprintln(w, "\nheuristic\twhat it estimates by")
	for _, h := range heuristic.Catalogue {
		fmt.Fprintf(w, "%s\t%s\n", h.Name, h.Synopsis)
	}
	return w.Flush()
}

// searches says which searches take the feature: "all", "-", those that do, or, where these are the fewer, those that
// do not.
func (r Feature) searches() string {
	var with, without []string
	for _, s := range Searches() {
		if r.Supported[s] {
			with = append(with, s)
		} else {
			without = append(without, s)
		}
	}
	switch {
	case len(without) == 0:
		return "all"
	case len(with) == 0:
		return "-"
	case len(without) < len(with):
		return "all but " + strings.Join(without, ", ")
	}
	return strings.Join(with, ", ")
}
