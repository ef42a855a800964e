package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"pgregory.net/rapid"
)

// promptTasks are tasks that all kinds of prompts can be made of, with one that no
// template knows and one under other names.
func promptTasks(t testing.TB) map[string]Task {
	tasks := map[string]Task{}
	for _, name := range []string{"blocksworld:4-17", "gripper:3", "logistics:1-3-2-1", "elevator:4-2-1-1"} {
		tasks[name] = Task{ID: name, Problem: pddltest.Load(t, name), Bundled: name}
	}
	_, blocks := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	tasks["files"] = Task{ID: "files", Problem: blocks}
	_, plain := pddltest.Parse(t, plainTask, plainTaskProblem)
	tasks["plain"] = Task{ID: "plain", Problem: plain}
	return tasks
}

// A domain without templates in which things can be undone.
const (
	plainTask = `(define (domain rooms) (:requirements :typing) (:types spot key)
  (:predicates (at ?s - spot) (has ?k - key) (lies ?k - key ?s - spot) (joined ?a - spot ?b - spot))
  (:action go :parameters (?from - spot ?to - spot) :precondition (and (at ?from) (joined ?from ?to)) :effect (and (at ?to) (not (at ?from))))
  (:action take :parameters (?k - key ?s - spot) :precondition (and (at ?s) (lies ?k ?s)) :effect (and (has ?k) (not (lies ?k ?s))))
  (:action leave :parameters (?k - key ?s - spot) :precondition (and (at ?s) (has ?k)) :effect (and (lies ?k ?s) (not (has ?k)))))`
	plainTaskProblem = `(define (problem keys) (:domain rooms) (:objects hall attic cellar - spot k1 k2 - key)
  (:init (at hall) (joined hall attic) (joined attic hall) (joined hall cellar) (joined cellar hall) (lies k1 attic) (lies k2 cellar))
  (:goal (and (lies k1 cellar) (lies k2 attic))))`
)

// TestPrompts makes every kind of prompt of every task in both styles and holds it to
// what all prompts promise: spans that fit, the same bytes again, a gold answer that the
// readers read and the judge confirms, and that is not in the prompt.
func TestPrompts(t *testing.T) {
	ctx := context.Background()
	made := map[Kind]int{}
	for name, task := range promptTasks(t) {
		for _, kind := range Kinds() {
			for i, style := range []Style{StyleNL, StylePDDL} {
				o := Options{Kind: kind, Style: style, Seed: uint64(i + 1), Shots: -1}
				if i == 1 && kind != KindGeneralise {
					o.Shots = 1
				}
				rec, err := Make(ctx, task, o)
				if err != nil {
					if !errors.Is(err, ErrOption) {
						t.Errorf("%s, %s: %v", name, kind, err)
					}
					continue
				}
				made[kind]++
				checkSpans(t, &rec.Prompt)
				if i == 0 {
					again, err := Make(ctx, task, o)
					if err != nil || pddltest.JSON(again) != pddltest.JSON(rec) {
						t.Errorf("%s, %s: made twice, differently (%v)", name, kind, err)
					}
				}
				checkGold(t, name, rec)
			}
		}
	}
	// Answers that track the state are read as well, in each style.
	for name, task := range promptTasks(t) {
		for _, style := range []Style{StyleNL, StylePDDL, StyleCompact} {
			rec, err := Make(ctx, task, Options{Style: style, Reasoning: ReasonState})
			if err != nil {
				t.Fatal(err)
			}
			checkGold(t, name+" "+string(style), rec)
		}
	}
	for _, kind := range Kinds() {
		if made[kind] < 4 {
			t.Errorf("%s: only %d prompts were made", kind, made[kind])
		}
	}
}

// checkSpans checks that spans are sorted, apart, and the same in bytes and characters.
func checkSpans(t testing.TB, p *Prompt) {
	t.Helper()
	at, runes := 0, []rune(p.Text)
	for _, s := range p.Spans {
		if s.Start < at || s.End <= s.Start || s.End > len(p.Text) || !utf8.ValidString(p.Text[s.Start:s.End]) {
			t.Fatalf("span %+v after byte %d of %d", s, at, len(p.Text))
		}
		if string(runes[s.RuneStart:s.RuneEnd]) != p.Text[s.Start:s.End] {
			t.Fatalf("span %+v: %q by characters, %q by bytes", s, string(runes[s.RuneStart:s.RuneEnd]), p.Text[s.Start:s.End])
		}
		at = s.End
	}
}

