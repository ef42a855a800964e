package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Every row is sound: its task has the hash it names, its plan is valid and costs what it
// says, its answer is read back as that plan, its structure and constraints are those of
// its text. Ids and tasks are unique where they must be.
func TestRowsAreSound(t *testing.T) {
	for name, o := range sets(t) {
		t.Run(name, func(t *testing.T) {
			rows := rowsOf(t, name)
			s := made.sets[name]
			ids := map[string]bool{}
			if len(rows) == 0 || len(rows) != s.Manifest().Rows {
				t.Fatalf("%d rows, the manifest says %d", len(rows), s.Manifest().Rows)
			}
			constrained := 0
			for _, r := range rows {
				if ids[r.ID] {
					t.Errorf("two rows are called %s", r.ID)
				}
				ids[r.ID] = true
				if r.Task != taskref.Sum(r.DomainText, r.ProblemText) {
					t.Errorf("%s: wrong hash", r.ID)
				}
				p := parseTask(t, r.DomainText, r.ProblemText)
				if st := StructureOf(p); st.String() != r.Structure || !st.Exact {
					t.Errorf("%s: structure %s, of the text %s", r.ID, r.Structure, st.String())
				}
				judge, err := validator.NewJudge(p, validator.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if judgeSteps(judge, nil).Valid {
					t.Errorf("%s: the empty plan is valid", r.ID)
				}
				v := judgeSteps(judge, r.Gold.Plan)
				if !v.Valid || v.Cost.String() != r.Gold.Cost || len(r.Gold.Plan) != r.Gold.Steps || !r.Gold.Optimal || difficulty(r.Gold.Cost) != r.Difficulty {
					t.Errorf("%s: gold %+v, verdict %+v", r.ID, r.Gold, v)
				}
				if got := extract.NewReader(p.Domain, p, extract.Natural).Extract(r.Answer).Plan; !slices.Equal(got, r.Gold.Plan) {
					t.Errorf("%s: the answer is read as %v, not %v:\n%s", r.ID, got, r.Gold.Plan, r.Answer)
				}
				if len(r.Constraints) > 0 {
					constrained++
				}
				if len(r.Constraints) != len(domains.Restrictions(p)) {
					t.Errorf("%s: constraints %v", r.ID, r.Constraints)
				}
				if o.Edges != nil && !slices.Contains([]string{"0-4", "5-8", "9+"}, r.Bin) {
					t.Errorf("%s: bin %s", r.ID, r.Bin)
				}
			}
			if constrained != s.Manifest().Constrained || (o.Constraints.Max > 0) != (constrained > 0) {
				t.Errorf("%d rows have constraints, the manifest says %d", constrained, s.Manifest().Constrained)
			}
		})
	}
}

// The gold plans of the pipeline are those that search finds, in length.
func TestExhaustivePlansAreOptimal(t *testing.T) {
	for n, want := range map[int]int{2: 6, 3: 156, 4: 5256} {
		src := exhaust(t, n, false)
		if src.Len() != want {
			t.Fatalf("%d blocks: %d tasks, want %d", n, src.Len(), want)
		}
		seen := map[string]bool{}
		for i := 0; i < src.Len(); i += 1 + src.Len()/100 {
			inst, err := src.Task(i)
			if err != nil {
				t.Fatal(err)
			}
			_, prob, err := domains.Load(inst.ID)
			if err != nil || prob.Text != inst.ProblemText || seen[prob.Text] {
				t.Fatalf("%s is not the bundled task, or came before: %v", inst.ID, err)
			}
			seen[prob.Text] = true
			g, drop, err := (&solver{}).solve(context.Background(), inst.Problem)
			if err != nil || drop != nil {
				t.Fatal(err, drop)
			}
			if g.Steps != inst.Gold.Steps || g.Cost != inst.Gold.Cost || g.Slack != inst.Gold.Slack || inst.Gold.Slack != "4" && n > 2 {
				t.Errorf("%s: %+v, search says %+v", inst.ID, inst.Gold, g)
			}
		}
	}
}

// One task of each structure: as many as there are structures, none twice, and which one it
// is depends on the seed.
func TestOneOfEachStructure(t *testing.T) {
	for n, want := range map[int]int{2: 3, 3: 26, 4: 223} {
		src := exhaust(t, n, true)
		seen := map[[32]byte]bool{}
		for i := range src.Len() {
			inst, err := src.Task(i)
			if err != nil {
				t.Fatal(err)
			}
			st := StructureOf(inst.Problem)
			seen[st.Hash] = true
		}
		if src.Len() != want || len(seen) != want {
			t.Errorf("%d blocks: %d tasks with %d structures, want %d", n, src.Len(), len(seen), want)
		}
	}
	other, err := NewExhaustive(context.Background(), 4, true, 2)
	if err != nil || other.ID(0) == exhaust(t, 4, true).ID(0) && other.ID(1) == exhaust(t, 4, true).ID(1) {
		t.Error("another seed chooses the same tasks", err)
	}
	for _, n := range []int{1, 7} {
		if _, err := NewExhaustive(context.Background(), n, false, 1); err == nil {
			t.Errorf("%d blocks are taken", n)
		}
	}
}

// No prompt column says anything of the answer: neither the gold plan or one of its
// steps in the words of the prompt, nor its cost or length, nor the names of rewards and of
// the columns that a model is not to see.
func TestPromptsShowNoAnswer(t *testing.T) {
	secret := regexp.MustCompile(`(?i)gold (plan|answer)|optimal|difficulty|reward|score|sha256|slack|contaminated|\bbin\b`)
	for name, o := range sets(t) {
		for _, r := range rowsOf(t, name) {
			for column, text := range map[string]string{
				"prompt": r.Prompt, "unconstrained": r.PromptUnconstrained, "goal": r.PromptGoalMasked, "both": r.PromptBothMasked, "system": r.System,
			} {
				if m := secret.FindString(text); m != "" {
					t.Errorf("%s, %s, %s: %q is there", name, r.ID, column, m)
				}
				query := text
				if o.Shots > 0 { // the plans of examples are others' plans
					if i := strings.LastIndex(text, "[STATEMENT]"); i >= 0 {
						query = text[i:]
					}
				}
				for _, line := range strings.Split(r.Answer, "\n") {
					line = strings.TrimSpace(line)
					if line == "" || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "<") {
						continue
					}
					// A forbidden step is no step of the answer, and the list of actions names
					// no objects.
					if strings.Contains(query, line) {
						t.Errorf("%s, %s, %s: the step %q of the answer is there:\n%s", name, r.ID, column, line, query)
					}
				}
				for _, step := range r.Gold.Plan {
					if strings.Contains(query, step) {
						t.Errorf("%s, %s, %s: the step %s is there", name, r.ID, column, step)
					}
				}
				if strings.Contains(query, fmt.Sprintf("cost %s", r.Gold.Cost)) || strings.Contains(query, fmt.Sprintf("%d steps", r.Gold.Steps)) {
					t.Errorf("%s, %s, %s: cost or length is there", name, r.ID, column)
				}
			}
			if len(r.Constraints) > 0 && (r.Prompt == r.PromptUnconstrained || r.PromptGoalMasked == r.PromptBothMasked) {
				t.Errorf("%s, %s: masking constraints changes nothing", name, r.ID)
			}
			if r.Prompt == r.PromptGoalMasked {
				t.Errorf("%s, %s: masking the goal changes nothing", name, r.ID)
			}
		}
	}
}

