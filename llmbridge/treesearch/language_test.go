package treesearch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// reader is a model that reads the prompts of Language, and nothing else, and answers by
// the true distances: log P is -5 times what an action adds to the cheapest plan. So it
// fails where a prompt does not tell what it should.
type reader struct {
	t     *testing.T
	prob  *pddl.Problem
	task  *grounder.Task
	plans *extract.Reader
	facts *extract.StateReader
	table *space.Table
	// by state: the facts that hold, the cost from the initial state, and the actions
	// with their results.
	states []known

	mu      sync.Mutex
	prompts []string
}

type known struct {
	facts  map[string]bool
	cost   int64
	action map[string]int // result by action
}

func newReader(t *testing.T, prob *pddl.Problem, task *grounder.Task) *reader {
	t.Helper()
	table, err := space.Exhaust(context.Background(), task, search.Limits{Nodes: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, prob: prob, task: task, table: table, plans: extract.NewReader(prob.Domain, prob, extract.Natural), facts: extract.NewStateReader(prob.Domain, prob)}
	ids := map[string]int{}
	var states []space.State
	add := func(st space.State, cost int64) int {
		key := fmt.Sprint(st)
		if _, ok := ids[key]; !ok {
			ids[key] = len(states)
			states = append(states, slices.Clone(st))
			r.states = append(r.states, known{factsIn(task, table.Values(st)), cost, map[string]int{}})
		}
		return ids[key]
	}
	add(table.Initial(), 0)
	for i := 0; i < len(states); i++ { // unit costs: breadth first is cheapest first
		for o := range task.Operators.Len() {
			name := task.OperatorName(grounder.OperatorID(o))
			if next, cost, err := table.Apply(states[i], name); err == nil {
				to := add(next, r.states[i].cost+cost)
				r.states[i].action[name] = to
			}
		}
	}
	return r
}

func factsIn(t *grounder.Task, values []int32) map[string]bool {
	out := map[string]bool{}
	for v, x := range values {
		if fact, positive := atomtext.OfValue(t.Variables[v].Values[x]); positive {
			out[fact] = true
		}
	}
	return out
}

func (r *reader) Name() string { return "reader" }
func (r *reader) Capabilities() model.Capabilities {
	return model.Capabilities{Chat: true, Completions: true, Score: model.ScoreExact}
}
func (r *reader) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, errors.New("not asked for")
}

// between returns the text between two marks, "" without them.
func between(text, open, shut string) string {
	at := strings.LastIndex(text, open)
	if at < 0 {
		return ""
	}
	inside, _, _ := strings.Cut(text[at+len(open):], shut)
	return inside
}

func (r *reader) steps(text string) []string {
	return r.plans.Extract("[PLAN]\n" + text + "[PLAN END]\n").Plan
}

// Score implements model.Model.
func (r *reader) Score(_ context.Context, req *model.ScoreRequest) (*model.ScoreResponse, error) {
	text := req.Prompt
	if len(req.Messages) > 0 {
		text = req.Messages[0].Content
	}
	r.mu.Lock()
	r.prompts = append(r.prompts, text)
	r.mu.Unlock()
	out := &model.ScoreResponse{Usage: &model.Usage{Prompt: 1}}
	story := text[strings.LastIndex(text, "[STATEMENT]"):]
	if strings.Contains(story, "[LAST ACTION]\n") && strings.Contains(story, "Now holds: ") {
		r.t.Errorf("forward and backward in\n%s", story)
	}
	for _, y := range req.Continuations {
		action := y
		if y == "good" {
			if action = between(story, "ACTION]\n", "\n\n"); action == "" {
				r.t.Errorf("no action to judge in\n%s", story)
			}
			action += "\n"
		}
		steps := r.steps(action)
		if len(steps) != 1 {
			r.t.Errorf("%q is %v", action, steps)
			steps = []string{""}
		}
		var extra int64
		if strings.Contains(story, "LAST ACTION]\n") || strings.Contains(story, "The last action") {
			extra = r.backward(story, steps[0])
		} else {
			extra = r.forward(story, steps[0])
		}
		out.Scores = append(out.Scores, model.Score{Logprob: -5 * float64(extra), Tokens: 1})
	}
	return out, nil
}

// forward is what an action adds to the cheapest plan after the steps that were told.
func (r *reader) forward(story, action string) int64 {
	prefix := r.steps(between(story, "[PREVIOUS PLAN]\n", "[PREVIOUS PLAN END]"))
	here, _, err := r.table.DistanceAfter(prefix)
	next, _, err2 := r.table.DistanceAfter(append(prefix, action))
	if err := errors.Join(err, err2); err != nil {
		r.t.Errorf("%v in\n%s", err, story)
	}
	if len(prefix) > 0 { // the state is told as well
		st, _, _, err := r.table.Replay(prefix)
		told := r.facts.Read(between(story, "now I have that, ", ".\n") + between(story, "\nNow holds: ", "\n")).Facts
		if want := factsIn(r.task, r.table.Values(st)); err != nil || len(want) != len(told) {
			r.t.Errorf("told %v, true %v", told, want)
		}
	}
	return 1 + next.Cost - here.Cost
}

// backward is what an action adds to the cheapest way to the facts of the goal that was
// told, as the last one before them.
func (r *reader) backward(story, action string) int64 {
	goal := r.facts.Read(between(story, "My goal is to have that ", ".\n") + between(story, "\nBefore them must hold: ", "\n")).Facts
	best, via := int64(math.MaxInt32), int64(math.MaxInt32)
	holds := func(k *known) bool {
		for _, f := range goal {
			if !k.facts[f] {
				return false
			}
		}
		return true
	}
	for i := range r.states {
		k := &r.states[i]
		if holds(k) {
			best = min(best, k.cost)
		}
		if to, ok := k.action[action]; ok && holds(&r.states[to]) {
			via = min(via, k.cost+1)
		}
	}
	return max(0, via-best)
}

