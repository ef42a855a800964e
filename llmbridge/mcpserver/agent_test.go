package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof"
)

type verdict struct {
	Valid       bool
	Cost        string
	Steps       int
	GoalReached bool `json:"goal_reached"`
	Failure     *struct{ Kind, Message string }
}

type state struct {
	Session               string
	Steps, Actions, Facts []string
	Added, Deleted        []string
	Verdict               verdict
}

type solved struct {
	Status, Cost, Goal, Step string
	Plan                     []string
	Bounds                   *struct{ Lower string }
	Certificate              *struct {
		URI, Error string
		Bytes      int
	}
}

// claim is what an agent says of a task when it has solved it.
type claim struct {
	task, cost string
	plan       []string
}

// agentTasks are ten tasks of different kinds.
var agentTasks = strings.Fields("blocksworld:4-17 blocksworld:5-1 blocksworld:6-5 gripper:1 gripper:2 gripper:3-3 logistics:1-2-1-1 elevator:3-2-1-1 elevator:4-3-1-1 trip:1-3-2")

// TestAgent: a scripted agent solves ten tasks by walking through them, step by step, looking at its regret, and
// takes back what was wrong. Each claim is then proved again without the server: the plan by the
// judge of a task read anew, the cost by the certificate.
func TestAgent(t *testing.T) {
	for name, open := range map[string]func(testing.TB, *Server) *client{"memory": connect, "pipe": connectPipe} {
		t.Run(name, func(t *testing.T) {
			c := open(t, New(Options{}))
			tasks := agentTasks
			if name == "pipe" && testing.Short() {
				tasks = tasks[:2]
			}
			for _, task := range tasks {
				prove(t, c, walkThrough(c, task))
			}
			if len(c.codes) != 0 {
				t.Errorf("problems: %v", c.codes)
			}
		})
	}
}

// walkThrough solves a task greedily: it takes the first step without regret, and takes others back.
func walkThrough(c *client, task string) claim {
	var at state
	c.call("session_open", args{"task": task}, &at)
	wrong := 0
	for !at.Verdict.Valid {
		if len(at.Steps) > 60 {
			c.t.Fatalf("%s: lost after %v", task, at.Steps)
		}
		advanced := false
		for _, step := range at.Actions {
			var next state
			c.call("session_step", args{"session": at.Session, "steps": []string{step}}, &next)
			var r struct {
				Regret  *string
				DeadEnd bool `json:"dead_end"`
				Proven  bool
			}
			c.call("regret", args{"session": at.Session}, &r)
			if !r.Proven {
				c.t.Fatalf("%s: regret is not proven", task)
			}
			if r.Regret != nil && *r.Regret == "0" {
				at, advanced = next, true
				break
			}
			wrong++
			c.call("session_undo", args{"session": at.Session}, &next)
			if fmt.Sprint(next.Facts) != fmt.Sprint(at.Facts) || fmt.Sprint(next.Actions) != fmt.Sprint(at.Actions) {
				c.t.Fatalf("%s: undoing %s leads elsewhere", task, step)
			}
		}
		if !advanced {
			c.t.Fatalf("%s: every step has a regret after %v", task, at.Steps)
		}
	}
	if wrong == 0 {
		c.t.Errorf("%s: no step was ever wrong: regret says nothing", task)
	}
	var end struct{ Steps int }
	c.call("session_close", args{"session": at.Session}, &end)
	return claim{task, at.Verdict.Cost, at.Steps}
}

// prove proves a claim: by the certificate for its cost, and by the judge of a task read anew.
func prove(t *testing.T, c *client, it claim) {
	t.Helper()
	var s solved
	c.call("solve", args{"task": it.task, "certificate": true}, &s)
	if s.Status != "solved-optimally" || s.Cost != it.cost || s.Certificate == nil || s.Certificate.URI == "" {
		t.Fatalf("%s: the agent says %s, solve %+v", it.task, it.cost, s)
	}
	var checked struct {
		Holds bool
		Cost  string
	}
	c.call("check_certificate", args{"task": it.task, "uri": s.Certificate.URI}, &checked)
	if !checked.Holds || checked.Cost != it.cost {
		t.Errorf("%s: certificate %+v", it.task, checked)
	}
	own, err := planproof.ReadTask(it.task)
	if err != nil {
		t.Fatal(err)
	}
	v, err := planproof.Judge(t.Context(), own, strings.Join(it.plan, "\n"))
	if err != nil || !v.Valid || v.Cost.String() != it.cost {
		t.Errorf("%s: %v judged %+v %v", it.task, it.plan, v, err)
	}
}

