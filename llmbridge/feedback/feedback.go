package feedback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Level says how much a model learns about its plan.
type Level string

// Levels, each telling more than the one before.
const (
	LevelBinary Level = "binary" // valid or not
	LevelFirst  Level = "first"  // and the first step that fails, or the unmet goals, with the reason
	LevelAll    Level = "all"    // and all steps that fail, and the unmet goals
	LevelHint   Level = "hint"   // the first error, and how to go on from the good part
)

// Levels lists the levels.
func Levels() []Level {
	return []Level{LevelBinary, LevelFirst, LevelAll, LevelHint}
}

// Options shape a Critic. The zero value is the first error, in the domain's
// sentences.
type Options struct {
	Level Level
	// Style is the language: StyleNL tells steps and facts in the domain's sentences, with
	// Templates as for NewRenderer, StylePDDL as they are.
	Style     prompt.Style
	Templates string
	// Reveal lets a hint tell the whole completion. Without it a hint tells one step, and
	// only the kind of that step where it would be the last: never a whole plan.
	Reveal bool
	// Limits bound the grounding and each search for a hint.
	Limits search.Limits
}

// Critic words the judge's verdicts on plans of one problem as feedback for a model. It is
// compiled once and may be used by several goroutines.
type Critic struct {
	prob     *pddl.Problem
	o        Options
	judge    *validator.Judge
	told     *prompt.Renderer  // nil: PDDL
	repairer *Repairer         // nil: no hints
	forbids  map[string]string // the predicates that only forbid actions
}

// Feedback is what a model is told about a plan.
type Feedback struct {
	Level Level `json:"level"`
	Valid bool  `json:"valid"`
	// Text is a paragraph. It is the same for the same plan, but for a hint that a limit
	// of time prevents.
	Text string `json:"text"`
	// Errors are the failures that Text tells, by step; the goal's is the last.
	Errors []Failure `json:"errors"`
	// Hint is the proposal that a hint was taken from. With a status other than found Text
	// has no hint.
	Hint *Proposal `json:"hint,omitempty"`
	// Verdict is the judge's.
	Verdict *validator.Verdict `json:"-"`
}

// Failure is one failure of a plan.
type Failure struct {
	Kind   validator.FailureKind `json:"kind"`
	Step   int                   `json:"step,omitempty"` // of the plan, from 1; 0 for the goal
	Action string                `json:"action,omitempty"`
	Unmet  []string              `json:"unmet,omitempty"`
	// Forbidden tells that the task forbids the step (domains.Forbidden).
	Forbidden bool `json:"forbidden,omitempty"`

	Text string `json:"text"`
}

// maxFeedbackErrors bounds the errors of one feedback, maxFeedbackUnmet the conditions
// that it names of each.
const (
	maxFeedbackErrors = 20
	maxFeedbackUnmet  = 6
)

