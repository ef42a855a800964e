package feedback

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Level says how much a model learns about its plan.
type Level string

// Levels, from the least to the most informative.
const (
	LevelBinary Level = "binary" // valid or not
	LevelFirst  Level = "first"  // and the first step that fails, or the unmet goals, with reasons
	LevelAll    Level = "all"    // and all steps that fail, and the unmet goals
	LevelHint   Level = "hint"   // the first error, and how to go on from the good part
)

// Levels lists all levels.
func Levels() []Level {
	return []Level{LevelBinary, LevelFirst, LevelAll, LevelHint}
}

// Options are the options of a Critic. The zero value is the first error, in the domain's sentences.
type Options struct {
	Level Level
	// Style is prompt.StyleNL, steps and facts in the domain's sentences (with Templates as for
	// prompt.NewRenderer), or prompt.StylePDDL.
	Style     prompt.Style
	Templates string
	// Reveal lets a hint give the whole completion. Otherwise a hint gives only the next step, or only
	// its action if it would be the last: never a whole plan.
	Reveal bool
	// Limits bounds the grounding and each search for a hint.
	Limits search.Limits
}

// Critic turns the judge's verdicts on plans of one problem into feedback for a model. It is compiled once,
// and several goroutines may use it at once.
type Critic struct {
	prob     *pddl.Problem
	o        Options
	judge    *validator.Judge
	told     *prompt.Renderer  // nil: PDDL
	repairer *Repairer         // nil: no hints
	forbids  map[string]string // the predicates that only forbid actions
	wishes   map[string]string // the preferences in words, by name
}

// Feedback is what a model gets to know about its plan.
type Feedback struct {
	Level Level `json:"level"`
	Valid bool  `json:"valid"`
	// Reader is the reader that found the plan in a model's answer; the caller, who had it
	// read, fills it in. It is "" where the plan was not in an answer.
	Reader string `json:"reader,omitempty"`
	// Text is one paragraph. It depends only on the plan, unless a time limit prevents a hint.
	Text string `json:"text"`
	// Errors are the failures that Text describes, by step, with the goal's last.
	Errors []Failure `json:"errors"`
	// Hint is the proposal behind the hint. Text has a hint only if its status is ProposalFound.
	Hint *Proposal `json:"hint,omitempty"`
	// Verdict is the judge's verdict.
	Verdict *validator.Verdict `json:"-"`
}

// Failure is one failure of a plan.
type Failure struct {
	Kind   validator.FailureKind `json:"kind"`
	Step   int                   `json:"step,omitempty"` // of the plan, from 1; 0 for the goal
	Action string                `json:"action,omitempty"`
	Unmet  []string              `json:"unmet,omitempty"`
	// Forbidden: the task forbids the step (domains.Forbidden).
	Forbidden bool `json:"forbidden,omitempty"`

	Text string `json:"text"`
}

// maxFeedbackErrors bounds the errors in one feedback, maxFeedbackUnmet the conditions named for each.
const (
	maxFeedbackErrors = 20
	maxFeedbackUnmet  = 6
)

