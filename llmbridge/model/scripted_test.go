package model

import (
	"context"
	"strings"
	"testing"

	"planproof/domains"
	"planproof/llmbridge"
	"planproof/pddl"
	"planproof/validator"
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

// judge tells whether an answer holds a valid plan.
func judge(t *testing.T, p *pddl.Problem, text string) bool {
	t.Helper()
	x := llmbridge.NewReader(p.Domain, p).Extract(text)
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
	again.Messages = append(again.Messages, llmbridge.Message{Role: "assistant", Content: "x"}, llmbridge.Message{Role: "user", Content: "no"})
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
		{Input{Messages: []llmbridge.Message{{Role: "user", Content: "task"}, {Role: "assistant", Content: "first"}, {Role: "user", Content: "wrong"}}}, 0, "second", ""},
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
