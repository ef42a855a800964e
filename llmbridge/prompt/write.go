package prompt

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// item is one problem in a prompt: an example with its answer, or the query.
type item struct {
	prob *pddl.Problem
	r    *Renderer
	// goal, if not "", replaces the sentence about the problem's goal.
	goal   string
	plan   []string // the answer, or the plan before an event
	cost   string
	budget string // "": no budget

	candidate []string             // to verify or execute
	verdict   *extract.PlanVerdict // on the candidate
	event     *unexpected
	after     []string      // the plan after the event
	changed   *pddl.Problem // the problem after the event
	state     []string      // after the candidate
	solvable  bool
	w         *world.World // of changed, else of prob; nil if not needed
}

// unexpected is a change of state that the plan does not cause.
type unexpected struct {
	step           int // 1-based: it happens after this step
	became, ceased []string
}

// builder writes one prompt.
type builder struct {
	promptWriter
	o Options
	// open and shut are the markers around a plan.
	open, shut string
	// begin is the beginning of the query's answer if the prompt does not end with it.
	begin string
	timed bool // the domain has durative actions
	// sentence is an example of a step in words, "" where steps are in PDDL.
	sentence string
}

func newBuilder(o Options) *builder {
	b := &builder{o: o, open: "[PLAN]", shut: "[PLAN END]"}
	if o.PlanTags {
		b.open, b.shut = "<plan>", "</plan>"
	}
	return b
}

// strict reports whether the answers are for the strict reader.
func (b *builder) strict() bool { return b.o.Answer == extract.Strict }

func (b *builder) pddl() bool { return b.o.Style == StylePDDL }

// formal reports whether steps and facts are in PDDL.
func (b *builder) formal() bool { return b.o.Style != StyleNL }

// priced reports whether the prompt states the costs of actions.
func (b *builder) priced() bool { return b.o.Kind == KindCostOptimal || b.o.Budget != nil }

// demonstrated reports whether an example shows the form of an answer.
func (b *builder) demonstrated() bool { return b.o.Shots > 0 || b.o.Kind.showsOwnTask() }

// header writes the domain, which all problems of the prompt share.
func (b *builder) header(r *Renderer) {
	b.timed = len(r.dom.Durative) > 0
	if b.strict() && !b.formal() {
		b.sentence = r.sentence()
	}
	if b.o.Style == StyleCompact {
		return
	}
	if b.pddl() {
		b.span(SpanIntro, "Here is a planning domain in PDDL.\n\n")
		b.text("[DOMAIN]\n")
		b.pddlText(r.dom.String())
		return
	}
	intro := "I have to act in the world that is described here."
	if r.t != nil && r.t.Intro != "" {
		intro = r.t.Intro
	}
	b.span(SpanIntro, intro+"\n")
	var list strings.Builder
	list.WriteString("Here are the actions I can do")
	if b.priced() {
		list.WriteString(", and the time that each takes")
	}
	list.WriteString(":\n\n")
	for _, a := range r.dom.Actions {
		b.action(&list, r, &a.Schema, a.Effect)
	}
	for _, a := range r.dom.Durative {
		b.action(&list, r, &a.Schema, a.Effect)
	}
	b.span(SpanActions, list.String())
	b.text("\n")
	kind := SpanKind("")
	for _, rule := range r.rules() {
		if rule.kind != kind {
			if kind = rule.kind; kind == SpanRule {
				b.span(SpanRules, "I have the following restrictions on my actions:\n")
			} else {
				b.text("This is what my actions bring about:\n")
			}
		}
		b.span(rule.kind, rule.text+"\n")
	}
	if c := r.dom.Constraints; c != nil {
		b.trajectories(r, c, r.dom.Names(&c.Schema), "")
	}
}

// action writes one line of the list of actions. If no example shows it, the line also says how to write
// the action.
func (b *builder) action(list *strings.Builder, r *Renderer, s *pddl.Schema, e *pddl.Effect) {
	does, form := r.does(s), r.schema(s)
	list.WriteString(does)
	if !b.demonstrated() && does != capitalised(form) {
		fmt.Fprintf(list, " (written: %s)", form)
	}
	if b.priced() {
		list.WriteString(": " + r.price(s, e))
	}
	list.WriteString("\n")
}

