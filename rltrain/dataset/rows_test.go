package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
)

// texts makes a source of tasks given by their texts: id, domain, problem.
func texts(name string, tasks ...[3]string) Source {
	var entries []Entry
	for _, t := range tasks {
		entries = append(entries, Entry{ID: t[0], Load: func() (*pddl.Source, *pddl.Source, error) {
			return pddl.NewSource("domain", t[1]), pddl.NewSource("problem", t[2]), nil
		}})
	}
	return NewList(name, entries)
}

// bundledTexts are the texts of a bundled task, with actions forbidden.
func bundledTexts(t testing.TB, id, name, forbidden string) [3]string {
	t.Helper()
	dom, prob, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if forbidden == "" {
		return [3]string{id, dom.Text, prob.Text}
	}
	p, err := reread(dom.Text, prob.Text)
	if err != nil {
		t.Fatal(err)
	}
	list, ds := domains.ParseForbidden(pddl.NewSource("f", forbidden), p)
	if ds != nil {
		t.Fatal(ds)
	}
	if p, err = domains.Restrict(p, list); err != nil {
		t.Fatal(err)
	}
	return [3]string{id, p.Domain.String(), p.String()}
}

// TestIDsAreUnique gives tasks names that look like those of rows.
func TestIDsAreUnique(t *testing.T) {
	var tasks [][3]string
	for i, id := range []string{"x", "x", "x+1", "x~1", "x#1", "x#2", "x~1#1", "x~1+1", "y#1", "y"} {
		tasks = append(tasks, bundledTexts(t, id, fmt.Sprintf("blocksworld:4-%d", 17+31*i), ""))
	}
	for _, o := range []Settings{
		{Names: NamesOwn, Split: Ratio{100}},
		{Names: NamesOwn, Split: Ratio{0, 0, 0, 100}},
		{Names: "words", Split: Ratio{0, 0, 0, 100}, Constraints: Constraints{Min: 0, Max: 1, Variants: 3}},
	} {
		o.Dedup = DedupNone
		seen := map[string]bool{}
		for _, r := range all(t, prepare(t, Options{Settings: o, Sources: []Source{texts("x", tasks[:5]...), texts("y", tasks[5:]...)}})) {
			if seen[r.ID] {
				t.Errorf("%+v: two rows are called %s", o, r.ID)
			}
			seen[r.ID] = true
		}
	}
}

// TestConstraintsOfSourcesCount: rows whose tasks came with constraints are counted.
func TestConstraintsOfSourcesCount(t *testing.T) {
	src := texts("x", bundledTexts(t, "a", "blocksworld:4-17", "(stack b a)"), bundledTexts(t, "b", "blocksworld:4-18", ""))
	s := prepare(t, Options{Sources: []Source{src}, Settings: Settings{Split: Ratio{100}}})
	if m := s.Manifest(); m.Rows != 2 || m.Constrained != 1 {
		t.Errorf("%d of %d rows have constraints, want 1 of 2", m.Constrained, m.Rows)
	}
}

// TestExamplesOfConstrainedTasks: tasks with constraints have examples, and none of them is
// the task itself with others.
func TestExamplesOfConstrainedTasks(t *testing.T) {
	styles := []string{"compact", "pddl", "nl"}
	if testing.Short() {
		styles = styles[:1] // what threads do is the same in each
	}
	for _, style := range styles {
		s := prepare(t, Options{
			Settings: Settings{Seed: 3, Split: Ratio{80, 0, 20, 0}, Style: style, Shots: 2, Constraints: Constraints{Min: 1, Max: 2, Variants: 4, Patterns: true}},
			Sources:  []Source{Sample(exhaust(t, 4, true), 24, 1)},
		})
		rows := all(t, s)
		if len(rows) < 10 {
			t.Fatalf("%d rows", len(rows))
		}
		for _, r := range rows {
			if n := strings.Count(r.Prompt, "[PLAN END]"); n < 2 {
				t.Errorf("%s: %d plans", r.ID, n)
			}
			if style != "compact" {
				continue
			}
			var statements []string // what holds and what is wanted
			for _, p := range strings.Split(r.Prompt, "objects:")[1:] {
				var kept []string
				for _, line := range strings.Split(p, "\n") {
					if strings.HasPrefix(line, "init:") || strings.HasPrefix(line, "goal:") {
						kept = append(kept, line)
					}
				}
				statements = append(statements, strings.Join(kept, "\n"))
			}
			if query := len(statements) - 1; query != 2 || slices.Contains(statements[:query], statements[query]) {
				t.Errorf("%s is its own example:\n%s", r.ID, r.Prompt)
			}
		}
	}
}

