package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Check reads a reasoning text back and holds every line of it to the judge:
//
//   - The plan is extracted from the text as from any answer, is valid, and its steps are
//     those of the thoughts.
//   - A state, read by the StateReader, is the one that the judge reaches.
//   - What a step is said to need is what the judge misses in a state without it.
//   - What the goal is said to ask for is what the judge misses in it.
//   - A step that a constraint is said to forbid is one that the judge refuses for exactly
//     one reason, a fact that no action changes.
//   - What a step is said to change is what the judge sees change.
//
// The error wraps ErrTrace and names the first line that does not hold.
func (t *Tracer) Check(text string) error {
	thoughts, rest, ok := strings.Cut(text, "\n</think>\n")
	thoughts, begins := strings.CutPrefix(thoughts, "<think>\n")
	open, shut := t.planMarks()
	if !ok || !begins || !strings.HasPrefix(rest, open+"\n") || !strings.HasSuffix(rest, shut+"\n") {
		return fmt.Errorf("%w: the text is not thoughts and a plan", ErrTrace)
	}
	x := t.reader.Extract(text)
	if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || len(x.Alternatives) > 0 {
		return fmt.Errorf("%w: the plan is not read back (%s)", ErrTrace, x.Status)
	}
	if v := t.verdict(t.judge, x.Plan...); !v.Valid {
		return fmt.Errorf("%w: the plan is not valid: %s", ErrTrace, v.Failure.Message)
	}
	c := &traceCheck{Tracer: t, plan: x.Plan, now: t.task.initial()}
	for i, line := range strings.Split(thoughts, "\n") {
		if err := c.line(line); err != nil {
			return fmt.Errorf("%w: line %d, %q: %v", ErrTrace, i+2, line, err)
		}
	}
	if !c.done {
		return fmt.Errorf("%w: the thoughts end before the goal", ErrTrace)
	}
	return nil
}

// traceCheck goes through the thoughts.
type traceCheck struct {
	*Tracer
	plan   []string
	at     int      // steps so far
	before []string // the facts before the last of them
	now    []string // after it
	done   bool
}

func (c *traceCheck) line(line string) error {
	kind, payload, ok := c.words.read(line)
	switch {
	case !ok:
		return fmt.Errorf("this is no line of a reasoning text")
	case c.done:
		return fmt.Errorf("something follows the end")
	case kind == phraseDone:
		c.done = true
		if c.at != len(c.plan) {
			return fmt.Errorf("%d steps of %d have been told", c.at, len(c.plan))
		}
		if v := c.verdict(c.judgeFrom(c.now, false)); !v.Valid {
			return fmt.Errorf("the goal does not hold")
		}
		return nil
	case kind == phraseStep:
		return c.step(payload)
	case kind == phraseNever:
		step, err := c.readStep(payload)
		if err == nil && !c.onlyForbidden(c.current(), step) {
			err = fmt.Errorf("a constraint alone does not forbid it")
		}
		return err
	}
	facts, err := c.readFacts(payload)
	if err != nil {
		return err
	}
	if c.at == 0 && kind != phraseState && kind != phraseTodo {
		return fmt.Errorf("no step has been told yet")
	}
	switch kind {
	case phraseState:
		return same("state", facts, c.task.fluents(c.visible(c.now)))
	case phraseTodo:
		v := c.verdict(c.judgeFrom(c.now, false))
		if v.Valid || v.Failure.Kind != validator.FailGoal {
			return fmt.Errorf("the goal holds")
		}
		return same("unmet goal", facts, lower(v.Failure.Unsatisfied))
	case phraseNeeds:
		return c.needed(facts, without(c.before, set(facts)), "%s")
	case phraseAbsent:
		return c.needed(facts, append(slices.Clone(c.before), facts...), "(not %s)")
	case phraseAdds:
		return same("effect", facts, c.visible(without(c.now, set(c.before))))
	default:
		return same("effect", facts, c.visible(without(c.before, set(c.now))))
	}
}

// current is the state that a constraint is told about: that in which the step is taken
// which is being told.
func (c *traceCheck) current() []string {
	if c.before == nil {
		return c.now
	}
	return c.before
}