// statement writes a problem: objects, initial state, goal and limits.
func (b *builder) statement(it *item, query, goal bool) {
	if b.pddl() {
		title := "\n[PROBLEM]\n"
		if query {
			title = "\n[QUERY PROBLEM]\n"
		}
		b.text(title)
		text := unrestricted(it.prob).String()
		if !goal {
			text = withoutGoal(text)
		}
		b.pddlText(text)
		b.limits(it)
		return
	}
	b.text("\n[STATEMENT]\n")
	if s := it.r.objects(); s != "" {
		b.span(SpanObjects, "These are the objects: "+s+".\n")
	}
	state := it.r.State(b.ordered(atomtext.Initial(it.prob)))
	if state == "" {
		state = "nothing holds"
	}
	b.span(SpanInit, "As initial conditions I have that, "+state+".")
	if v := it.r.Values(); len(v) > 0 {
		b.span(SpanInit, "\nIt is known that "+JoinPhrases(v)+".")
	}
	if goal {
		b.span(SpanGoal, "\nMy goal is to have that "+b.goal(it)+".")
		if c := it.prob.Constraints; c != nil {
			b.trajectories(it.r, c, it.prob.Names(&c.Schema), "\n")
		}
	}
	b.limits(it)
}

// trajectories writes trajectory constraints, one sentence each.
func (b *builder) trajectories(r *Renderer, c *pddl.GoalSchema, n pddl.Names, before string) {
	EachConjunct(c.Formula, func(f *pddl.Formula) bool {
		s := before + "I also want that " + r.Formula(f, n) + "."
		if before == "" {
			s += "\n"
		}
		b.span(SpanConstraint, s)
		return true
	})
}

// limits writes the budget, Options.Constraints and what is forbidden.
func (b *builder) limits(it *item) {
	nl := "\n"
	end := ""
	if b.pddl() {
		nl, end = "", "\n"
	}
	if it.budget != "" {
		b.span(SpanBudget, nl+"The time limit is "+minutes(it.budget)+"."+end)
	}
	for _, c := range b.o.Constraints {
		b.span(SpanConstraint, nl+c+end)
	}
	for _, f := range domains.Restrictions(it.prob) {
		b.span(SpanConstraint, nl+b.never(it, f)+end)
	}
}

func minutes(n string) string {
	if n == "1" {
		return "1 minute"
	}
	return n + " minutes"
}

// step returns a step in the prompt's style.
func (b *builder) step(it *item, s string) string {
	if b.formal() {
		return s
	}
	return it.r.Step(s)
}

// plan returns the steps of a plan in the prompt's style, one per line.
func (b *builder) plan(it *item, steps []string) string {
	var out strings.Builder
	for _, s := range steps {
		out.WriteString(b.step(it, s) + "\n")
	}
	return out.String()
}

// ordered sorts the facts of an initial state or a goal like PlanBench: as in a resulting state, except in
// prompts that only ask for a plan.
func (b *builder) ordered(facts []string) []string {
	switch {
	case b.o.Reasoning == ReasonState:
	case b.o.Kind == KindCostOptimal, b.o.Kind == KindVerification, b.o.Kind == KindReuse, b.o.Kind == KindReplanning, b.o.Kind == KindExecution:
	default:
		return facts
	}
	return resulting(facts)
}

// goal returns the goal of an item in sentences.
func (b *builder) goal(it *item) string {
	if it.goal != "" {
		return it.goal
	}
	if atoms, ok := GoalAtoms(it.prob); ok {
		atomtext.Sort(atoms)
		return it.r.State(b.ordered(atoms))
	}
	return it.r.Goal()
}

// facts returns a list of facts in the prompt's style.
func (b *builder) facts(it *item, facts []string) string {
	if b.formal() {
		return strings.Join(facts, " ")
	}
	return it.r.State(facts)
}