// TestTools calls each tool for what the commands say of the same task.
func TestTools(t *testing.T) {
	s := New(Options{})
	c := connect(t, s)
	const task = "blocksworld:4-17"
	var checked struct {
		OK          bool
		Errors      int
		Diagnostics []struct{ Hint, File string }
	}
	c.call("check", args{"domain_text": "(define (domain d) (:predicates (holding ?x)) (:action a :parameters (?x) :effect (holdin ?x)))"}, &checked)
	if checked.OK || checked.Errors != 1 || checked.Diagnostics[0].Hint == "" || checked.Diagnostics[0].File != "domain_text" {
		t.Errorf("check: %+v", checked)
	}
	var s1 solved
	c.call("solve", args{"task": task}, &s1)
	plan := strings.Join(s1.Plan, "\n")
	var v verdict
	c.call("validate", args{"task": task, "plan": plan}, &v)
	if !v.Valid || v.Cost != "10" {
		t.Errorf("validate: %+v", v)
	}
	cut := strings.Join(s1.Plan[1:], "\n")
	c.call("validate", args{"task": task, "plan": cut}, &v)
	if v.Valid || v.Failure == nil || v.Failure.Kind != "precondition" {
		t.Errorf("validate: %+v", v)
	}
	c.call("validate", args{"task": task, "plan": "go on"}, &v)
	if v.Valid || v.Failure.Kind != "syntax" {
		t.Errorf("a plan that is none: %+v", v)
	}
	for _, style := range []string{"nl", "pddl"} {
		var e struct {
			Text    string
			Verdict verdict
		}
		c.call("explain", args{"task": task, "plan": cut, "style": style}, &e)
		if !strings.Contains(e.Text, "step 1") && !strings.Contains(e.Text, "Step 1") || e.Verdict.Valid {
			t.Errorf("explain %s: %+v", style, e)
		}
	}
	var r struct {
		Valid  bool
		Repair struct{ Nearest struct{ Plan []string } }
	}
	c.call("repair", args{"task": task, "plan": cut}, &r)
	c.call("validate", args{"task": task, "plan": strings.Join(r.Repair.Nearest.Plan, "\n")}, &v)
	if r.Valid || !v.Valid {
		t.Errorf("repair: %+v %+v", r, v)
	}
	var g struct {
		Reward *float64
		Status string
	}
	c.call("grade", args{"task": task, "answer": "I would do this:\n" + plan}, &g)
	if g.Reward == nil || *g.Reward != 1 {
		t.Errorf("grade: %+v", g)
	}
	c.call("grade", args{"task": task, "answer": "I would do this:\n" + plan, "reward": "thesis", "best": true}, &g)
	if g.Reward == nil || *g.Reward <= 0 {
		t.Errorf("grade: %+v", g)
	}
	var m struct {
		Actions []string
		Goal    *bool
		Error   string
	}
	c.call("applicable", args{"task": task, "steps": s1.Plan}, &m)
	if m.Goal == nil || !*m.Goal {
		t.Errorf("applicable: %+v", m)
	}
	c.call("applicable", args{"task": task, "steps": []string{"(pick-up table)"}}, &m)
	if m.Error == "" {
		t.Errorf("applicable: %+v", m)
	}
	var p state
	c.call("apply", args{"task": task, "step": s1.Plan[0]}, &p)
	if len(p.Added) == 0 || len(p.Deleted) == 0 || p.Session != "" {
		t.Errorf("apply: %+v", p)
	}
	var made struct {
		Tasks []struct {
			Task        string
			ProblemText string `json:"problem_text"`
		}
	}
	c.call("generate", args{"kind": "blocksworld", "params": args{"blocks": 4}, "seed": 17}, &made)
	if len(made.Tasks) != 1 || made.Tasks[0].Task != task || made.Tasks[0].ProblemText == "" {
		t.Errorf("generate: %+v", made)
	}
	guarded(t, c)
	for _, tool := range strings.Fields("guard_call check validate explain repair grade solve applicable apply generate") {
		if c.calls[tool] == 0 {
			t.Errorf("%s was not called", tool)
		}
	}
}

