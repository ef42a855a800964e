package model

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

func problem(t *testing.T, name string) *pddl.Problem {
	t.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	dom, diags := pddl.ParseDomain(d, pddl.Options{})
	prob, more := pddl.ParseProblem(p, dom, pddl.Options{})
	if append(diags, more...).HasErrors() {
		t.Fatal(diags, more)
	}
	return prob
}

// judge reports whether an answer holds a valid plan.
func judge(t *testing.T, p *pddl.Problem, text string) bool {
	t.Helper()
	x := extract.NewReader(p.Domain, p, extract.Natural).Extract(text)
	j, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := j.ValidateText(pddl.NewSourceBytes("plan", []byte(x.PlanText())), j.NewScratch())
	return v.Valid
}

func TestScripted(t *testing.T) {
	p := problem(t, "blocksworld:4-17")
	ask := func(spec string, req Request) string {
		t.Helper()
		m, err := NewScripted(spec)
		if err != nil {
			t.Fatal(err)
		}
		req.Problem = p
		r, err := m.Generate(context.Background(), &req)
		if err != nil {
			t.Fatal(spec, err)
		}
		return r.Samples[len(r.Samples)-1].Text
	}
	again := chat("plan")
	again.Messages = append(again.Messages, prompt.Message{Role: "assistant", Content: "x"}, prompt.Message{Role: "user", Content: "no"})
	for _, test := range []struct {
		spec  string
		in    Input
		valid bool
	}{
		{"optimal", chat("plan"), true}, {"careless", chat("plan"), false}, {"careless", again, true}, {"silent", chat("plan"), false},
	} {
		if got := judge(t, p, ask(test.spec, Request{Input: test.in})); got != test.valid {
			t.Errorf("%s: valid %v", test.spec, got)
		}
	}
	walks := map[string]bool{}
	for i := range 8 {
		req := Request{Input: chat("plan"), Seed: ptr(int64(i))}
		a := ask("uniform", req)
		if a != ask("uniform", req) {
			t.Error("two answers to one request")
		}
		walks[a] = true
	}
	if len(walks) < 6 {
		t.Errorf("%d different walks of 8", len(walks))
	}
	if _, err := NewScripted("clever"); err == nil || !strings.Contains(err.Error(), "uniform") {
		t.Error(err)
	}
}

func TestTable(t *testing.T) {
	table, err := ReadTable(strings.NewReader(`{"contains":["wrong"],"texts":["second"]}
{"contains":["task"],"texts":["first","other"]}
{"contains":["rain"],"error":"outage"}`))
	if err != nil {
		t.Fatal(err)
	}
	m := &Scripted{name: "scripted:t", answer: table.answer}
	for _, test := range []struct {
		in     Input
		sample int
		want   string
		kind   ErrorKind
	}{
		{chat("a task"), 0, "first", ""}, {chat("a task"), 1, "other", ""}, {chat("a task"), 2, "first", ""}, {chat("rain"), 0, "", KindOutage},
		{chat("snow"), 0, "", KindMissing},
		{Input{Messages: []prompt.Message{{Role: "user", Content: "task"}, {Role: "assistant", Content: "first"}, {Role: "user", Content: "wrong"}}}, 0, "second", ""},
	} {
		r, err := m.Generate(context.Background(), &Request{Input: test.in, Sample: test.sample})
		if KindOf(err) != test.kind || err == nil && r.Samples[0].Text != test.want {
			t.Errorf("%+v: %+v, %v", test.in, r, err)
		}
	}
	for _, bad := range []string{`{"texts":[]}`, `{}`, `{"texts":["a"],"error":"outage"}`, `[`, `{"text":["a"]}`} {
		if _, err := ReadTable(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestScriptedDistance: scores are what an action misses the cheapest plan by, forward
// and backward; what is no prompt of tree search is not scored.
func TestScriptedDistance(t *testing.T) {
	m, err := NewScripted("distance")
	if err != nil {
		t.Fatal(err)
	}
	prob := problem(t, "blocksworld:3-3")
	r, ok := prompt.NewRenderer(prob, "")
	if !ok {
		t.Fatal("no templates")
	}
	task, err := grounder.Ground(t.Context(), prob, grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := space.Exhaust(t.Context(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	score := func(prompt string, said ...string) []Score {
		t.Helper()
		resp, err := m.Score(t.Context(), &ScoreRequest{Input: Input{Prompt: prompt}, Continuations: said, Problem: prob})
		if err != nil {
			t.Fatalf("%v in\n%s", err, prompt)
		}
		return resp.Scores
	}
	// Along a cheapest plan, each applicable action is scored by the table.
	state, told, zeros := table.Initial(), "", 0
	for !table.IsGoal(state) {
		here, _ := table.Distance(state)
		prompt := "[STATEMENT]\n"
		if told != "" {
			prompt += "[PREVIOUS PLAN]\n" + told + "[PREVIOUS PLAN END]\n"
		}
		next := ""
		for _, op := range table.Applicable(state, nil) {
			name := task.OperatorName(op)
			to, cost, err := table.Apply(state, name)
			if err != nil {
				t.Fatal(err)
			}
			there, _ := table.Distance(to)
			want := -5 * float64(cost+there.Cost-here.Cost)
			said := r.Step(name)
			good := prompt + "[ACTION]\n" + said + "\n\nIs this action a good choice?\n"
			for _, got := range []Score{score(prompt+"The next action\n", said+"\n")[0], score(good, "good")[0]} {
				if got.Logprob != want {
					t.Errorf("%s after %q: %g, want %g", name, told, got.Logprob, want)
				}
			}
			if want == 0 {
				next = name
			}
		}
		if next == "" {
			t.Fatal("no action is on a cheapest plan")
		}
		zeros++
		state, _, _ = table.Apply(state, next)
		told += r.Step(next) + "\n"
	}
	if int64(zeros) != table.InitialDistance().Cost {
		t.Errorf("a plan of %d steps, want %d", zeros, table.InitialDistance().Cost)
	}
	// Backward from the goal: the last action of the cheapest plan is best.
	prompt := "[STATEMENT]\nMy goal is to have that " + r.Goal() + ".\nThe last action of my plan is as follows:\n"
	steps := strings.Split(strings.TrimSpace(told), "\n")
	if got := score(prompt, steps[len(steps)-1]+"\n"); got[0].Logprob != 0 {
		t.Errorf("the last action: %v", got)
	}
	for _, bad := range []ScoreRequest{
		{Input: Input{Prompt: "What is 2 + 2?"}, Continuations: []string{"4"}, Problem: prob},
		{Input: Input{Prompt: "[STATEMENT]\n"}, Continuations: []string{"nonsense"}, Problem: prob},
		{Input: Input{Prompt: "[STATEMENT]\n"}, Continuations: []string{steps[0]}},
	} {
		if got, err := m.Score(t.Context(), &bad); !errors.Is(err, ErrUnsupported) || got != nil {
			t.Errorf("%q scored: %v, %v", bad.Continuations, got, err)
		}
	}
}
