package prompt

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

// Make makes a prompt and its gold answer. The same task and options give the same bytes. The error
// wraps ErrOption if the options do not fit the task and search.ErrLimit if a search reached a limit;
// it is a pddl.Diagnostics if the search does not support the task.
func Make(ctx context.Context, task Task, o Options) (*Record, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	m := &maker{ctx: ctx, o: o, task: task, seen: map[string]bool{}}
	if m.prob, err = m.prepare(task.Problem); err != nil {
		return nil, err
	}
	b := newBuilder(o)
	if b.priced() && !priceable(m.prob) {
		return nil, optionError("a prompt can state the time of a plan only if the task minimises (total-cost) or has no metric")
	}
	r, ok := m.renderer(m.prob)
	if !ok {
		return nil, optionError("no templates %q suit this domain", o.Templates)
	}
	if err := ctx.Err(); err != nil { // of each stage: a task may have a million facts
		return nil, err
	}
	query, own, err := m.query(r)
	if err != nil {
		return nil, err
	}
	examples, err := m.examples(b, query)
	if err != nil {
		return nil, err
	}
	b.header(r)
	if own != nil {
		examples = append(examples, own)
	}
	for i, it := range examples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.example = i + 1
		b.ask(it, false)
		b.span(SpanAnswer, b.answer(it))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.example = 0
	b.ask(query, true)
	return m.record(b, query, r)
}

// maker makes the items of one prompt.
type maker struct {
	ctx   context.Context
	o     Options
	task  Task
	prob  *pddl.Problem // with the names that the prompt uses
	names *Renaming
	seen  map[string]bool // initial state and goal of the problems in the prompt
}

// prepare applies the cost schedule, prints the problem and reads it again, so that comments and other
// traits of its text are gone, and renames it. The first problem, the query, determines the names.
func (m *maker) prepare(p *pddl.Problem) (*pddl.Problem, error) {
	var err error
	if m.o.Reprice != nil {
		if p, err = m.o.Reprice(p); err != nil {
			return nil, err
		}
	}
	dom, ds := pddl.ParseDomain(pddl.NewSource(p.Domain.Name, p.Domain.String()), pddl.Options{})
	if dom == nil {
		return nil, fmt.Errorf("internal error: a printed domain cannot be read: %w", ds.Err())
	}
	q, ds := pddl.ParseProblem(pddl.NewSource(p.Name, p.String()), dom, pddl.Options{})
	if q == nil {
		return nil, fmt.Errorf("internal error: a printed problem cannot be read: %w", ds.Err())
	}
	if m.o.Rename == "" {
		return q, nil
	}
	if m.names == nil {
		if m.names, err = NewRenaming(q, m.o.Rename, false, m.o.Seed); err != nil {
			return nil, optionError("%v", err)
		}
	}
	return m.names.Apply(q)
}

// renderer returns the renderer of a problem of the prompt.
func (m *maker) renderer(prob *pddl.Problem) (*Renderer, bool) {
	return NewRendererFor(cmp.Or(m.o.Answer, extract.Natural), prob, m.o.Templates)
}

// taskKey identifies a problem by its initial state and goal. Its name and restrictions do not count.
func taskKey(p *pddl.Problem) string {
	p = unrestricted(p)
	return strings.Join(atomtext.Initial(p), "") + "=>" + strings.ToLower(p.Names(&p.Goal.Schema).Formula(p.Goal.Formula))
}

// query makes the item that the prompt asks about and, for kinds that show it, the same task with its
// solution.
func (m *maker) query(r *Renderer) (query, own *item, err error) {
	m.seen[taskKey(m.prob)] = true
	rng := seeded.Rand(m.o.Seed, "query "+string(m.o.Kind))
	query, own, err = m.item(m.prob, r, rng, true)
	if err != nil {
		return nil, nil, err
	}
	return query, own, nil
}