// TestNever: what can never happen is proved by certificates.
func TestNever(t *testing.T) {
	c := connect(t, New(Options{}))
	const task = "blocksworld:4-17"
	for _, in := range []args{{"goal": "(and (on a b) (on b a))"}, {"step": "(stack a a)"}} {
		in["task"], in["certificate"] = task, true
		var s solved
		c.call("solve", in, &s)
		if s.Status != "unsolvable" || s.Certificate == nil || s.Certificate.URI == "" {
			t.Fatalf("%v: %+v", in, s)
		}
		var checked struct {
			Holds bool
			Claim string
		}
		c.call("check_certificate", args{"task": task, "uri": s.Certificate.URI}, &checked)
		if !checked.Holds || checked.Claim != "unsolvable" {
			t.Errorf("%v: %+v", in, checked)
		}
		// It proves nothing about another task.
		raw, p := c.try("check_certificate", args{"task": "blocksworld:4-18", "uri": s.Certificate.URI})
		if p == nil && !strings.Contains(string(raw), `"holds":false`) {
			t.Errorf("another task: %s", raw)
		}
	}
}

// TestBounds: a limit is no answer, but says what is known.
func TestBounds(t *testing.T) {
	c := connect(t, New(Options{}))
	var s solved
	c.call("solve", args{"task": "blocksworld:6-5", "nodes": 1, "search": "astar(lmcut())", "certificate": true}, &s)
	if s.Status != "nodeout" || s.Bounds == nil || s.Bounds.Lower == "" || s.Certificate == nil || s.Certificate.Error == "" {
		t.Errorf("%+v", s)
	}
}

// TestRegret: a step that leads away costs what it takes to come back, a dead end is proven.
func TestRegret(t *testing.T) {
	c := connect(t, New(Options{}))
	text := func(s string) *string { return &s }
	type answer struct {
		Regret  *string
		DeadEnd bool `json:"dead_end"`
		Proven  bool
	}
	const domain = "(define (domain d) (:requirements :strips :action-costs) (:predicates (at ?x) (way ?x ?y)) (:functions (total-cost) - number)\n" +
		"(:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x)) (increase (total-cost) 1))))"
	const problem = "(define (problem p) (:domain d) (:objects a b c) (:init (at a) (way a b) (way b a) (way a c) (= (total-cost) 0)) (:goal (at b)) (:metric minimize (total-cost)))"
	for steps, want := range map[string]answer{
		"":                           {Proven: true, Regret: text("0")},
		"(go a b)":                   {Proven: true, Regret: text("0")},
		"(go a b),(go b a)":          {Proven: true, Regret: text("2")},
		"(go a c)":                   {Proven: true, DeadEnd: true},
		"(go a b),(go b a),(go a c)": {Proven: true, DeadEnd: true},
	} {
		in := args{"domain_text": domain, "problem_text": problem}
		if steps != "" {
			in["steps"] = strings.Split(steps, ",")
		}
		raw, p := c.try("regret", in)
		var got answer
		if p != nil || json.Unmarshal(raw, &got) != nil {
			t.Fatalf("%s: %v %s", steps, p, raw)
		}
		if got.Proven != want.Proven || got.DeadEnd != want.DeadEnd || (got.Regret == nil) != (want.Regret == nil) || got.Regret != nil && *got.Regret != *want.Regret {
			t.Errorf("%s: %s", steps, raw)
		}
	}
}

// guarded asks about calls of tools.
func guarded(t *testing.T, c *client) {
	in := func(call string, history ...string) args { return guardArgs(t, call, history...) }
	const search = `{"name":"Hotel.search","arguments":{"city":"Rome"}}`
	const check = `{"name":"Hotel.check","arguments":{"hotel":"Garden Hotel"}}`
	var d struct{ Decision, Reason, Repair string }
	if c.call("guard_call", in(search), &d); d.Decision != "allow" {
		t.Errorf("%+v", d)
	}
	if c.call("guard_call", in(`{"name":"Hotel.book","arguments":{"guest":"Anna Smith","hotel":"Garden Hotel"}}`, search), &d); d.Decision != "deny" || d.Reason == "" {
		t.Errorf("%+v", d)
	}
	d.Reason = ""
	if c.call("guard_call", in(check, search), &d); d.Decision != "allow" {
		t.Errorf("%+v", d)
	}
	c.fails("guard_call", in(`[]`), BadInput)
	c.fails("guard_call", in(`{}`), BadInput)
}