// NewCritic compiles a critic. The error is one of the judge, or of NewRepairer for hints; it wraps
// prompt.ErrOption for bad options.
func NewCritic(ctx context.Context, prob *pddl.Problem, o Options) (*Critic, error) {
	if o.Level == "" {
		o.Level = LevelFirst
	}
	if o.Style == "" {
		o.Style = prompt.StyleNL
	}
	if !slices.Contains(Levels(), o.Level) {
		return nil, fmt.Errorf("%w: there is no feedback %q; it is binary, first, all or hint", prompt.ErrOption, o.Level)
	}
	c := &Critic{prob: prob, o: o, forbids: domains.RestrictionPredicates(prob)}
	var err error
	if c.judge, err = validator.NewJudgeContext(ctx, prob, validator.Options{}); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch o.Style {
	case prompt.StylePDDL:
	case prompt.StyleNL:
		ok := false
		if c.told, ok = prompt.NewTeller(prob, o.Templates); !ok {
			return nil, fmt.Errorf("%w: no templates %q suit this domain", prompt.ErrOption, o.Templates)
		}
	default:
		return nil, fmt.Errorf("%w: there is no style %q", prompt.ErrOption, o.Style)
	}
	c.wishes = c.preferences()
	if o.Level == LevelHint {
		if c.repairer, err = NewRepairer(ctx, prob, o.Limits); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Criticise judges a plan and words the verdict. The error wraps search.ErrLimit if the judge could not
// decide.
func (c *Critic) Criticise(ctx context.Context, plan *pddl.Plan) (*Feedback, error) {
	s := c.judge.NewScratch()
	s.Context = ctx
	v := c.judge.Explain(plan, s)
	if !v.Decided() {
		return nil, fmt.Errorf("%w: %s", search.ErrLimit, v.Failure.Message)
	}
	f := &Feedback{Level: c.o.Level, Valid: v.Valid, Verdict: v, Errors: []Failure{}}
	if v.Valid {
		f.Text = "Your plan is valid."
		if c.o.Level != LevelBinary {
			f.Text = strings.Join(append([]string{f.Text}, c.violations(v)...), " ")
		}
		return f, nil
	}
	f.Text = "Your plan is not valid."
	switch c.o.Level {
	case LevelBinary:
	case LevelAll:
		if err := c.all(f, plan, v, s); err != nil {
			return nil, err
		}
	default:
		f.Errors = append(f.Errors, c.failure(v, numbers(len(plan.Steps))))
		f.Text += " " + f.Errors[0].Text
	}
	if c.o.Level == LevelHint {
		return f, c.hint(ctx, f, plan)
	}
	return f, nil
}

// CriticiseText is Criticise for the text of a plan. A text that cannot be read is invalid at its first
// error.
func (c *Critic) CriticiseText(ctx context.Context, src *pddl.Source) (*Feedback, error) {
	plan, diags := pddl.ParsePlan(src)
	if plan != nil && !diags.HasErrors() {
		return c.Criticise(ctx, plan)
	}
	v := validator.SyntaxVerdict(diags)
	f := &Feedback{Level: c.o.Level, Verdict: v, Text: "Your plan is not valid.", Errors: []Failure{}}
	if c.o.Level != LevelBinary {
		e := Failure{Kind: v.Failure.Kind, Text: "It cannot be read: " + closed(v.Failure.Message)}
		f.Errors, f.Text = append(f.Errors, e), f.Text+" "+e.Text
	}
	return f, nil
}

// numbers returns 1 to n, the step numbers of a plan.
func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// inOrder copies a plan with its steps in the order in which they are numbered, each with the time that
// it has, so that it keeps its time when others are left out.
func (c *Critic) inOrder(plan *pddl.Plan) *pddl.Plan {
	rest := *plan
	rest.Steps = slices.Clone(plan.Steps)
	switch {
	case plan.Timed:
		slices.SortStableFunc(rest.Steps, func(a, b pddl.Step) int { return a.Time.Cmp(b.Time) })
	case c.judge.Timed():
		rest.Timed = true
		for i := range rest.Steps {
			rest.Steps[i].Time = pddl.Int(int64(i) + 1)
		}
	}
	return &rest
}

// all describes every step that fails once the earlier failing steps are left out, and the goals that are
// unmet after the rest.
func (c *Critic) all(f *Feedback, plan *pddl.Plan, v *validator.Verdict, s *validator.Scratch) error {
	rest := c.inOrder(plan)
	number := numbers(len(rest.Steps))
	for !v.Valid {
		e := c.failure(v, number)
		f.Errors = append(f.Errors, e)
		// Without the step that breaks a constraint, the rest is another plan, not the rest of this one.
		if v.Failure.Step == 0 || v.Failure.Kind == validator.FailConstraint || len(f.Errors) == maxFeedbackErrors {
			break
		}
		at := v.Failure.Step - 1
		rest.Steps = slices.Delete(rest.Steps, at, at+1)
		number = slices.Delete(number, at, at+1)
		if v = c.judge.Explain(rest, s); !v.Decided() {
			return fmt.Errorf("%w: %s", search.ErrLimit, v.Failure.Message)
		}
	}
	for i := range f.Errors {
		f.Text += " " + f.Errors[i].Text
	}
	switch last := &f.Errors[len(f.Errors)-1]; {
	case len(f.Errors) == maxFeedbackErrors:
		f.Text += " There may be more errors."
	case v.Valid:
		f.Text += " The rest of the plan reaches the goal."
	case len(f.Errors) > 1 && last.Step == 0:
		f.Text += " (Steps that cannot be carried out were left out to see what follows.)"
	}
	return nil
}