func checkGold(t *testing.T, name string, rec *Record) {
	t.Helper()
	_, prob := pddltest.Parse(t, rec.Domain, rec.Problem)
	g := rec.Gold
	switch rec.Kind {
	case KindVerification:
		x := extract.NewVerdictReader(prob.Domain, prob).Read(g.Text)
		if s := x.Score(g.Verdict); !s.Type || !s.Step {
			t.Errorf("%s, %s: %q is read as %+v, want %+v", name, rec.Kind, g.Text, x, g.Verdict)
		}
		v, err := world.Judge(prob, g.Candidate)
		if err != nil || v.Valid != g.Verdict.Valid {
			t.Errorf("%s, %s: the candidate is valid: %v", name, rec.Kind, err)
		}
	case KindExecution:
		s := extract.NewStateReader(prob.Domain, prob)
		x := s.Read(g.Text)
		if z := s.Score(&x, g.State); !z.Exact {
			t.Errorf("%s, %s: %q is read as %v, want %v", name, rec.Kind, g.Text, x.Facts, g.State)
		}
	case KindUnsolvable:
		x := extract.NewReader(prob.Domain, prob, extract.Natural).Extract(g.Text)
		if x.Status != extract.StatusClaimsUnsolvable || !g.Unsolvable {
			t.Errorf("%s, %s: %q is read as %s", name, rec.Kind, g.Text, x.Status)
		}
		if s, err := world.Solve(context.Background(), prob, search.Limits{}); err != nil || s.Solvable {
			t.Errorf("%s, %s: the task has a plan (%v)", name, rec.Kind, err)
		}
	default:
		x := extract.NewReader(prob.Domain, prob, extract.Natural).Extract(g.Text)
		if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || !slices.Equal(x.Plan, g.Plan) {
			t.Errorf("%s, %s: %q is read as %s %v, want %v", name, rec.Kind, g.Text, x.Status, x.Plan, g.Plan)
		}
		v, err := world.Judge(prob, g.Plan)
		if err != nil || !v.Valid || v.Cost.String() != g.Cost {
			t.Errorf("%s, %s: the gold plan is not valid at cost %s", name, rec.Kind, g.Cost)
		}
		if g.Optimal {
			if s, err := world.Solve(context.Background(), prob, search.Limits{}); err != nil || s.Cost != g.Cost {
				t.Errorf("%s, %s: a plan of cost %s is called optimal, which is %s", name, rec.Kind, g.Cost, s.Cost)
			}
		}
	}
	if !rec.Kind.showsOwnTask() && rec.Kind != KindVerification && rec.Kind != KindUnsolvable && len(g.Plan)+len(g.State) > 2 {
		body := strings.TrimSpace(strings.NewReplacer("[PLAN]", "", "[PLAN END]", "", "[RESULTING STATE]", "").Replace(g.Text))
		if strings.Contains(rec.Prompt.Text, body) || strings.Contains(rec.Prompt.System, body) {
			t.Errorf("%s, %s: the prompt holds its gold answer:\n%s", name, rec.Kind, rec.Prompt.Text)
		}
	}
}

// TestExamplesShowNoAnswer: an example whose plan is or ends in the query's is left out.
func TestExamplesShowNoAnswer(t *testing.T) {
	const walk = `(define (domain walk) (:requirements :strips) (:predicates (at ?p) (way ?p ?q))
  (:action go :parameters (?p ?q) :precondition (and (at ?p) (way ?p ?q)) :effect (and (at ?q) (not (at ?p)))))`
	problem := func(from, to, more string) *pddl.Problem {
		_, p := pddltest.Parse(t, walk, `(define (problem w) (:domain walk) (:objects a b c d e)
  (:init (at `+from+`) (way a b) (way b c) (way c d) (way d e) `+more+`) (:goal (at `+to+`)))`)
		return p
	}
	query := Task{ID: "q", Problem: problem("c", "e", "")} // c d, d e
	for _, c := range []struct {
		what    string
		example *pddl.Problem
		used    bool
	}{
		{"another beginning", problem("b", "d", ""), true},
		{"a part of the plan", problem("c", "d", ""), true},
		{"the plan", problem("c", "e", "(way e a)"), false},
		{"a longer plan that ends in it", problem("a", "e", ""), false},
	} {
		for _, style := range []Style{StyleNL, StylePDDL} {
			rec, err := Make(context.Background(), query, Options{Shots: 1, Style: style, Examples: []*pddl.Problem{c.example}})
			if c.used != (err == nil) || err != nil && !errors.Is(err, ErrOption) {
				t.Errorf("%s, %s: %v, want it used: %v", c.what, style, err, c.used)
			}
			if err == nil && !strings.Contains(rec.Prompt.Text, "[PLAN]") {
				t.Errorf("%s, %s: no example", c.what, style)
			}
		}
	}
}

