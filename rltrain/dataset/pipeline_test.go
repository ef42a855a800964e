package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"planproof/costmodel"
	"planproof/domains"
	"planproof/llmbridge"
	"planproof/pddl"
	"planproof/rltrain"
	"planproof/search"
	"planproof/validator"
)

// prepare makes a set or fails.
func prepare(t testing.TB, o Options) *Set {
	t.Helper()
	if o.Dedup == "" {
		o.Dedup = DedupIsomorphic
	}
	if o.Names == "" {
		o.Names = NamesOwn
	}
	if o.Split == (Ratio{}) {
		o.Split = DefaultRatio
	}
	s, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all makes all rows of a set.
func all(t testing.TB, s *Set) []*Record {
	t.Helper()
	var rows []*Record
	for _, split := range Splits() {
		if err := s.Records(context.Background(), split, func(r *Record) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func kind(t testing.TB, name string, params map[string]int, count int) Source {
	t.Helper()
	src, err := NewBundled(name, domains.GenerateOptions{Params: params, Count: count}, fmt.Sprint(name, params))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func exhaust(t testing.TB, n int, oneOfEach bool) Source {
	t.Helper()
	src, err := NewExhaustive(context.Background(), n, oneOfEach, 1)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// sets are data sets of many kinds.
func sets(t testing.TB) map[string]Options {
	made.Lock()
	defer made.Unlock()
	if made.options == nil {
		made.options = newSets(t)
	}
	return made.options
}

// made keeps the sets and their rows: several tests look at them, and change nothing.
var made struct {
	sync.Mutex
	options map[string]Options
	sets    map[string]*Set
	rows    map[string][]*Record
}

// rowsOf are the rows of one of sets.
func rowsOf(t testing.TB, name string) []*Record {
	o := sets(t)[name]
	made.Lock()
	defer made.Unlock()
	if made.rows[name] == nil {
		if made.rows == nil {
			made.rows, made.sets = map[string][]*Record{}, map[string]*Set{}
		}
		made.sets[name] = prepare(t, o)
		made.rows[name] = all(t, made.sets[name])
	}
	return made.rows[name]
}

func newSets(t testing.TB) map[string]Options {
	return map[string]Options{
		"thesis":      {Settings: Settings{Dedup: DedupNone, Names: NamesColourSets, Seed: 5, BinCount: 4}, Sources: []Source{exhaust(t, 3, false), Sample(exhaust(t, 4, false), 60, 1)}},
		"domains":     {Settings: Settings{Seed: 2}, Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 4}, 15), kind(t, "logistics", map[string]int{"packages": 1}, 8), kind(t, "elevator", map[string]int{"passengers": 2}, 6), kind(t, "powergrid", nil, 4)}},
		"words":       {Settings: Settings{Names: "words", Style: "pddl", Edges: []float64{4, 8}}, Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 3}, 40), kind(t, "gripper", map[string]int{"balls": 2}, 1)}},
		"small list":  {Settings: Settings{Names: "a,b,c,d", Style: "compact", Seed: 3}, Sources: []Source{Sample(exhaust(t, 4, true), 40, 2)}},
		"constrained": {Settings: Settings{Dedup: DedupNone, Names: "letters", Style: "compact", Constraints: Constraints{Min: 0, Max: 2, Variants: 3}}, Sources: []Source{Sample(exhaust(t, 4, false), 24, 1)}},
		"priced":      {Settings: Settings{Dedup: DedupExact, Names: "colours", Schedule: "put-down=20,*=1"}, Schedule: schedule(t, "put-down=20,*=1"), Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 4}, 20)}},
		"shots":       {Settings: Settings{Names: "letters", Shots: 1, System: "think", Reasoning: "cot", PlanTags: true}, Sources: []Source{Sample(exhaust(t, 4, true), 20, 3)}},
	}
}