// Examples are of other structures, and come from train.
func TestExamplesAreOfTrain(t *testing.T) {
	o := sets(t)["shots"]
	o.Style = "pddl"
	s := prepare(t, o)
	train := map[string]bool{}
	if err := s.Records(context.Background(), Train, func(r *Record) error { train[r.Structure] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	problem := regexp.MustCompile(`(?s)\(define \(problem.*?\n\)`)
	for _, r := range all(t, s) {
		found := problem.FindAllString(r.Prompt, -1)
		if len(found) != 2 {
			t.Fatalf("%s: %d problems in the prompt:\n%s", r.ID, len(found), r.Prompt)
		}
		st := StructureOf(parseTask(t, r.DomainText, found[0]))
		if example := st.String(); example == r.Structure || !train[example] {
			t.Errorf("%s: the example is of the row's own structure or not of train", r.ID)
		}
	}
}

// The same options give the same bytes, whatever the number of threads; another seed others.
func TestSetsAreReproducible(t *testing.T) {
	for name, o := range sets(t) {
		var first map[string][]byte
		if name == "domains" || name == "shots" {
			continue // they take long
		}
		for run, threads := range []int{1, 4, 3} {
			o.Threads = threads
			if run == 2 {
				o.Seed += 100
			}
			dir := t.TempDir()
			if err := prepare(t, o).Write(context.Background(), dir, []Format{formatNamed(t, "jsonl")}); err != nil {
				t.Fatal(err)
			}
			files := readAll(t, dir)
			switch {
			case run == 0:
				first = files
			case run == 1 && !sameFiles(first, files):
				t.Errorf("%s: the number of threads changes the files", name)
			case run == 2 && sameFiles(first, files):
				t.Errorf("%s: the seed changes nothing", name)
			}
		}
		// The manifest counts what is there.
		var m Manifest
		if err := json.Unmarshal(first[ManifestName], &m); err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, f := range m.Files {
			data := first[f.Name]
			if int64(len(data)) != f.Bytes || bytes.Count(data, []byte("\n")) != f.Rows {
				t.Errorf("%s: %+v, there are %d bytes", name, f, len(data))
			}
			rows += f.Rows
		}
		counted := 0
		for _, b := range m.Bins {
			counted += b.Rows
		}
		lengths := 0
		for _, b := range m.Prompts.Characters.Bins {
			lengths += b.Rows
		}
		if rows != m.Rows || counted != m.Rows || lengths != m.Rows {
			t.Errorf("%s: %d rows in files, %d in bins, %d lengths, %d in the manifest", name, rows, counted, lengths, m.Rows)
		}
	}
}

// What cannot be used is counted and told, and the rest is there.
func TestUnusableTasksAreTold(t *testing.T) {
	const dom = `(define (domain d) (:requirements :strips :typing) (:predicates (on ?x) (linked ?x ?y))
		(:action light :parameters (?x ?y) :precondition (and (on ?x) (linked ?x ?y)) :effect (on ?y)))`
	problem := func(init, goal string) string {
		return "(define (problem p) (:domain d) (:objects x y z) (:init " + init + ") (:goal " + goal + "))"
	}
	var entries []Entry
	for _, e := range [][2]string{
		{"fine", problem("(on x) (linked x y)", "(on y)")},
		{"renamed", problem("(on z) (linked z x)", "(on x)")},
		{"done", problem("(on x)", "(on x)")},
		{"never", problem("(on x)", "(on y)")},
		{"broken", "(define (problem p)"},
		{"far", problem("(on x) (linked x y) (linked y z)", "(and (on z) (on y))")},
		{"fine", problem("(on x) (linked x y) (linked y z) (linked z x)", "(and (on z))")},
	} {
		entries = append(entries, Entry{ID: e[0], Load: func() (*pddl.Source, *pddl.Source, error) {
			return pddl.NewSource("d.pddl", dom), pddl.NewSource(e[0]+".pddl", e[1]), nil
		}})
	}
	entries = append(entries, Entry{ID: "gone", Load: func() (*pddl.Source, *pddl.Source, error) { return nil, nil, errors.New("no such file") }})
	s := prepare(t, Options{Sources: []Source{NewList("tasks", entries)}, Settings: Settings{Split: Ratio{100, 0, 0, 0}}})
	m := s.Manifest()
	if want := map[string]int{DropIsomorphic: 1, DropGoalHolds: 1, DropUnsolvable: 1, DropBroken: 2}; fmt.Sprint(m.Dropped) != fmt.Sprint(want) {
		t.Errorf("dropped %v, want %v", m.Dropped, want)
	}
	var told []string
	for _, f := range m.Faults {
		told = append(told, f.ID+" "+f.Reason)
	}
	slices.Sort(told)
	if want := []string{"broken broken", "done goal_holds", "gone broken", "never unsolvable"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	var ids []string
	for _, r := range all(t, s) {
		ids = append(ids, r.ID)
	}
	if want := []string{"fine", "far", "fine+1"}; !slices.Equal(ids, want) {
		t.Errorf("rows %v, want %v", ids, want)
	}
	// With no expansion allowed, the limit is what is told.
	s = prepare(t, Options{Sources: []Source{NewList("tasks", entries[:1])}, Limits: search.Limits{Nodes: 1}})
	if s.Manifest().Rows+s.Manifest().Dropped[DropLimit] != 1 {
		t.Errorf("rows %d, dropped %v", s.Manifest().Rows, s.Manifest().Dropped)
	}
}