// TestExamplesOfLikeDomains: problems of two domains of one name, which differ in what the
// actions cost, read alike, and the plans shown are those of the row's domain.
func TestExamplesOfLikeDomains(t *testing.T) {
	domain := func(fast, slow int) string {
		return fmt.Sprintf(`(define (domain d) (:predicates (at ?x) (way ?x ?y)) (:functions (total-cost))
  (:action walk :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x)) (increase (total-cost) %d)))
  (:action ride :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x)) (increase (total-cost) %d))))`, fast, slow)
	}
	problem := func(n int) string {
		ways := ""
		for i := range n {
			ways += fmt.Sprintf(" (way p%d p%d)", i, i+1)
		}
		return fmt.Sprintf(`(define (problem p%d) (:domain d) (:objects p0 p1 p2 p3 p4 p5) (:init (at p0)%s (= (total-cost) 0)) (:goal (at p%d)) (:metric minimize (total-cost)))`, n, ways, n)
	}
	var sources []Source
	for k, dom := range []string{domain(1, 5), domain(5, 1)} {
		var tasks [][3]string
		for n := 1; n <= 5; n++ {
			tasks = append(tasks, [3]string{fmt.Sprintf("%d-%d", k, n), dom, problem(n)})
		}
		sources = append(sources, texts(fmt.Sprint(k), tasks...))
	}
	for _, r := range all(t, prepare(t, Options{Sources: sources, Settings: Settings{Split: Ratio{100}, Style: "pddl", Shots: 3}})) {
		_, plans, _ := strings.Cut(r.Prompt, "[PLAN]")
		if wrong := []string{"(ride", "(walk"}[strings.Index("01", r.ID[:1])]; strings.Contains(plans, wrong) {
			t.Errorf("%s: an example takes the dearer way:\n%s", r.ID, plans)
		}
	}
}

// TestExcludeKeepsGoals: what is excluded is what the rows of the other data set ask for,
// however many goals this one keeps.
func TestExcludeKeepsGoals(t *testing.T) {
	dom, whole := bundledTexts(t, "", "blocksworld:4-17", "")[1], bundledTexts(t, "", "blocksworld:4-17", "")[2]
	s := prepare(t, Options{
		Settings: Settings{Split: Ratio{100}, Goals: 1}, Sources: []Source{texts("x", [3]string{"a", dom, whole})},
		Exclude: []Source{texts("e", [3]string{"a", dom, whole})},
	})
	if m := s.Manifest(); m.Dropped[DropExcluded] != 0 || m.Rows+m.Dropped[DropGoalHolds] != 1 {
		t.Errorf("%d rows, %v: another goal was excluded", m.Rows, m.Dropped)
	}
	if err := s.Records(context.Background(), Train, func(r *Record) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestTextsOfOtherEncodings: a row's task is the hash of the texts in it, also where comments
// are not UTF-8.
func TestTextsOfOtherEncodings(t *testing.T) {
	task := bundledTexts(t, "a", "blocksworld:4-17", "")
	src := texts("x", [3]string{"a", "; Stra\xdfe \xff\xfe\r\n" + task[1], "\ufeff; caf\xe9\n" + task[2]})
	s := prepare(t, Options{Sources: []Source{src}, Settings: Settings{Split: Ratio{100}}})
	for _, r := range all(t, s) {
		var back Record
		text, err := json.Marshal(r)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || taskref.Sum(back.DomainText, back.ProblemText) != r.Task {
			t.Errorf("%v: %s is not the hash of the row's texts", err, r.Task)
		}
	}
}

// TestBaseStructure: forms of one task with and without constraints are copies of it.
func TestBaseStructure(t *testing.T) {
	s := prepare(t, Options{
		Settings: Settings{Dedup: DedupNone, Names: "letters", Style: "compact", Goals: 1, Constraints: Constraints{Min: 0, Max: 1, Variants: 3}},
		Sources:  []Source{Sample(exhaust(t, 4, false), 40, 7)},
	})
	bases, restricted := map[string]string{}, 0
	for _, r := range all(t, s) {
		id, _, _ := strings.Cut(strings.ReplaceAll(r.ID, "#", "~"), "~")
		if base := bases[id]; base != "" && base != r.BaseStructure {
			t.Errorf("%s has the base %s, and another form of it %s", r.ID, r.BaseStructure, base)
		}
		bases[id] = r.BaseStructure
		if (r.Structure == r.BaseStructure) != (len(r.Constraints) == 0) {
			t.Errorf("%s with constraints %v: structure %s, base %s", r.ID, r.Constraints, r.Structure, r.BaseStructure)
		}
		if len(r.Constraints) > 0 {
			restricted++
		}
	}
	if restricted < 5 || len(bases) < 20 {
		t.Fatalf("%d tasks and %d rows with constraints", len(bases), restricted)
	}
}
