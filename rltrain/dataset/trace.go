package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// TraceOptions say how a reasoning text is told.
type TraceOptions struct {
	// Symbols tells facts and steps in PDDL, a labelled list a line, as prompts in PDDL and
	// compact ones do; otherwise they are told in the domain's sentences, by Templates (as
	// for prompt.NewRenderer).
	Symbols   bool
	Templates string
	// Short tells what each step changes instead of the states and goals after it.
	Short bool
	// Reader reads the plan and the steps of the thoughts back; "" is natural.
	Reader extract.Kind
	// PlanTags puts the plan between <plan> and </plan> rather than [PLAN] and [PLAN END].
	PlanTags bool
}

// ErrTrace is wrapped by errors about plans that cannot be told as a reasoning text.
var ErrTrace = errors.New("no reasoning text")

// Tracer writes reasoning texts about plans of one problem and reads them back. It is used
// by one goroutine at a time.
//
// What it writes comes from the grounder's states. What it accepts is compared with the
// judge, which shares no code with them: see [Tracer.Check].
type Tracer struct {
	o      TraceOptions
	words  phrases
	render *prompt.Renderer
	reader *extract.Reader
	states *extract.StateReader
	masker *constrain.Masker
	task   *traceTask
	judge  *validator.Judge
}

// NewTracer compiles a tracer. The error wraps ErrTrace for a task whose states cannot be
// told as facts (numeric conditions, actions with durations, trajectory constraints) and
// is otherwise that of constrain.NewMasker.
func NewTracer(ctx context.Context, prob *pddl.Problem, lim search.Limits, o TraceOptions) (*Tracer, error) {
	t := &Tracer{o: o, words: sentences, task: newTraceTask(prob)}
	if o.Symbols {
		t.words = symbols
	}
	if prob.Constraints != nil || prob.Domain.Constraints != nil || len(prob.Domain.Durative)+len(prob.Domain.Nature()) > 0 {
		return nil, fmt.Errorf("%w: trajectory constraints and durations are not told state by state", ErrTrace)
	}
	if len(t.task.bans) > maxBans {
		return nil, fmt.Errorf("%w: the constraints forbid more than %d steps", ErrTrace, maxBans)
	}
	var ok bool
	if t.render, ok = prompt.NewRendererFor(cmp.Or(o.Reader, extract.Natural), prob, o.Templates); !ok {
		return nil, fmt.Errorf("%w: no templates %q suit this domain", ErrTrace, o.Templates)
	}
	t.reader, t.states = t.render.PlanReader(), t.render.StateReader()
	var err error
	if t.masker, err = constrain.NewMasker(ctx, prob, constrain.MaskOptions{Limits: lim}); err != nil {
		return nil, err
	}
	if t.masker.Lifted() {
		return nil, fmt.Errorf("%w: the task has no ground form, so that its states are no lists of facts", ErrTrace)
	}
	t.judge, err = validator.NewJudgeContext(ctx, prob, validator.Options{})
	return t, err
}

// Trace writes a valid plan, steps in PDDL such as "(stack a b)", with the reasoning that
// leads to it:
//
//	<think>
//	... a sentence or a list a line (phrases) ...
//	</think>
//	[PLAN]
//	...
//	[PLAN END]
//
// The text has passed Check. The error wraps ErrTrace where a fact of this task cannot be
// told so that it is read back as what it is.
func (t *Tracer) Trace(steps []string) (string, error) {
	var out strings.Builder
	out.WriteString("<think>\n")
	if err := t.tell(&out, steps); err != nil {
		return "", err
	}
	open, shut := t.planMarks()
	out.WriteString("</think>\n" + open + "\n")
	for _, s := range steps {
		out.WriteString(t.step(s) + "\n")
	}
	out.WriteString(shut + "\n")
	text := out.String()
	if err := t.Check(text); err != nil {
		return "", err
	}
	return text, nil
}

func (t *Tracer) planMarks() (open, shut string) {
	if t.o.PlanTags {
		return "<plan>", "</plan>"
	}
	return "[PLAN]", "[PLAN END]"
}

// tell writes the thoughts.
func (t *Tracer) tell(out *strings.Builder, steps []string) error {
	line := func(k phraseKind, payload string) { out.WriteString(t.words[k].write(payload) + "\n") }
	facts := func(k phraseKind, list []string) {
		if len(list) > 0 || k == phraseState {
			line(k, t.facts(list))
		}
	}
	goals := func(held map[string]bool) {
		if missing := without(t.task.goal, held); len(missing) > 0 {
			facts(phraseTodo, missing)
		}
	}
	st := t.masker.Start()
	now := t.visible(t.masker.Facts(st))
	if !t.o.Short {
		facts(phraseState, t.task.fluents(now))
		goals(set(now))
	}
	for i, s := range steps {
		s = strings.ToLower(s)
		next, err := t.masker.Step(st, s)
		if err != nil {
			return fmt.Errorf("step %d of the plan: %w", i+1, err)
		}
		held := set(now)
		line(phraseStep, t.numbered(i+1, t.step(s)))
		needs, absent := t.task.needs(s)
		facts(phraseNeeds, t.visible(needs))
		facts(phraseAbsent, absent)
		all := t.task.complete(t.masker.Facts(st))
		for _, f := range t.task.tempting(set(all)) {
			if t.onlyForbidden(all, f) {
				line(phraseNever, t.step(f))
			}
		}
		after := t.visible(t.masker.Facts(next))
		if t.o.Short {
			facts(phraseAdds, without(after, held))
			facts(phraseEnds, without(now, set(after)))
		} else {
			facts(phraseState, t.task.fluents(after))
			goals(set(after))
		}
		st, now = next, after
	}
	line(phraseDone, "")
	return nil
}

// numbered puts the number before a step in sentences.
func (t *Tracer) numbered(n int, step string) string {
	if t.o.Symbols {
		return step
	}
	return fmt.Sprintf("%d: %s", n, step)
}

func (t *Tracer) step(s string) string {
	if t.o.Symbols {
		return strings.ToLower(s)
	}
	return t.render.Step(strings.ToLower(s))
}

func (t *Tracer) facts(list []string) string {
	switch {
	case len(list) == 0:
		return nothing
	case t.o.Symbols:
		return strings.Join(list, " ")
	}
	return t.render.State(list)
}

// visible leaves out the facts that texts do not tell.
func (t *Tracer) visible(facts []string) []string {
	if t.o.Symbols {
		return facts
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f string) bool { return !t.states.Says(f) })
}

// without lists the facts that are not in a set.
func without(facts []string, held map[string]bool) []string {
	var out []string
	for _, f := range facts {
		if !held[f] {
			out = append(out, f)
		}
	}
	return out
}

func set(facts []string) map[string]bool {
	out := make(map[string]bool, len(facts))
	for _, f := range facts {
		out[f] = true
	}
	return out
}