// TestLanguageReadsAsItIsTold: guided by a model that reads the prompts and knows the
// truth, every method finds the cheapest plan under the tight budget.
func TestLanguageReadsAsItIsTold(t *testing.T) {
	names := []string{"blocksworld:4-200", "gripper:2", "blocksworld:4-17", "blocksworld:4-431"}
	if testing.Short() {
		names = names[:2]
	}
	for k, name := range names {
		dom, src, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := pddl.ParseDomain(dom, pddl.Options{})
		prob, _ := pddl.ParseProblem(src, d, pddl.Options{})
		task := bundled(t, name, nil)
		truth := newReader(t, prob, task)
		best := truth.table.InitialDistance().Cost
		for i, m := range Methods() {
			style := []prompt.Style{prompt.StyleNL, prompt.StylePDDL}[(i+k)%2]
			language, err := NewLanguage(context.Background(), truth, prob, task, LanguageOptions{Style: style})
			if err != nil {
				t.Fatal(err)
			}
			space, err := NewSpace(task)
			if err != nil {
				t.Fatal(err)
			}
			opt := DefaultOptions()
			opt.Budget = best
			res, err := m.Search(context.Background(), space, Guide{Evaluator: language}, opt)
			if err != nil {
				t.Fatal(err)
			}
			if !res.HasPlan() || res.Cost != best {
				t.Errorf("%s by %s: %s, cost %d, want %d", name, m.Name(), res.Status, res.Cost, best)
			}
			if n := language.Totals(); n.Prompts == 0 || n.Usage.Prompt != int64(n.Prompts) {
				t.Errorf("%+v", n)
			}
			t.Logf("%s by %s: %d expanded, %+v", name, m.Name(), res.Expanded, language.Totals())
		}
	}
}

// TestLanguagePrompts holds the prompts to what they must and must not tell.
func TestLanguagePrompts(t *testing.T) {
	dom, src, _ := domains.Load("blocksworld:3-3")
	d, _ := pddl.ParseDomain(dom, pddl.Options{})
	prob, _ := pddl.ParseProblem(src, d, pddl.Options{})
	task := bundled(t, "blocksworld:3-3", nil)
	truth := newReader(t, prob, task)
	l, err := NewLanguage(context.Background(), truth, prob, task, LanguageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var applicable []Step
	for name := range truth.states[0].action {
		for o := range task.Operators.Len() {
			if task.OperatorName(grounder.OperatorID(o)) == name {
				applicable = append(applicable, Step{Op: grounder.OperatorID(o), Cost: 1})
			}
		}
	}
	q := Query{Direction: Forward, State: task.Init, Budget: 21, Steps: applicable}
	for range 2 {
		if _, err := l.Score(context.Background(), []Query{q}); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.Totals(); n.Prompts != 1+len(applicable) || n.Cached != n.Prompts {
		t.Errorf("asked twice: %+v", n)
	}
	for _, p := range truth.prompts {
		for _, want := range []string{"[STATEMENT]", "My time limit is 21 minutes.", "My goal is to have that "} {
			if !strings.Contains(p, want) {
				t.Errorf("%q is not in\n%s", want, p)
			}
		}
		if strings.Contains(p, "[PREVIOUS PLAN]") {
			t.Errorf("steps at the root:\n%s", p)
		}
	}
	for parts, prompts := range map[Parts]int{ActionPart: 1, GoodPart: len(applicable)} {
		part, err := NewLanguage(context.Background(), truth, prob, task, LanguageOptions{Parts: parts})
		if err != nil {
			t.Fatal(err)
		}
		got, err := part.Score(context.Background(), []Query{q})
		if err != nil || part.Totals().Prompts != prompts {
			t.Fatalf("%s: %v, %+v", parts, err, part.Totals())
		}
		whole, _ := l.Score(context.Background(), []Query{q})
		for k := range applicable {
			want := Score{Action: whole[0].Action, Good: make([]float64, len(applicable))}
			if parts == GoodPart {
				want.Action, want.Good = want.Good, whole[0].Good
			}
			if got[0].Action[k] != want.Action[k] || got[0].Good[k] != want.Good[k] {
				t.Errorf("%s of action %d: %+v, want %+v", parts, k, got[0], want)
			}
		}
	}
	if _, err := NewLanguage(context.Background(), truth, prob, task, LanguageOptions{Parts: "neither"}); err == nil {
		t.Error("parts of any name are taken")
	}
	none := &reader{}
	if _, err := NewLanguage(context.Background(), unable{none}, prob, task, LanguageOptions{}); !errors.Is(err, model.ErrUnsupported) {
		t.Errorf("a model that cannot score: %v", err)
	}
	down, _ := NewLanguage(context.Background(), failing{truth}, prob, task, LanguageOptions{})
	if s, err := down.Score(context.Background(), []Query{q}); err == nil {
		t.Errorf("an outage is scored %v", s)
	}
}

type unable struct{ *reader }

func (unable) Capabilities() model.Capabilities { return model.Capabilities{Chat: true} }

type failing struct{ *reader }

func (failing) Score(context.Context, *model.ScoreRequest) (*model.ScoreResponse, error) {
	return nil, &model.Error{Kind: model.KindOutage, Message: "down"}
}