// TestExamplesAreOthers: no example has the query's initial state and goal, or another
// example's, whatever the seed.
func TestExamplesAreOthers(t *testing.T) {
	for name, task := range promptTasks(t) {
		if name == "elevator:4-2-1-1" {
			continue // slower, by the same code
		}
		for seed := range uint64(5) {
			m := &maker{ctx: context.Background(), o: Options{Kind: KindGeneration, Style: StyleNL, Reasoning: ReasonNone, Shots: 4, Seed: seed}, task: task, seen: map[string]bool{}}
			var err error
			if m.prob, err = m.prepare(task.Problem); err != nil {
				t.Fatal(err)
			}
			m.seen[taskKey(m.prob)] = true
			items, err := m.examples(newBuilder(m.o), &item{prob: m.prob})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			keys := map[string]bool{taskKey(m.prob): true}
			for _, it := range items {
				if k := taskKey(it.prob); keys[k] {
					t.Errorf("%s, seed %d: %s again", name, seed, k)
				}
				keys[taskKey(it.prob)] = true
				if v, err := world.Judge(it.prob, it.plan); err != nil || !v.Valid {
					t.Errorf("%s: an example's plan is not valid", name)
				}
			}
		}
	}
	// Given examples that are the query itself are not used.
	task := promptTasks(t)["files"]
	_, err := Make(context.Background(), task, Options{Shots: 1, Examples: []*pddl.Problem{task.Problem}})
	if !errors.Is(err, ErrOption) {
		t.Errorf("the query as its own example: %v", err)
	}
	// Nor are those that are the query but for what it forbids.
	free := promptTasks(t)["blocksworld:4-17"].Problem
	bound := pddltest.Forbid(t, free, "(stack b a)")
	if _, err := Make(context.Background(), Task{ID: "bound", Problem: bound}, Options{Shots: 1, Examples: []*pddl.Problem{free}}); !errors.Is(err, ErrOption) {
		t.Errorf("the query without constraints as its own example: %v", err)
	}
}

// TestMasks: masks remove what they say and nothing else, more of it at higher ratios.
func TestMasks(t *testing.T) {
	task := promptTasks(t)["blocksworld:4-17"]
	budget := costmodel.BudgetSpec{Level: costmodel.Explicit, Amount: pddl.Int(22)}
	for _, style := range []Style{StyleNL, StylePDDL} {
		o := Options{Style: style, Shots: 1, Budget: &budget, NoGold: true, Seed: 5, Constraints: []string{"The red block must never be held, caf\u00e9 or not."}}
		full, err := Make(context.Background(), task, o)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[SpanKind]int{}
		for _, s := range full.Prompt.Spans {
			kinds[s.Kind]++
		}
		if kinds[SpanRule] < 4 || kinds[SpanGoal] != 2 || kinds[SpanBudget] != 2 || kinds[SpanConstraint] < 1 {
			t.Errorf("%s: spans %v", style, kinds)
		}
		rapid.Check(t, func(t *rapid.T) {
			m := Mask{Constraints: rapid.Bool().Draw(t, "constraints"), Goal: rapid.Bool().Draw(t, "goal"), Percent: rapid.IntRange(0, 100).Draw(t, "percent"), Seed: rapid.Uint64().Draw(t, "seed")}
			got, masked := m.Apply(&full.Prompt)
			var rest strings.Builder
			at := 0
			for _, s := range masked {
				if !(m.Constraints && s.Kind.isConstraint()) && !(m.Goal && s.Kind == SpanGoal && s.Example == 0) {
					t.Fatalf("masked %+v", s)
				}
				rest.WriteString(full.Prompt.Text[at:s.Start])
				at = s.End
			}
			rest.WriteString(full.Prompt.Text[at:])
			if got.Text != rest.String() {
				t.Fatalf("the text is not what is left")
			}
			if len(got.Spans)+len(masked) != len(full.Prompt.Spans) {
				t.Fatalf("%d spans and %d masked of %d", len(got.Spans), len(masked), len(full.Prompt.Spans))
			}
			at = 0
			for _, s := range got.Spans {
				if s.Start < at || string([]rune(got.Text)[s.RuneStart:s.RuneEnd]) != got.Text[s.Start:s.End] {
					t.Fatalf("span %+v does not fit", s)
				}
				at = s.End
			}
			less := m
			less.Percent = rapid.IntRange(0, m.Percent).Draw(t, "less")
			_, fewer := less.Apply(&full.Prompt)
			for _, s := range fewer {
				if !slices.Contains(masked, s) {
					t.Fatalf("%+v is masked at %d %% and not at %d %%", s, less.Percent, m.Percent)
				}
			}
		})
		all := Mask{Constraints: true, Percent: 100}
		got, _ := all.Apply(&full.Prompt)
		for _, s := range got.Spans {
			if s.Kind.isConstraint() {
				t.Errorf("%s: %s is left at 100 %%", style, s.Kind)
			}
		}
		if strings.Contains(got.Text, "time limit") || strings.Contains(got.Text, ":precondition") || strings.Contains(got.Text, "restrictions") {
			t.Errorf("%s: constraints are left:\n%s", style, got.Text)
		}
		none := Mask{Constraints: true, Goal: true, Percent: 0}
		if got, masked := none.Apply(&full.Prompt); got.Text != full.Prompt.Text || len(masked) > 0 {
			t.Errorf("%s: 0 %% masks something", style)
		}
	}
}

