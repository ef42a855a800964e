package model

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// Scripted is a model that answers by rule: a baseline, and a stand-in for tests. Its answers depend only on
// the request. Create it with NewScripted or ScriptedFunc.
type Scripted struct {
	name   string
	answer func(ctx context.Context, req *Request, rng *rand.Rand) (string, error)
	oracle *oracle // nil for models that score all continuations alike
}

// scripts are the rules of NewScripted.
var scripts = []struct {
	name, doc string
	answer    func(ctx context.Context, req *Request, rng *rand.Rand) (string, error)
}{
	{"optimal", "a cost-optimal plan, or that there is none", answerOptimal},
	{"uniform", "applicable actions drawn uniformly, until the goal or 40 steps", answerUniform},
	{"careless", "a cost-optimal plan without its last step; the whole of it when asked again", answerCareless},
	{"silent", "no plan", func(context.Context, *Request, *rand.Rand) (string, error) { return "I do not know.", nil }},
	{"down", "an outage, always", func(context.Context, *Request, *rand.Rand) (string, error) {
		return "", errorf(KindOutage, "this scripted model is always down")
	}},
	{"distance", "a cost-optimal plan; scores the actions of tree search by the true distances", answerOptimal},
}

// NewScripted returns the scripted model that spec names: "optimal", "uniform", "careless", "silent", "down",
// "distance" (like "optimal", and scores by the true distances), or "table=FILE" for canned answers (see
// ReadTable).
func NewScripted(spec string) (*Scripted, error) {
	if path, ok := strings.CutPrefix(spec, "table="); ok {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		t, err := ReadTable(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		// Other answers make another model, so the name depends on them.
		return &Scripted{name: "scripted:table-" + t.hash, answer: t.answer}, nil
	}
	var names []string
	for _, s := range scripts {
		if s.name == spec {
			out := &Scripted{name: "scripted:" + s.name, answer: s.answer}
			if s.name == "distance" {
				out.oracle = &oracle{tasks: map[*pddl.Problem]func() (*distances, error){}}
			}
			return out, nil
		}
		names = append(names, s.name)
	}
	return nil, fmt.Errorf("there is no scripted model %q; there are %s, and table=FILE", spec, strings.Join(names, ", "))
}

// ScriptedFunc returns a model whose samples come from a function.
func ScriptedFunc(name string, answer func(req *Request, sample int) (string, error)) *Scripted {
	return &Scripted{name: name, answer: func(_ context.Context, req *Request, _ *rand.Rand) (string, error) {
		return answer(req, req.Sample)
	}}
}

// Name implements Model.
func (s *Scripted) Name() string { return s.name }

// Capabilities implements Model.
func (s *Scripted) Capabilities() Capabilities {
	return Capabilities{Server: "scripted", Model: s.name, Chat: true, Completions: true, N: true, Score: ScoreExact, Usage: true}
}

// Generate implements Model. It counts words as tokens.
func (s *Scripted) Generate(ctx context.Context, req *Request) (*Response, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	if req.Grammar != nil || req.TopLogprobs != nil {
		return nil, errorf(KindUnsupported, "a scripted model has neither grammars nor log-probabilities")
	}
	key := requestKey(s.name, "generate", req)
	seed, _ := hex.DecodeString(key)
	out := &Response{Usage: &Usage{Prompt: words(&req.Input)}, Model: s.name}
	for i := range req.samples() {
		one := *req
		one.Sample += i
		text, err := s.answer(ctx, &one, rand.New(rand.NewPCG(fold(seed), uint64(i))))
		if err != nil {
			if i == 0 {
				out = nil
			}
			return out, err
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		out.Samples = append(out.Samples, Sample{Text: text, Finish: FinishStop})
		out.Usage.Completion += int64(len(strings.Fields(text)))
		if req.OnChunk != nil {
			req.OnChunk(Chunk{Index: i, Text: text})
		}
	}
	return out, nil
}

func fold(b []byte) (n uint64) {
	for _, c := range b {
		n = n*257 + uint64(c)
	}
	return n
}

func words(in *Input) (n int64) {
	for _, m := range in.Messages {
		n += int64(len(strings.Fields(m.Content)))
	}
	return n + int64(len(strings.Fields(in.Prompt)))
}

// Score implements Model. All continuations are equally likely, except for the model "distance".
func (s *Scripted) Score(ctx context.Context, req *ScoreRequest) (*ScoreResponse, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	out := &ScoreResponse{Method: ScoreExact, Usage: &Usage{Prompt: words(&req.Input)}}
	if s.oracle != nil {
		logprobs, err := s.oracle.score(ctx, req)
		if err != nil {
			return nil, err
		}
		for _, p := range logprobs {
			out.Scores = append(out.Scores, Score{Logprob: p, Tokens: 1})
		}
		return out, nil
	}
	for range req.Continuations {
		out.Scores = append(out.Scores, Score{Logprob: -math.Log(float64(len(req.Continuations))), Tokens: 1})
	}
	return out, nil
}

func groundFor(ctx context.Context, prob *pddl.Problem) (*grounder.Task, error) {
	if prob == nil {
		return nil, errorf(KindUnsupported, "this scripted model answers only requests about a task")
	}
	t, err := grounder.Ground(ctx, prob, grounder.Options{})
	if err != nil {
		return nil, errorf(KindUnsupported, "the task cannot be grounded: %v", err)
	}
	return t, nil
}

func answerOptimal(ctx context.Context, req *Request, _ *rand.Rand) (string, error) {
	steps, ok, err := optimalSteps(ctx, req)
	if err != nil {
		return "", err
	}
	if !ok {
		return "There is no plan that reaches the goal.", nil
	}
	return planBlock(steps), nil
}

func answerCareless(ctx context.Context, req *Request, _ *rand.Rand) (string, error) {
	steps, ok, err := optimalSteps(ctx, req)
	if err != nil {
		return "", err
	}
	if !ok {
		return "There is no plan that reaches the goal.", nil
	}
	asked := false
	for _, m := range req.Messages {
		asked = asked || m.Role == "assistant"
	}
	if !asked && len(steps) > 0 {
		steps = steps[:len(steps)-1]
	}
	return planBlock(steps), nil
}

func optimalSteps(ctx context.Context, req *Request) (steps []string, ok bool, err error) {
	t, err := groundFor(ctx, req.Problem)
	if err != nil {
		return nil, false, err
	}
	a, err := pipeline.Search(ctx, req.Problem, t, pipeline.Options{Search: search.Config{Limits: search.Limits{Wall: time.Minute, Memory: 1 << 30}}})
	switch {
	case err != nil:
		return nil, false, errorf(KindUnsupported, "%v", err)
	case a.Status == search.Unsolvable:
		return nil, false, nil
	case a.Status != search.SolvedOptimally:
		return nil, false, errorf(KindTimeout, "the search ended with %s", a.Status)
	}
	return a.Plan, true, nil
}

func planBlock(steps []string) string {
	var b strings.Builder
	b.WriteString("[PLAN]\n")
	for _, s := range steps {
		b.WriteString(s + "\n")
	}
	b.WriteString("[PLAN END]\n")
	return b.String()
}

// maxWalk bounds the steps of a random walk.
const maxWalk = 40

func answerUniform(ctx context.Context, req *Request, rng *rand.Rand) (string, error) {
	t, err := groundFor(ctx, req.Problem)
	if err != nil {
		return "", err
	}
	sim, err := space.NewSimulator(t)
	if err != nil {
		return "", errorf(KindUnsupported, "%v", err)
	}
	var steps []string
	for st := sim.Initial(); !sim.IsGoal(st) && len(steps) < maxWalk; {
		moved := false
		for _, i := range rng.Perm(t.Operators.Len()) {
			name := t.OperatorName(grounder.OperatorID(i))
			if next, _, err := sim.Apply(st, name); err == nil {
				st, moved = next, true
				steps = append(steps, name)
				break
			}
		}
		if !moved {
			break
		}
	}
	return planBlock(steps), nil
}