// item makes the item of a problem, the query or an example.
func (m *maker) item(prob *pddl.Problem, r *Renderer, rng *rand.Rand, query bool) (it, own *item, err error) {
	it = &item{prob: prob, r: r, solvable: true}
	if m.o.Reasoning != ReasonNone && (!query || !m.o.NoGold) || m.o.Kind.showsOwnTask() && m.o.Kind != KindGoalShuffle {
		if it.w, err = world.New(m.ctx, prob, m.o.Limits); err != nil {
			return nil, nil, err
		}
	}
	switch m.o.Kind {
	case KindVerification:
		err = m.verification(it, rng)
	case KindExecution:
		err = m.execution(it, rng)
	case KindReplanning:
		err = m.replanning(it, rng)
	case KindUnsolvable:
		err = m.unsolvable(it, rng, query)
	case KindReuse, KindGoalShuffle, KindFullToPartial, KindPartialToFull:
		if query {
			return m.reformulated(it, rng)
		}
		err = m.solved(it)
	default:
		if !query || !m.o.NoGold || m.o.Shots > 0 || m.o.Budget != nil && m.o.Budget.Level != "explicit" {
			err = m.solved(it)
		}
	}
	if err == nil {
		err = m.budget(it, query)
	}
	return it, nil, err
}

// solved finds the plan of an item.
func (m *maker) solved(it *item) error {
	s := &world.Solution{}
	var err error
	if m.o.Solve != nil {
		s.Plan, s.Cost, s.Solvable, err = m.o.Solve(m.ctx, it.prob)
	} else {
		s, err = world.Solve(m.ctx, it.prob, m.o.Limits)
	}
	if err != nil {
		return err
	}
	if !s.Solvable {
		return optionError("the task %s has no plan; ask for the kind %s", it.prob.Name, KindUnsolvable)
	}
	it.plan, it.cost = s.Plan, s.Cost
	return nil
}

// reformulated makes the query of a kind that first shows its own task, solved.
func (m *maker) reformulated(it *item, rng *rand.Rand) (query, own *item, err error) {
	if err := m.solved(it); err != nil {
		return nil, nil, err
	}
	own = it
	q := *it
	switch m.o.Kind {
	case KindGoalShuffle:
		atoms, ok := GoalAtoms(it.prob)
		if !ok || len(atoms) < 2 {
			return nil, nil, optionError("%s needs a goal of two facts or more", m.o.Kind)
		}
		atomtext.Sort(atoms)
		order := rng.Perm(len(atoms))
		for sorted(order) {
			order = rng.Perm(len(atoms))
		}
		shuffled := make([]string, len(atoms))
		for i, k := range order {
			shuffled[i] = atoms[k]
		}
		if q.prob, err = world.WithGoal(it.prob, shuffled); err != nil {
			return nil, nil, err
		}
		q.goal = it.r.State(shuffled)
	case KindReuse:
		if len(it.plan) < 2 {
			return nil, nil, optionError("%s needs a task whose plan has two steps or more", m.o.Kind)
		}
		q.plan = it.plan[:1+rng.IntN(len(it.plan)-1)]
		if err := m.wholeGoal(&q, q.plan); err != nil {
			return nil, nil, err
		}
	case KindPartialToFull, KindFullToPartial:
		full := *it
		if err := m.wholeGoal(&full, it.plan); err != nil {
			return nil, nil, err
		}
		if m.o.Kind == KindPartialToFull {
			q = full
		} else {
			own = &full
		}
	}
	for _, x := range []*item{own, &q} {
		if err := m.budget(x, x == &q); err != nil {
			return nil, nil, err
		}
		m.seen[taskKey(x.prob)] = true
	}
	return &q, own, nil
}

func sorted(order []int) bool {
	for i, k := range order {
		if i != k {
			return false
		}
	}
	return true
}

// wholeGoal sets the goal of an item to the whole state after the steps: all facts that can change.
func (m *maker) wholeGoal(it *item, steps []string) error {
	st, err := it.w.After(steps)
	if err != nil {
		return fmt.Errorf("internal error: a plan that was judged cannot be replayed: %w", err)
	}
	goal := it.w.Fluents(st)
	if it.prob, err = world.WithGoal(it.prob, goal); err != nil {
		return err
	}
	if it.r, _ = m.renderer(it.prob); len(steps) != len(it.plan) {
		it.plan = steps
	}
	it.goal = it.r.State(resulting(goal))
	v, err := world.Judge(it.prob, steps)
	if err != nil {
		return err
	}
	if !v.Valid {
		return optionError("the state after the plan has facts that the search does not see")
	}
	it.cost = v.Cost.String()
	return nil
}