// ask writes an item up to its answer.
func (b *builder) ask(it *item, query bool) {
	if b.o.Style == StyleCompact {
		b.askCompact(it, query)
		return
	}
	switch b.o.Kind {
	case KindVerification:
		b.statement(it, query, true)
		b.text("\nMy plan is as follows:\n\n")
		b.span(SpanPlan, "[PLAN]\n"+b.plan(it, it.candidate)+"[PLAN END]\n")
		b.tail(it, query, "Is this plan valid? Answer with \"The above plan is valid.\" or \"The above plan is invalid.\", and if it is invalid, say which precondition of which step is not met, or which part of the goal.", "\n", "[VERIFICATION]")
	case KindExecution:
		b.statement(it, query, false)
		b.text("\nI have executed the following action sequence:\n\n")
		b.span(SpanPlan, "[ACTION SEQUENCE]\n"+b.plan(it, it.candidate)+"[ACTION SEQUENCE END]\n")
		b.tail(it, query, "Which facts hold now? Answer with all of them, static ones too, after the line [RESULTING STATE].", "", "[RESULTING STATE]")
	case KindReplanning:
		b.statement(it, query, true)
		b.text("\nMy plan is as follows:\n\n")
		b.span(SpanPlan, "[PLAN]\n"+b.plan(it, it.plan)+"[PLAN END]\n")
		b.event(it)
		b.tail(it, query, "Which plan reaches my goal from the new state?"+b.answerForm(), "", "After re-planning from the new state, the plan is as follows:\n"+b.open)
	case KindCostOptimal:
		b.statement(it, query, true)
		b.span(SpanInstruction, " I want the plan that takes the least time.")
		b.tail(it, query, "Which plan is that?"+b.answerForm()+b.more("End with the sentence \"The total time to execute the plan is N minutes.\""), "\n", "My plan is as follows:\n\n"+b.open)
	case KindUnsolvable:
		b.statement(it, query, true)
		b.tail(it, query, "Which plan reaches my goal?"+b.answerForm()+" If there is none, answer \"no plan possible\".", "\n\n", "My plan is as follows:\n\n"+b.open)
	default:
		b.statement(it, query, true)
		gap := "\n\n"
		if b.o.Kind == KindReuse || b.o.Reasoning == ReasonState {
			gap = "\n"
		}
		b.tail(it, query, "Which plan reaches my goal?"+b.answerForm(), gap, "My plan is as follows:\n\n"+b.open)
	}
}

// tail writes what comes directly before an answer: a question if no example shows the form of the
// answer, else the beginning of the answer, for the model to continue, after the gap that PlanBench has
// there.
func (b *builder) tail(it *item, query bool, question, gap, begin string) {
	if b.strict() {
		begin = strings.TrimRight(strings.TrimSuffix(begin, b.open), "\n") + "\n"
	}
	if query && (!b.demonstrated() || b.asksToThink() || b.strict()) {
		if b.text("\n"); !strings.HasSuffix(b.b.String(), "\n\n") {
			b.text("\n")
		}
		if b.asksToThink() {
			question += b.think()
		}
		b.span(SpanInstruction, question+"\n")
		if b.o.Kind != KindVerification && !b.strict() {
			b.begin = begin[strings.LastIndexByte(begin, '\n')+1:] + "\n"
		}
		return
	}
	if gap != "" && strings.HasSuffix(b.b.String(), "\n") {
		gap = "\n"
	}
	b.text(gap)
	b.span(SpanAnswer, b.thoughts(it))
	b.text(begin)
}

// asksToThink reports whether the prompt asks the model to reason first. Such a prompt cannot end with the
// beginning of the answer.
func (b *builder) asksToThink() bool {
	return b.o.Reasoning == ReasonCoT || b.o.Incantation != "" || b.o.System != ""
}

func (b *builder) think() string {
	switch {
	case b.o.Incantation != "":
		return b.more(b.o.Incantation)
	case b.o.Reasoning == ReasonCoT:
		return b.more("First think the task through step by step, then give your answer.")
	}
	return ""
}

func (b *builder) answerForm() string {
	form := "one action a line, in the words above"
	if b.formal() {
		form = "one action a line, such as (action object object)"
	}
	if b.timed {
		form = "one action a line, each as \"START: ACTION [DURATION]\" with numbers for both"
	}
	if b.strict() {
		return b.contract()
	}
	if b.o.Reasoning == ReasonState {
		return " Answer between " + b.open + " and " + b.shut + " with a numbered entry for each action, of the lines Current State, Action, Reason and Resulting State."
	}
	return " Answer between " + b.open + " and " + b.shut + ", " + form + "."
}

// more returns a further sentence of an instruction. Below the lines of the contract it has its own.
func (b *builder) more(sentence string) string {
	if b.strict() {
		return "\n" + sentence
	}
	return " " + sentence
}

// contract states the answer contract.
func (b *builder) contract() string {
	words := "\n" + strings.TrimSuffix(contract.Words(b.open, b.shut, b.sentence, b.timed), "\n")
	if b.o.Reasoning == ReasonState {
		return " First go through it with a numbered entry for each action, of the lines Current State, Action, Reason and Resulting State." + words
	}
	return words
}

// event writes what happened unexpectedly during execution.
func (b *builder) event(it *item) {
	e := it.event
	s := fmt.Sprintf("\nDuring execution, something unexpected happened after step %d, %q.", e.step, b.step(it, it.plan[e.step-1]))
	if len(e.became) > 0 {
		s += "\nThese facts unexpectedly became true: " + b.facts(it, e.became) + "."
	}
	if len(e.ceased) > 0 {
		s += "\nThese facts unexpectedly became false: " + b.facts(it, e.ceased) + "."
	}
	b.span(SpanEvent, s+"\n")
}