// TestBudgets: budgets are told as limits in minutes, and costs as they are.
func TestBudgets(t *testing.T) {
	schedule, err := costmodel.ParseSchedule("pick-up=1,unstack=1,put-down=20,stack=1")
	if err != nil {
		t.Fatal(err)
	}
	task := promptTasks(t)["blocksworld:4-17"]
	slack := func(*pddl.Problem) (pddl.Number, error) { return pddl.Int(42), nil }
	for _, c := range []struct {
		level  costmodel.Level
		amount int64
		want   string
	}{{costmodel.Tight, 0, "29 minutes"}, {costmodel.Loose, 0, "71 minutes"}, {costmodel.Unlimited, 0, ""}, {costmodel.Explicit, 1, "1 minute."}} {
		spec := costmodel.BudgetSpec{Level: c.level, Amount: pddl.Int(c.amount)}
		rec, err := Make(context.Background(), task, Options{Kind: KindCostOptimal, Budget: &spec, Slack: slack, Reprice: schedule.Apply})
		if err != nil {
			t.Fatal(err)
		}
		text := rec.Prompt.Text
		if c.want == "" != !strings.Contains(text, "The time limit is") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.level, text)
		}
		for _, s := range []string{": 20 minutes\n", ": 1 minute\n", "least time"} {
			if !strings.Contains(text, s) {
				t.Errorf("%s: no %q in\n%s", c.level, s, text)
			}
		}
		if rec.Gold.Cost != "29" || !strings.Contains(rec.Gold.Text, "The total time to execute the plan is 29 minutes.") {
			t.Errorf("gold: %+v", rec.Gold)
		}
	}
	// Costs that depend on the objects are told with the initial state.
	rec, err := Make(context.Background(), promptTasks(t)["elevator:4-2-1-1"], Options{Kind: KindCostOptimal})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"as many minutes as the way from floor FROM to floor TO takes", "the way from f0 to f1 takes 3"} {
		if !strings.Contains(rec.Prompt.Text, s) {
			t.Errorf("no %q in\n%s", s, rec.Prompt.Text)
		}
	}
}