// budget computes the limit on the cost of an item's plan, in it.budget.
func (m *maker) budget(it *item, query bool) error {
	spec := m.o.Budget
	if spec == nil || spec.Level == "unlimited" {
		return nil
	}
	if spec.Level == "explicit" && query {
		it.budget = spec.Amount.String()
		return nil
	}
	cost, ok := pddl.ParseFraction(it.cost)
	if !ok {
		return optionError("a %s budget needs a plan to measure, which the kind %s does not ask for", spec.Level, m.o.Kind)
	}
	if spec.Level == "loose" {
		if m.o.Slack == nil {
			return optionError("a loose budget needs a slack")
		}
		slack, err := m.o.Slack(it.prob)
		if err != nil {
			return err
		}
		cost = cost.Add(slack)
	}
	it.budget = cost.String()
	return nil
}

// record masks the prompt and assembles the record.
func (m *maker) record(b *builder, query *item, r *Renderer) (*Record, error) {
	p := b.prompt()
	p.System = systemMessage(m.o.System, b)
	p.Stop = []string{"[STATEMENT]"}
	if m.o.Style == StyleCompact {
		p.Stop[0] = compactStart
	}
	if m.o.Kind != KindVerification && m.o.Kind != KindExecution && !b.strict() { // strictly the marker is part of the plan
		p.Stop = append([]string{b.shut}, p.Stop...)
		if m.o.Kind == KindCostOptimal {
			p.Stop = p.Stop[1:]
		}
	}
	judged := query.prob
	if query.changed != nil {
		judged = query.changed
	}
	rec := &Record{
		ID: m.task.ID, Kind: m.o.Kind, Style: m.o.Style, Shots: m.o.Shots, Reasoning: m.o.Reasoning, Seed: m.o.Seed,
		Prompt: p, Domain: query.prob.Domain.String(), Problem: judged.String(), Budget: query.budget, Names: m.names,
	}
	if m.o.Kind != KindVerification && m.o.Kind != KindExecution {
		rec.Reader = cmp.Or(m.o.Answer, extract.Natural)
	}
	for _, f := range domains.Restrictions(judged) {
		rec.Forbidden = append(rec.Forbidden, f.String())
	}
	if r.t != nil && m.o.Style == StyleNL {
		rec.Templates = r.t.Name
	}
	if m.o.Without.any() {
		rec.Full = &p
		rec.Prompt, rec.Masked = m.o.Without.Apply(&p)
		rec.Mask = &m.o.Without
	}
	if m.o.NoGold {
		return rec, nil
	}
	g := &Gold{Text: b.begin + strings.TrimPrefix(b.answer(query), "\n"), Candidate: query.candidate, Verdict: query.verdict, State: query.state, Unsolvable: !query.solvable}
	switch m.o.Kind {
	case KindVerification, KindExecution, KindUnsolvable:
	case KindReplanning:
		g.Plan, g.Cost, g.Optimal = query.after, query.cost, true
	default:
		g.Plan, g.Cost = query.plan, query.cost
		g.Optimal = m.o.Kind == KindGeneration || m.o.Kind == KindCostOptimal || m.o.Kind == KindGeneralise || m.o.Kind == KindGoalShuffle || m.o.Kind == KindFullToPartial
	}
	rec.Gold = g
	return rec, nil
}

// systemMessage returns the text of a system message.
func systemMessage(name string, b *builder) string {
	if name != "think" {
		return name
	}
	return "You make plans for the task that the user describes. Reason about the task first, within <think> and </think>. " +
		"Then give the plan, and nothing else, within " + b.open + " and " + b.shut + ". " +
		"Your answer therefore looks like this: <think> your reasoning </think> " + b.open + " your plan " + b.shut
}
