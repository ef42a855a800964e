package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// feedbackNodes bounds the search for a hint, by work: the same answers get the same hints.
const feedbackNodes = 200_000

// wordAbout tells what a word of a method is about; one of each is enough.
func wordAbout(word string) string {
	switch kind, _, _ := strings.Cut(word, "-"); {
	case word == "nl" || word == "pddl":
		return "style"
	case word == "cot" || word == "state":
		return "reasoning"
	case strings.HasSuffix(word, "-shot"):
		return "shots"
	case kind == "modulo" || kind == "feedback":
		return kind
	}
	return word
}

// ParseMethod reads the words of a method, such as "pddl+cot+1-shot"; docs/EVAL.md lists
// them. budget, unless nil, is stated in its prompts.
func ParseMethod(name string, budget *pddl.Number) (*Method, error) {
	o := prompt.Options{Seed: 1, NoGold: true}
	if budget != nil {
		o.Budget = &costmodel.BudgetSpec{Level: costmodel.Explicit, Amount: *budget}
	}
	r := &methodReader{o: o, m: &Method{Name: name, Rounds: 1, Feedback: Feedback}, critic: feedback.Options{Limits: search.Limits{Nodes: feedbackNodes}}}
	said := map[string]string{}
	for _, word := range strings.Split(name, "+") {
		about := wordAbout(word)
		if said[about] != "" {
			return nil, fmt.Errorf("%s: %s and %s are two words about one thing", name, said[about], word)
		}
		said[about] = word
		if err := r.word(word); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if r.critic.Level != "" && said["modulo"] == "" {
		return nil, fmt.Errorf("%s: feedback-%s needs modulo, which asks again", name, r.critic.Level)
	}
	if r.critic.Level != "" {
		r.critic.Style = r.o.Style
		r.m.Feedback = criticFeedback(r.critic)
	}
	r.m.Prompt = prompts(r.o)
	return r.m, nil
}

// methodReader is what the words of a method have said so far.
type methodReader struct {
	o      prompt.Options
	m      *Method
	critic feedback.Options
}

// word reads one word.
func (r *methodReader) word(word string) error {
	number, shots := strings.CutSuffix(word, "-shot")
	rounds, modulo := strings.CutPrefix(word, "modulo-")
	level, isFeedback := strings.CutPrefix(word, "feedback-")
	switch {
	case word == "nl" || word == "pddl":
		r.o.Style = prompt.Style(word)
	case word == "cot" || word == "state":
		r.o.Reasoning = prompt.Reasoning(word)
	case word == "grammar":
		r.m.Grammar = planGrammar
	case word == "modulo":
		r.m.Rounds = 5
	case isFeedback:
		r.critic.Level = feedback.Level(level)
		if !slices.Contains(feedback.Levels(), r.critic.Level) {
			return fmt.Errorf("there is no feedback %q; it is binary, first, all or hint", level)
		}
	case shots:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 100 {
			return fmt.Errorf("%q is not a number of examples such as 1-shot; zero-shot is what a method is that names none, such as nl", word)
		}
		r.o.Shots = n
	case modulo:
		n, err := strconv.Atoi(rounds)
		if err != nil || n < 1 || n > 1000 {
			return fmt.Errorf("%q is not a number of answers such as modulo-5", word)
		}
		r.m.Rounds = n
	default:
		return fmt.Errorf("there is no %q; the words are nl, pddl, cot, state, N-shot, grammar, modulo, modulo-N and feedback-LEVEL", word)
	}
	return nil
}

// prompts makes the prompt of each task once, for all models and samples.
func prompts(o prompt.Options) func(context.Context, *Task) (*prompt.Prompt, error) {
	type made struct {
		once   sync.Once
		prompt *prompt.Prompt
		err    error
	}
	var cache sync.Map
	return func(ctx context.Context, t *Task) (*prompt.Prompt, error) {
		v, _ := cache.LoadOrStore(t, &made{})
		p := v.(*made)
		p.once.Do(func() {
			o := o
			o.Answer = t.Reader
			rec, err := prompt.Make(ctx, prompt.Task{ID: t.ID, Problem: t.Problem, Bundled: t.Bundled}, o)
			if p.err = err; err == nil {
				p.prompt = &rec.Prompt
			}
		})
		return p.prompt, p.err
	}
}

// planGrammar keeps answers to the plans of a task, in PDDL between the usual marks, or as
// JSON for a model that takes nothing but a schema.
func planGrammar(can model.Capabilities, t *Task) (*model.Grammar, error) {
	o := constrain.GrammarOptions{Format: constrain.FormatGBNF, Wrap: constrain.WrapPlan, NonEmpty: true}
	for _, f := range constrain.GrammarFormats() { // their names are those of the notations
		if can.Grammar(model.GrammarKind(f)) {
			o.Format = f
			break
		}
	}
	switch {
	case o.Format == constrain.FormatJSONSchema && t.Reader == extract.Strict:
		return nil, errors.New("the strict reader needs marks around a plan, which a JSON schema cannot ask for")
	case o.Format == constrain.FormatJSONSchema:
		o.Wrap = constrain.WrapNone
	case t.Reader == extract.Strict:
		o.Wrap = constrain.WrapTags
	}
	g, err := constrain.NewGrammar(t.Problem, o)
	if err != nil {
		return nil, err
	}
	return &model.Grammar{Kind: model.GrammarKind(o.Format), Text: g.Text}, nil
}