func schedule(t testing.TB, text string) costmodel.Schedule {
	t.Helper()
	s, err := costmodel.ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

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
				if r.Task != rltrain.TaskSum(r.DomainText, r.ProblemText) {
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
				if got := llmbridge.NewReader(p.Domain, p).Extract(r.Answer).Plan; !slices.Equal(got, r.Gold.Plan) {
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

// Held-out data is held out by structure: no structure is in two splits, but for the contaminated half of
// the test, all of whose structures are in train, under other names.
func TestNoStructureInTwoSplits(t *testing.T) {
	for name, o := range sets(t) {
		for _, seed := range []uint64{o.Seed, 77} {
			rows := rowsOf(t, name)
			if seed != o.Seed {
				if name != "words" && name != "small list" {
					continue // two are enough
				}
				o.Seed = seed
				rows = all(t, prepare(t, o))
			}
			splits := map[string]map[string]bool{}
			tasks := map[string]map[string]bool{}
			base := map[string]string{} // of the task without constraints
			for _, r := range rows {
				if splits[r.Split] == nil {
					splits[r.Split], tasks[r.Split] = map[string]bool{}, map[string]bool{}
				}
				splits[r.Split][r.Structure] = true
				tasks[r.Split][r.Task] = true
				free, err := domains.Unrestricted(parseTask(t, r.DomainText, r.ProblemText))
				if err != nil {
					t.Fatal(err)
				}
				st := StructureOf(free)
				key := st.String()
				if at, ok := base[key]; ok && at != r.Split && r.Split != TestContaminated {
					t.Errorf("%s: %s is in %s and, with other constraints, in %s", name, r.ID, r.Split, at)
				} else if !ok && r.Split != TestContaminated {
					base[key] = r.Split
				}
			}
			for st := range splits[TestContaminated] {
				if !splits[Train][st] || splits[Val][st] || splits[TestClean][st] {
					t.Errorf("%s, seed %d: the contaminated %s is not in train alone", name, seed, st)
				}
			}
			for task := range tasks[TestContaminated] {
				if o.Dedup != DedupNone && tasks[Train][task] {
					t.Errorf("%s, seed %d: a contaminated task is in train under the same names", name, seed)
				}
			}
			for _, pair := range [][2]string{{Train, Val}, {Train, TestClean}, {Val, TestClean}} {
				for st := range splits[pair[0]] {
					if splits[pair[1]][st] {
						t.Errorf("%s, seed %d: %s is in %s and in %s", name, seed, st, pair[0], pair[1])
					}
				}
			}
		}
	}
}

// Where structures are not found within bounds, tasks that are the same but for names stay
// together all the same.
func TestInexactStructuresStayTogether(t *testing.T) {
	o := Options{Settings: Settings{Dedup: DedupNone, Style: "compact", Split: Ratio{40, 30, 30, 0}}, Sources: []Source{exhaust(t, 3, false), Sample(exhaust(t, 4, false), 40, 1)}, structureWork: 120}
	s := prepare(t, o)
	if n := s.Manifest().Inexact; n < 20 || n == s.Manifest().Structures {
		t.Fatalf("%d of %d structures are inexact: the test shows nothing", n, s.Manifest().Structures)
	}
	split, splits := map[[32]byte]string{}, map[string]bool{}
	for _, r := range all(t, s) {
		exact := StructureOf(parseTask(t, r.DomainText, r.ProblemText))
		if at, ok := split[exact.Hash]; ok && at != r.Split {
			t.Errorf("%s is in %s, and a task that differs in names only in %s", r.ID, r.Split, at)
		}
		split[exact.Hash], splits[r.Split] = r.Split, true
	}
	if len(splits) != 3 {
		t.Errorf("splits %v", splits)
	}
}

// What another data set has is left out, with or without constraints and whatever it is called.
func TestExclude(t *testing.T) {
	rows := rowsOf(t, "constrained")
	var entries []Entry
	theirs := map[string]bool{}
	base := func(r *Record) string {
		free, err := domains.Unrestricted(parseTask(t, r.DomainText, r.ProblemText))
		if err != nil {
			t.Fatal(err)
		}
		st := StructureOf(free)
		return st.String()
	}
	for _, r := range rows {
		theirs[base(r)] = true
		entries = append(entries, Entry{ID: r.ID, Load: func() (*pddl.Source, *pddl.Source, error) {
			return pddl.NewSource("d", r.DomainText), pddl.NewSource("p", r.ProblemText), nil
		}})
	}
	o := Options{Settings: Settings{Style: "compact", Names: "colours"}, Sources: []Source{exhaust(t, 4, true)}, Exclude: []Source{NewList("theirs", entries)}}
	s := prepare(t, o)
	for _, r := range all(t, s) {
		if theirs[base(r)] {
			t.Errorf("%s is there", r.ID)
		}
	}
	if m := s.Manifest(); m.Dropped[DropExcluded] != len(theirs) || m.Options.Excluded != len(theirs) || m.Structures != 223-len(theirs) {
		t.Errorf("%d structures of theirs; %+v", len(theirs), m.Dropped)
	}
	// Where exact structures are not found, too much is left out rather than too little.
	o.structureWork = 120
	o.Sources = []Source{Sample(exhaust(t, 4, false), 200, 4)}
	o.Dedup = DedupNone
	for _, r := range all(t, prepare(t, o)) {
		if theirs[base(r)] {
			t.Errorf("within bounds, %s is there", r.ID)
		}
	}
}

// A contaminated task is never in train as it is, even where all tasks of its structure are.
func TestContaminatedTasksHaveOtherNames(t *testing.T) {
	for _, names := range []string{NamesOwn, NamesColourSets} {
		train, contaminated := map[string]bool{}, 0
		for _, r := range all(t, prepare(t, Options{Settings: Settings{Dedup: DedupNone, Names: names, Style: "compact", Split: Ratio{50, 0, 0, 50}}, Sources: []Source{exhaust(t, 3, false)}})) {
			switch r.Split {
			case Train:
				train[r.ProblemText[strings.Index(r.ProblemText, "(:init"):]] = true
			case TestContaminated:
				contaminated++
				if train[r.ProblemText[strings.Index(r.ProblemText, "(:init"):]] {
					t.Errorf("%s, %s is in train", names, r.ID)
				}
			}
		}
		if contaminated != 78 || len(train) != 156 {
			t.Errorf("%s: %d contaminated tasks, %d in train", names, contaminated, len(train))
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

func formatNamed(t testing.TB, name string) Format {
	t.Helper()
	f, err := FindFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func readAll(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

func sameFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for name, data := range a {
		if !bytes.Equal(data, b[name]) {
			return false
		}
	}
	return true
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

// Splits have the sizes that were asked for, in every source by itself.
func TestApportion(t *testing.T) {
	for _, c := range []struct {
		n    int
		r    Ratio
		want [4]int
	}{
		{10, DefaultRatio, [4]int{7, 1, 1, 1}}, {26, DefaultRatio, [4]int{18, 3, 3, 2}}, {0, DefaultRatio, [4]int{}},
		{1, DefaultRatio, [4]int{1, 0, 0, 0}}, {3, Ratio{50, 50, 0, 0}, [4]int{2, 1, 0, 0}}, {1000, Ratio{33.4, 33.3, 33.3, 0}, [4]int{334, 333, 333, 0}},
	} {
		if got := apportion(c.n, c.r); got != c.want {
			t.Errorf("%d by %v: %v, want %v", c.n, c.r, got, c.want)
		}
	}
}

func TestBins(t *testing.T) {
	for _, c := range []struct {
		b     *bins
		names string
		of    map[float64]string
	}{
		{newBins([]float64{4, 5, 8}), "0-4 5 6-8 9+", map[float64]string{0: "0-4", 4: "0-4", 5: "5", 6: "6-8", 8: "6-8", 9: "9+"}},
		{newBins([]float64{1.5}), "<=1.5 >1.5", map[float64]string{1.5: "<=1.5", 1.6: ">1.5"}},
		{newBins(nil), "all", map[float64]string{3: "all"}},
		{quantileBins([]float64{2, 2, 2, 4, 4, 6, 6, 8}, 4), "0-2 3-4 5-6 7+", nil},
		{quantileBins([]float64{2, 2, 2, 2}, 4), "all", nil},
		{quantileBins(nil, 4), "all", nil},
	} {
		if got := strings.Join(c.b.names, " "); got != c.names {
			t.Errorf("bins %s, want %s", got, c.names)
		}
		for x, want := range c.of {
			if got := c.b.names[c.b.of(x)]; got != want {
				t.Errorf("%v is in %s, want %s", x, got, want)
			}
		}
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for i := range 1000 {
		h.add(1000 + i)
	}
	h.finish()
	if h.Min != 1000 || h.Max != 1999 || h.Half != 1499 || h.P90 != 1899 || h.P99 != 1989 || len(h.Bins) != 20 || h.Bins[0] != (LengthBin{1049, 50}) {
		t.Errorf("%+v", h)
	}
	h = Histogram{}
	h.add(7)
	h.finish()
	if h.Half != 7 || len(h.Bins) != 1 || h.Bins[0] != (LengthBin{7, 1}) {
		t.Errorf("%+v", h)
	}
}

// A sample has different tasks, in order, and another one for another seed.
func TestSample(t *testing.T) {
	src := exhaust(t, 3, false)
	a, b := Sample(src, 20, 1), Sample(src, 20, 2)
	var ids [2][]string
	for i := range 20 {
		ids[0], ids[1] = append(ids[0], a.ID(i)), append(ids[1], b.ID(i))
	}
	seen := map[string]bool{}
	for _, id := range ids[0] {
		seen[id] = true
	}
	if a.Len() != 20 || len(seen) != 20 || slices.Equal(ids[0], ids[1]) || Sample(src, 500, 1).Len() != 156 {
		t.Errorf("%v, %v", ids[0], ids[1])
	}
}

func TestSettingsOfBadText(t *testing.T) {
	for _, text := range []string{"", "70,10,10", "70,10,10,20", "a,b,c,d", "-10,60,40,10", "NaN,0,0,100"} {
		if r, err := ParseRatio(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
	for _, text := range []string{"4,4", "8,4", "x", "-1", "NaN", "1e400"} {
		if e, err := ParseEdges(text); err == nil {
			t.Errorf("%q is read as %v", text, e)
		}
	}
}

// Tasks that differ in names only may become one task under the names that rows get. None
// is then in two rows, and above all none that is tested was trained on, whatever the
// order of its objects and facts.
func TestNoTaskTwiceUnderDrawnNames(t *testing.T) {
	for _, c := range []struct {
		names, dedup string
		same         bool // left out within a split, too
	}{{"a,b,c,d,e,f,g", DedupExact, true}, {"a,b,c", DedupExact, true}, {NamesColourSets, DedupNone, false}} {
		o := Options{Settings: Settings{Dedup: c.dedup, Names: c.names, Seed: 1, Style: "compact", Goals: 1, Split: Ratio{60, 5, 10, 25}}, Sources: []Source{exhaust(t, 3, false)}}
		s := prepare(t, o)
		rows := all(t, s)
		first := map[string]*Record{}
		twice := 0
		for _, r := range rows { // train comes first
			lines := strings.Split(r.ProblemText, "\n")[1:] // all but the problem's name
			slices.Sort(lines)
			key := strings.Join(lines, "\n")
			before := first[key]
			switch {
			case before == nil:
				first[key] = r
			case r.Split == TestContaminated && before.Split != TestContaminated:
				t.Errorf("%s, %s: %s is %s of %s", c.names, c.dedup, r.ID, before.ID, before.Split)
			default:
				twice++
			}
		}
		m := s.Manifest()
		if c.same && twice > 0 || m.Dropped[DropSame] == 0 || len(rows) != m.Rows {
			t.Errorf("%s, %s: %d tasks are there twice; %d rows, manifest %d, left out %v", c.names, c.dedup, twice, len(rows), m.Rows, m.Dropped)
		}
	}
}
