package treesearch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Language is the Evaluator that asks a language model (CATS, section 4.1 and figures 4 to
// 7): log P(action) is the log-probability of the action's sentence, with the line break
// after it, as the continuation of a prompt that tells domain, initial state, goal, the
// steps so far, what they cost, the state that they lead to, and the budget; log P("good")
// is that of the word after a prompt which also tells the action.
//
// The paper does not show the prompt of the backward tree. Here it asks for the last action
// of a plan from the initial state to the partial state of the node, and tells the steps
// that will follow.
//
// What all prompts of a task share comes first and is the same to the byte, so that a
// server that keeps the keys and values of a prompt's beginning reads it once.
//
// Create it with NewLanguage. It is safe for concurrent use.
type Language struct {
	m     model.Model
	task  *grounder.Task
	prob  *pddl.Problem
	r     *prompt.Renderer
	tell  teller
	plain bool // text to continue, not a chat
	parts Parts
	atoms [][]string
	fixed []string // facts that no action changes

	mu     sync.Mutex
	cache  map[string][]float64
	totals LanguageTotals
}

// LanguageTotals counts what a Language asked for.
type LanguageTotals struct {
	Prompts int         `json:"prompts"` // scored
	Cached  int         `json:"cached"`  // found in memory instead
	Usage   model.Usage `json:"usage"`
	// Uncounted prompts have no usage.
	Uncounted int `json:"uncounted"`
}

// Add adds v to t.
func (t *LanguageTotals) Add(v LanguageTotals) {
	t.Prompts += v.Prompts
	t.Cached += v.Cached
	t.Usage.Add(v.Usage)
	t.Uncounted += v.Uncounted
}

// Since is what t counts beyond an earlier count.
func (t LanguageTotals) Since(v LanguageTotals) LanguageTotals {
	u := v.Usage
	u.Prompt, u.Completion, u.Cached, u.Reasoning = t.Usage.Prompt-u.Prompt, t.Usage.Completion-u.Completion, t.Usage.Cached-u.Cached, t.Usage.Reasoning-u.Reasoning
	return LanguageTotals{t.Prompts - v.Prompts, t.Cached - v.Cached, u, t.Uncounted - v.Uncounted}
}

// LanguageOptions say what a Language asks. The zero value tells sentences and asks both
// questions.
type LanguageOptions struct {
	// Style is prompt.StyleNL, sentences, or StylePDDL: facts and actions in PDDL, half
	// the tokens a node, and plain text to continue where the model does that.
	Style prompt.Style
	Parts Parts
}

// Parts names the parts of the confidence reward, for ablations. A part that is left out
// counts 0 and is not asked for.
type Parts string

// Parts.
const (
	BothParts  Parts = "both"   // log P(action) + log P("good")
	ActionPart Parts = "action" // log P(action)
	GoodPart   Parts = "good"   // log P("good")
)

// NewLanguage makes the evaluator of a task and the problem that it was ground from. The
// error is that the model cannot score, or that the problem cannot be told.
func NewLanguage(ctx context.Context, m model.Model, prob *pddl.Problem, t *grounder.Task, lo LanguageOptions) (*Language, error) {
	switch lo.Parts {
	case "":
		lo.Parts = BothParts
	case BothParts, ActionPart, GoodPart:
	default:
		return nil, fmt.Errorf("there are no parts %q of the confidence reward; there are %s, %s, %s", lo.Parts, BothParts, ActionPart, GoodPart)
	}
	style := lo.Style
	caps := m.Capabilities()
	if caps.Score == model.ScoreNone || caps.Score == model.ScoreTop {
		return nil, &model.Error{Kind: model.KindUnsupported, Message: m.Name() + " cannot score a given continuation, which tree search needs"}
	}
	r, ok := prompt.NewRenderer(prob, "")
	if !ok {
		return nil, errors.New("no templates suit this domain")
	}
	l := &Language{m: m, task: t, prob: prob, r: r, parts: lo.Parts, cache: map[string][]float64{}}
	// A server that only repeats text cannot do so in a chat. PDDL is continued where it
	// can be: the judged action is then a beginning that has been read already.
	l.plain = caps.Score == model.ScoreEcho || !caps.Chat || style == prompt.StylePDDL && caps.Completions
	o := prompt.Options{Style: style, NoGold: true, Budget: &costmodel.BudgetSpec{Level: costmodel.Explicit}} // so that prices are told
	rec, err := prompt.Make(ctx, prompt.Task{Problem: prob}, o)
	if errors.Is(err, prompt.ErrOption) {
		o.Budget = nil // costs that depend on the state have no price list
		rec, err = prompt.Make(ctx, prompt.Task{Problem: prob}, o)
	}
	if err != nil {
		return nil, fmt.Errorf("the task cannot be told in words: %w", err)
	}
	if err := l.readFacts(ctx); err != nil {
		return nil, err
	}
	mark := "[STATEMENT]"
	if style == prompt.StylePDDL {
		mark = "[QUERY PROBLEM]"
	}
	at := strings.LastIndex(rec.Prompt.Text, mark)
	if at < 0 {
		return nil, errors.New("internal error: a prompt without a statement")
	}
	header := rec.Prompt.Text[:at]
	if style == prompt.StylePDDL {
		l.tell = &pddlTeller{header: header + "[STATEMENT]\n" + prob.String() + pddlQuestion}
	} else {
		l.tell = &sentenceTeller{header: header, r: r, init: l.facts(t.Init)}
	}
	return l, nil
}

// readFacts finds what every value of every variable says, and the facts that never
// change. A second grounding, which keeps variables that do not matter to the goal, tells
// the two apart.
func (l *Language) readFacts(ctx context.Context) error {
	whole, err := grounder.Ground(ctx, l.prob, grounder.Options{KeepIrrelevant: true})
	if err != nil {
		return err
	}
	_, varies := world.AtomsOf(whole)
	atoms, ours := world.AtomsOf(l.task)
	l.atoms = atoms
	maps.Copy(varies, ours)
	for i := range l.prob.Init.Atoms.Len() {
		pred, args := l.prob.Init.Atoms.Atom(i)
		if f := strings.ToLower(l.prob.FormatAtom(pred, args)); !varies[f] {
			l.fixed = append(l.fixed, f)
		}
	}
	return nil
}

// facts are those of a state, or a partial one.
func (l *Language) facts(values []int32) []string {
	facts := slices.Clone(l.fixed)
	for v, x := range values {
		if x != search.Unconstrained && l.atoms[v][x] != "" {
			facts = append(facts, l.atoms[v][x])
		}
	}
	slices.Sort(facts)
	return slices.Compact(facts)
}

// Score implements Evaluator.
func (l *Language) Score(ctx context.Context, queries []Query) ([]Score, error) {
	out := make([]Score, len(queries))
	errs := make([]error, len(queries))
	var wg sync.WaitGroup
	for i := range queries {
		wg.Go(func() { out[i], errs[i] = l.query(ctx, &queries[i]) })
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

func (l *Language) query(ctx context.Context, q *Query) (Score, error) {
	s := newScore(len(q.Steps))
	if len(q.Steps) == 0 {
		return s, nil
	}
	where := l.spot(q)
	story := l.tell.story(where)
	said := make([]string, len(q.Steps))
	lines := make([]string, len(q.Steps))
	for i, step := range q.Steps {
		said[i] = l.tell.step(l.task.OperatorName(step.Op))
		lines[i] = said[i] + "\n"
	}
	errs := make([]error, 1+len(said))
	var wg sync.WaitGroup
	wg.Go(func() {
		if l.parts == GoodPart {
			return
		}
		var got []float64
		if got, errs[0] = l.ask(ctx, story+l.tell.next(where), lines); errs[0] == nil {
			copy(s.Action, got)
		}
	})
	for i := range said {
		if l.parts == ActionPart {
			break
		}
		wg.Go(func() {
			got, err := l.ask(ctx, story+l.tell.judge(where, said[i]), []string{"good"})
			if errs[1+i] = err; err == nil {
				s.Good[i] = got[0]
			}
		})
	}
	wg.Wait()
	return s, errors.Join(errs...)
}

// spot says where a query stands.
func (l *Language) spot(q *Query) *spot {
	w := &spot{backward: q.Direction == Backward, facts: l.facts(q.State), spent: l.money(q.Spent)}
	if q.Budget != Unlimited {
		w.budget = l.money(q.Budget)
	}
	for _, op := range q.Path {
		w.path = append(w.path, l.task.OperatorName(op))
	}
	if w.backward {
		slices.Reverse(w.path)
	}
	return w
}

// money is a cost in the problem's own units.
func (l *Language) money(units int64) string {
	return l.task.CostUnit.Mul(pddl.Int(units)).String()
}

// ask scores continuations of a prompt, once.
func (l *Language) ask(ctx context.Context, text string, continuations []string) ([]float64, error) {
	key := text + "\x00" + strings.Join(continuations, "\x00")
	l.mu.Lock()
	got, ok := l.cache[key]
	if ok {
		l.totals.Cached++
	}
	l.mu.Unlock()
	if ok {
		return got, nil
	}
	req := &model.ScoreRequest{Continuations: continuations, Problem: l.prob}
	if l.plain {
		req.Prompt = text
	} else {
		req.Messages = []prompt.Message{{Role: "user", Content: text}}
	}
	resp, err := l.m.Score(ctx, req)
	if err != nil {
		if u := model.SpentOn(err); u != nil {
			l.mu.Lock()
			l.totals.Usage.Add(*u)
			l.mu.Unlock()
		}
		return nil, err
	}
	for _, s := range resp.Scores {
		got = append(got, s.Logprob)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cache[key] = got
	l.totals.Prompts++
	if resp.Usage == nil {
		l.totals.Uncounted++
	} else {
		l.totals.Usage.Add(*resp.Usage)
	}
	return got, nil
}

// Totals returns the counts so far.
func (l *Language) Totals() LanguageTotals {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.totals
}