// NewCritic compiles a critic. Errors are those of NewRepairer (for hints) and of the
// judge; ErrOption is wrapped for options that do not suit.
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
	if c.judge, err = validator.NewJudge(prob, validator.Options{}); err != nil {
		return nil, err
	}
	switch o.Style {
	case prompt.StylePDDL:
	case prompt.StyleNL:
		ok := false
		if c.told, ok = prompt.NewRenderer(prob, o.Templates); !ok {
			return nil, fmt.Errorf("%w: no templates %q suit this domain", prompt.ErrOption, o.Templates)
		}
	default:
		return nil, fmt.Errorf("%w: there is no style %q", prompt.ErrOption, o.Style)
	}
	if o.Level == LevelHint {
		if c.repairer, err = NewRepairer(ctx, prob, o.Limits); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Criticise judges a plan and words the verdict. The error wraps search.ErrLimit where the judge
// could not decide.
func (c *Critic) Criticise(ctx context.Context, plan *pddl.Plan) (*Feedback, error) {
	s := c.judge.NewScratch()
	v := c.judge.Explain(plan, s)
	if !v.Decided() {
		return nil, fmt.Errorf("%w: %s", search.ErrLimit, v.Failure.Message)
	}
	f := &Feedback{Level: c.o.Level, Valid: v.Valid, Verdict: v, Errors: []Failure{}}
	if v.Valid {
		f.Text = "Your plan is valid."
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

// CriticiseText is Criticise for the text of a plan. One that cannot be read is invalid,
// at the place of its first error.
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

// numbers gives the steps of a plan their own numbers.
func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// all tells every step that fails when those that fail before it are left out, and the
// goals that are unmet at the end of the rest.
func (c *Critic) all(f *Feedback, plan *pddl.Plan, v *validator.Verdict, s *validator.Scratch) error {
	rest := &pddl.Plan{Source: plan.Source, Timed: plan.Timed, Steps: slices.Clone(plan.Steps)}
	number := numbers(len(rest.Steps))
	for !v.Valid {
		e := c.failure(v, number)
		f.Errors = append(f.Errors, e)
		// Of stamped plans steps may be out of order: there the first error is told only.
		if v.Failure.Step == 0 || plan.Timed || len(f.Errors) == maxFeedbackErrors {
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

// failure words the failure of a verdict. number gives the steps their numbers in the
// model's plan.
func (c *Critic) failure(v *validator.Verdict, number []int) Failure {
	e := Failure{Kind: v.Failure.Kind, Action: strings.ToLower(v.Failure.Action), Unmet: v.Failure.Unsatisfied}
	if v.Failure.Step > 0 {
		e.Step = number[v.Failure.Step-1]
	}
	unmet := v.Explanation.Unmet
	if len(c.forbids) > 0 {
		unmet = slices.DeleteFunc(slices.Clone(unmet), func(u validator.Unmet) bool { return domains.ForbidsStep(c.forbids, u.Literal) })
		e.Forbidden = len(unmet) < len(v.Explanation.Unmet)
	}
	switch {
	case e.Forbidden && len(unmet) > 0:
		e.Text = fmt.Sprintf("Step %d, %s, is forbidden here. It cannot be carried out anyway: %s.", e.Step, c.say(e.Action), c.needs(unmet, number))
	case e.Forbidden:
		e.Text = fmt.Sprintf("Step %d, %s, is forbidden here.", e.Step, c.say(e.Action))
	case len(unmet) > 0 && e.Step > 0:
		e.Text = fmt.Sprintf("Step %d, %s, cannot be carried out: %s.", e.Step, c.say(e.Action), c.needs(unmet, number))
	case len(unmet) > 0:
		e.Text = fmt.Sprintf("After the last step the goal is not reached: %s.", c.needs(unmet, number))
	case e.Step > 0:
		message := strings.TrimPrefix(v.Failure.Message, fmt.Sprintf("step %d %s: ", v.Failure.Step, v.Failure.Action))
		e.Text = fmt.Sprintf("Step %d, %s, cannot be carried out: %s", e.Step, e.Action, closed(message))
	default:
		e.Text = closed(v.Failure.Message)
	}
	return e
}

// needs tells unmet conditions, each with what it reads and what last changed it: first
// those that should hold, then those that should not.
func (c *Critic) needs(unmet []validator.Unmet, number []int) string {
	var lacking, barred []string
	for i := range unmet[:min(len(unmet), maxFeedbackUnmet)] {
		u := &unmet[i]
		text := c.condition(u)
		if note := c.note(u, number); note != "" {
			text += " (" + note + ")"
		}
		if u.Formula.Kind == pddl.FormulaNot {
			barred = append(barred, text)
		} else {
			lacking = append(lacking, text)
		}
	}
	var parts []string
	tell := func(list []string, one, several string) {
		switch len(list) {
		case 0:
		case 1:
			parts = append(parts, one+list[0])
		default:
			parts = append(parts, several+strings.Join(list, "; "))
		}
	}
	tell(lacking, "it does not hold that ", "these do not hold: ")
	tell(barred, "it must not hold, but does, that ", "these must not hold, but do: ")
	if more := len(unmet) - maxFeedbackUnmet; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more such conditions", more))
	}
	return strings.Join(parts, "; ")
}

// note tells the values that a condition compares, and the step that last changed it.
func (c *Critic) note(u *validator.Unmet, number []int) string {
	var notes []string
	for _, v := range u.Values {
		value := "no value"
		if v.Value != nil {
			value = *v.Value
		}
		fluent := v.Fluent
		if c.told != nil {
			fluent = strings.Trim(fluent, "()")
		}
		notes = append(notes, fluent+" is "+value)
	}
	if by := u.ChangedBy; by != nil {
		since := "last changed by"
		if u.Held && len(u.Values) > 0 {
			since = "not since" // later steps may have changed the values further
		}
		notes = append(notes, fmt.Sprintf("%s step %d, %s", since, number[by.Step-1], c.say(strings.ToLower(by.Action))))
	}
	return strings.Join(notes, ", ")
}

// say tells a step in the critic's style.
func (c *Critic) say(step string) string {
	if c.told != nil {
		return prompt.InSentence(c.told.Step(step))
	}
	return step
}

// condition tells one unmet condition, without its negation.
func (c *Critic) condition(u *validator.Unmet) string {
	f, literal := u.Formula, u.Literal
	if f.Kind == pddl.FormulaNot {
		f, literal = f.Children[0], strings.TrimSuffix(strings.TrimPrefix(literal, "(not "), ")")
	}
	if c.told == nil {
		return literal
	}
	if f.Kind == pddl.FormulaAtom {
		if text := c.told.Fact(literal); text != "" {
			return text
		}
	}
	return c.told.Formula(f, c.prob.Names(u.Schema))
}

// closed ends a message as a sentence.
func closed(s string) string {
	if strings.HasSuffix(s, "?") {
		return s
	}
	return strings.TrimSuffix(s, ".") + "."
}

// hint adds how to go on from the part of the plan that is good.
func (c *Critic) hint(ctx context.Context, f *Feedback, plan *pddl.Plan) error {
	p, err := c.repairer.Complete(ctx, plan, c.o.Limits)
	if errors.Is(err, ErrRepair) {
		return nil // steps at one time: no beginning to go on from
	}
	if err != nil {
		return err
	}
	f.Hint = p
	var next []string
	for _, e := range p.Script {
		if e.Op == EditInsert {
			next = append(next, e.Action)
		}
	}
	if p.Status != ProposalFound {
		return nil
	}
	text := " No step of it can stay at the beginning."
	switch {
	case p.Kept == 1:
		text = " Its first step can stay."
	case p.Kept > 1:
		text = fmt.Sprintf(" Its first %d steps can stay.", p.Kept)
	}
	if p.Proven && p.Kept < f.Verdict.Executed {
		text += " After the next one the goal is out of reach."
	}
	switch {
	case len(next) == 0:
		text += " They reach the goal: leave out the rest."
		if p.Kept == 0 {
			text = " The goal holds from the start: nothing needs to be done."
		}
	case c.o.Reveal:
		for i := range next {
			next[i] = c.say(next[i])
		}
		text += " From there this reaches the goal: " + strings.Join(next, ", then ") + "."
	case len(next) == 1:
		text += fmt.Sprintf(" From there one more step is enough, a kind of %s.", atomtext.Words(next[0])[0])
	default:
		text += fmt.Sprintf(" From there %d more steps are enough; the next could be: %s.", len(next), c.say(next[0]))
	}
	f.Text += text
	if !c.o.Reveal {
		f.Hint = &Proposal{Status: p.Status, Proven: p.Proven, Reason: p.Reason, Cost: p.Cost, Kept: p.Kept, Edits: p.Edits}
	}
	return nil
}