// step reads the line of a step and has the judge execute it.
func (c *traceCheck) step(payload string) error {
	if !c.o.Symbols {
		number, rest, ok := strings.Cut(payload, ": ")
		if n, err := strconv.Atoi(number); !ok || err != nil || n != c.at+1 {
			return fmt.Errorf("this is step %d", c.at+1)
		}
		payload = rest
	}
	step, err := c.readStep(payload)
	if err != nil {
		return err
	}
	if c.at == len(c.plan) || c.plan[c.at] != step {
		return fmt.Errorf("this is not step %d of the plan", c.at+1)
	}
	v := c.verdict(c.judgeFrom(c.now, true), step)
	if v.Executed != 1 || v.Valid {
		return fmt.Errorf("it cannot be taken")
	}
	next := set(c.now)
	for _, change := range v.Changes {
		sign, fact, ok := strings.Cut(strings.ToLower(change), " ")
		if !ok {
			return fmt.Errorf("it changes too much to be told")
		}
		next[fact] = sign == "+"
	}
	c.before, c.now = c.now, c.now[:0:0]
	for f, holds := range next {
		if holds {
			c.now = append(c.now, f)
		}
	}
	sortedFacts(c.now)
	c.at++
	return nil
}

// needed holds each fact to being a condition of the last step: the judge misses it in a
// state that differs from the one before the step in these facts alone.
func (c *traceCheck) needed(facts, state []string, condition string) error {
	v := c.verdict(c.judgeFrom(state, true), c.plan[c.at-1])
	missed := map[string]bool{}
	if v.Failure.Kind == validator.FailPrecondition {
		missed = set(lower(v.Failure.Unsatisfied))
	}
	held := set(c.before)
	for _, f := range facts {
		if !missed[fmt.Sprintf(condition, f)] {
			return fmt.Errorf("the step does not need %s", fmt.Sprintf(condition, f))
		}
		if held[f] != (condition == "%s") {
			return fmt.Errorf("%s is told wrong", f)
		}
	}
	return nil
}

// onlyForbidden tells whether the judge refuses a step in a state for one reason alone: a
// fact that it must not find and that no action changes.
func (t *Tracer) onlyForbidden(state []string, step string) bool {
	v := t.verdict(t.judgeFrom(state, true), step)
	if v.Valid || v.Failure.Kind != validator.FailPrecondition || len(v.Failure.Unsatisfied) != 1 {
		return false
	}
	fact, ok := strings.CutPrefix(strings.ToLower(v.Failure.Unsatisfied[0]), "(not ")
	return ok && slices.ContainsFunc(t.task.bans, func(b traceBan) bool { return b.step == step && b.fact == strings.TrimSuffix(fact, ")") })
}

// verdict judges a plan. Without a judge no plan is valid.
func (t *Tracer) verdict(j *validator.Judge, steps ...string) *validator.Verdict {
	if j == nil {
		return &validator.Verdict{Failure: &validator.Failure{Kind: validator.FailInvariant, Message: "the task cannot be judged from this state"}}
	}
	v, _ := j.ValidateText(pddl.NewSource("plan", strings.Join(steps, "\n")+"\n"), j.NewScratch())
	return v
}

// judgeFrom returns the judge of the task with another initial state; with hopeless its
// goal never holds, so that the verdict on any steps tells what they change. It is nil if
// the judge refuses the task then.
func (t *Tracer) judgeFrom(state []string, hopeless bool) *validator.Judge {
	p := *t.task.prob
	p.Init.Atoms = t.task.atoms(state)
	if hopeless {
		p.Goal = pddl.GoalSchema{Formula: &pddl.Formula{Kind: pddl.FormulaOr}}
	}
	j, err := validator.NewJudge(&p, validator.Options{})
	if err != nil {
		return nil
	}
	return j
}

// readStep reads the words of one step.
func (t *Tracer) readStep(text string) (string, error) {
	if t.reader.Kind() == extract.Strict {
		text = "<plan>\n" + text + "\n</plan>"
	}
	x := t.reader.Extract(text)
	if x.Status != extract.StatusPlan || len(x.Plan) != 1 || len(x.Malformed) > 0 {
		return "", fmt.Errorf("%q is not read as a step", text)
	}
	return strings.ToLower(x.Plan[0]), nil
}

// readFacts reads the words of a list of facts, those that go unsaid aside.
func (t *Tracer) readFacts(text string) ([]string, error) {
	if text == nothing {
		return nil, nil
	}
	x := t.states.Read(text)
	if !x.Found || len(x.Denied) > 0 || len(x.Unread) > 0 {
		return nil, fmt.Errorf("%q is not read as facts", text)
	}
	if t.o.Symbols { // the reader adds what its templates would leave unsaid
		return sortedFacts(slices.DeleteFunc(x.Facts, func(f string) bool { return !strings.Contains(text, f) })), nil
	}
	return sortedFacts(t.visible(x.Facts)), nil
}

func same(what string, told, true []string) error {
	told, true = sortedFacts(slices.Clone(told)), sortedFacts(slices.Clone(true))
	if !slices.Equal(told, true) {
		return fmt.Errorf("the %s is %s", what, strings.Join(true, " "))
	}
	return nil
}

func lower(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}