// TestReasoning: the ways to ask for reasoning, and that what they show is read as the
// plan that it shows.
func TestReasoning(t *testing.T) {
	task := promptTasks(t)["blocksworld:4-17"]
	for _, reasoning := range []Reasoning{ReasonCoT, ReasonState} {
		rec, err := Make(context.Background(), task, Options{Reasoning: reasoning, Shots: 1, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		_, prob := pddltest.Parse(t, rec.Domain, rec.Problem)
		if x := extract.NewReader(prob.Domain, prob, extract.Natural).Extract(rec.Gold.Text); !slices.Equal(x.Plan, rec.Gold.Plan) {
			t.Errorf("%s: %s\nis read as %v", reasoning, rec.Gold.Text, x.Plan)
		}
		want := map[Reasoning]string{ReasonCoT: "it must hold that", ReasonState: "   Resulting State: "}[reasoning]
		if !strings.Contains(rec.Prompt.Text, want) {
			t.Errorf("%s: no %q in\n%s", reasoning, want, rec.Prompt.Text)
		}
	}
	rec, err := Make(context.Background(), task, Options{Incantation: "2", System: "think", PlanTags: true, Shots: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(rec.Prompt.Text, Incantations[1]+"\n") || !strings.Contains(rec.Prompt.System, "<think>") || !strings.Contains(rec.Prompt.System, "<plan>") {
		t.Errorf("%q\n%s", rec.Prompt.System, rec.Prompt.Text)
	}
	if m := rec.Prompt.Messages(); len(m) != 2 || m[0].Role != "system" || m[1].Content != rec.Prompt.Text {
		t.Errorf("messages %+v", m)
	}
}

// TestRenamedPrompts: a renamed task tells nothing of the old names, and its answers come
// back.
func TestRenamedPrompts(t *testing.T) {
	task := promptTasks(t)["blocksworld:4-17"]
	for _, style := range []RenameStyle{RenameMystery, RenameRandom} {
		rec, err := Make(context.Background(), task, Options{Rename: style, Shots: 1, Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{"block", "stack", "clear", "hand", "table", "hold"} {
			if strings.Contains(strings.ToLower(rec.Prompt.Text), w) {
				t.Errorf("%s: %q in\n%s", style, w, rec.Prompt.Text)
			}
		}
		var back []string
		for _, s := range rec.Gold.Plan {
			back = append(back, rec.Names.Back(s))
		}
		if v, err := world.Judge(task.Problem, back); err != nil || !v.Valid {
			t.Errorf("%s: %v is not valid under the old names", style, back)
		}
	}
}

// TestMysteryTellsNothing: nor do the templates of mystery domains, by the names of
// variables.
func TestMysteryTellsNothing(t *testing.T) {
	_, prob := pddltest.Parse(t, strings.ReplaceAll(pddltest.MysteryDomain, "?y", "?underob"), pddltest.MysteryProblem)
	rec, err := Make(context.Background(), Task{Problem: prob}, Options{NoGold: true})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Templates != "mystery_blocksworld" || strings.Contains(rec.Prompt.Text, "UNDER") || !strings.Contains(rec.Prompt.Text, "overcome object X1 from object X2") {
		t.Errorf("%s:\n%s", rec.Templates, rec.Prompt.Text)
	}
}

func TestPromptRefuses(t *testing.T) {
	tasks := promptTasks(t)
	spec := costmodel.BudgetSpec{Level: costmodel.Loose}
	_, unsolvable := pddltest.Parse(t, pddltest.BlocksDomain, strings.Replace(pddltest.BlocksProblem, "(on a b)", "(on a b) (on b a)", 1))
	for _, c := range []struct {
		task Task
		o    Options
		want string
	}{
		{tasks["files"], Options{Kind: "poem"}, "no task kind"},
		{tasks["files"], Options{Style: "latin"}, "no style"},
		{tasks["files"], Options{Reasoning: "deep"}, "no reasoning"},
		{tasks["files"], Options{Templates: "chess"}, "no templates"},
		{tasks["files"], Options{Candidate: "odd"}, "no candidate"},
		{tasks["files"], Options{Rename: "pirate"}, "mystery or random"},
		{tasks["files"], Options{Constraints: []string{" "}}, "one line of text"},
		{tasks["files"], Options{Constraints: []string{"a\nb"}}, "one line of text"},
		{tasks["files"], Options{Kind: KindExecution, Reasoning: ReasonState}, "state tracking"},
		{tasks["files"], Options{Kind: KindGeneralise, Shots: 1}, "smaller tasks"},
		{tasks["files"], Options{Kind: KindGeneralise}, "must not be 0"},
		{tasks["files"], Options{Kind: KindGoalShuffle}, "two facts"},
		{tasks["files"], Options{Budget: &spec}, "slack"},
		{tasks["files"], Options{Without: Mask{Constraints: true, Percent: 101}}, "0 to 100"},
		{Task{Problem: unsolvable}, Options{}, "has no plan"},
	} {
		if _, err := Make(context.Background(), c.task, c.o); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	if _, err := Make(context.Background(), tasks["blocksworld:4-17"], Options{Limits: search.Limits{Nodes: 1}}); !errors.Is(err, search.ErrLimit) {
		t.Errorf("one node: %v", err)
	}
	for _, text := range []string{"", "rules", "goal,cost"} {
		if _, err := ParseMask(text); !errors.Is(err, ErrOption) {
			t.Errorf("mask %q: %v", text, err)
		}
	}
	if m, err := ParseMask("goal, constraints"); err != nil || !m.Goal || !m.Constraints || m.Percent != 100 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestPromptRecordJSON: the record is one object whose prompt holds no gold.
func TestPromptRecordJSON(t *testing.T) {
	rec, err := Make(context.Background(), promptTasks(t)["files"], Options{Kind: KindExecution})
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]json.RawMessage
	if err := json.Unmarshal([]byte(pddltest.JSON(rec)), &row); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"id", "kind", "prompt", "domain_text", "problem_text", "gold"} {
		if row[k] == nil {
			t.Errorf("no %s", k)
		}
	}
	if strings.Contains(string(row["prompt"]), "gold") {
		t.Error("gold in the prompt")
	}
}
