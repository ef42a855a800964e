package grade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/forms"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var (
	queryInit    = pattern.New(`(?m)^As initial conditions I have that, (.*?)\.?$`)
	queryGoal    = pattern.New(`(?m)^My goal is to have that (.*?)\.`)
	queryProblem = pattern.New(`(?i)\(\s*define\s*\(\s*problem\b`)
	queryEvent   = pattern.New(`executing the action "[^"\n]*" at step (\d+) .* became true: (.*)\n.* false: (.*)\n`)
)

var (
	errUnsaid    = errors.New("the query states no")
	errOtherInit = errors.New("the query's initial state is not that of the instance")
	errOtherGoal = errors.New("the query's goal is not that of the instance")
)

// QueryRecord makes the record for grading answers to a PlanBench query about an instance. The last
// statement of the query says what is asked: to verify a plan (the judge decides), to execute actions
// (they are applied), to replan (the task begins after the event), or to reach another goal (reuse, goal
// shuffling, full to partial and partial to full). Other kinds ask for a plan of the instance itself.
//
// A query of the latter kind may have any form. But if it describes an initial state in sentences that can
// be read, or has a problem in PDDL, that must agree with the instance.
//
// A query with another initial state than the instance's is an error, and so is one that cannot be read:
// no answer to it can be graded.
func QueryRecord(ctx context.Context, kind prompt.Kind, prob *pddl.Problem, query string) (*prompt.Record, error) {
	plain := kind == prompt.KindGeneration || kind == prompt.KindGeneralise
	rec := &prompt.Record{Kind: kind, Style: prompt.StyleNL, Domain: prob.Domain.String(), Problem: prob.String()}
	query = strings.ReplaceAll(query, "\r\n", "\n")
	at := strings.LastIndex(query, "[STATEMENT]\n")
	if at < 0 {
		if plain {
			return rec, sameProblem(prob, query)
		}
		return nil, fmt.Errorf("the query has no [STATEMENT]")
	}
	q := &planbenchQueryReader{ctx: ctx, prob: prob, text: query[at:], state: extract.NewStateReader(prob.Domain, prob), plan: extract.NewReader(prob.Domain, prob, extract.Natural)}
	start, err := q.facts("initial state", queryInit, 1)
	if plain && errors.Is(err, errUnsaid) {
		return rec, sameProblem(prob, q.text)
	}
	if err != nil {
		return nil, err
	}
	if !slices.Equal(start, atomtext.Initial(prob)) {
		return nil, errOtherInit
	}
	judged := prob
	switch kind {
	case prompt.KindVerification:
		rec.Gold, err = q.verification()
	case prompt.KindExecution:
		rec.Gold, err = q.execution()
	case prompt.KindReplanning:
		judged, err = q.replanning()
	case prompt.KindGeneration, prompt.KindGeneralise:
		err = q.sameGoal()
	case prompt.KindReuse, prompt.KindGoalShuffle, prompt.KindFullToPartial, prompt.KindPartialToFull:
		var goal []string
		if goal, err = q.facts("goal", queryGoal, 1); err == nil {
			judged, err = world.WithGoal(prob, goal)
		}
	}
	if err != nil {
		return nil, err
	}
	rec.Problem = judged.String()
	return rec, nil
}

// sameProblem returns an error if a query has a problem in PDDL that differs from the instance.
func sameProblem(prob *pddl.Problem, query string) error {
	all := queryProblem.FindAllStringIndex(query, -1)
	if len(all) == 0 {
		return nil
	}
	// Some queries have a parenthesis too many.
	text := forms.First(query[all[len(all)-1][0]:])
	asked, ds := pddl.ParseProblem(pddl.NewSource("query", text), prob.Domain, pddl.Options{})
	switch {
	case asked == nil || ds.HasErrors():
		return fmt.Errorf("the query's problem does not belong to the instance's domain: %w", ds.Err())
	case !slices.Equal(atomtext.Initial(asked), atomtext.Initial(prob)):
		return errOtherInit
	}
	a, ok1 := prompt.GoalAtoms(asked)
	b, ok2 := prompt.GoalAtoms(prob)
	if ok1 != ok2 || !atomtext.Same(a, b) {
		return errOtherGoal
	}
	return nil
}

// sameGoal returns an error if the query's goal differs from the instance's. Goals that cannot be read as
// facts are not compared.
func (q *planbenchQueryReader) sameGoal() error {
	goal, ok := prompt.GoalAtoms(q.prob)
	told, err := q.facts("goal", queryGoal, 1)
	if !ok || errors.Is(err, errUnsaid) {
		return nil
	}
	if err != nil {
		return err
	}
	// Every reading contains the facts that texts leave out.
	if unsaid := q.state.Unsaid(); !atomtext.Same(atomtext.Gained(unsaid, told), atomtext.Gained(unsaid, goal)) {
		return errOtherGoal
	}
	return nil
}

// planbenchQueryReader reads the last statement of a query.
type planbenchQueryReader struct {
	ctx   context.Context
	prob  *pddl.Problem
	text  string
	state *extract.StateReader
	plan  *extract.Reader
}

// facts reads the facts in a group of a pattern.
func (q *planbenchQueryReader) facts(what string, re *pattern.Pattern, group int) ([]string, error) {
	m := re.FindStringSubmatch(q.text)
	if m == nil {
		return nil, fmt.Errorf("%w %s", errUnsaid, what)
	}
	x := q.state.Read("[RESULTING STATE]\n" + m[group])
	if !x.Found {
		return nil, fmt.Errorf("%w %s in words that can be read", errUnsaid, what)
	}
	if len(x.Unread)+len(x.Denied) > 0 {
		return nil, fmt.Errorf("the query's %s cannot be read: %s", what, m[group])
	}
	return x.Facts, nil
}

// steps reads the plan between two markers.
func (q *planbenchQueryReader) steps(open, shut string) ([]string, error) {
	_, text, ok := strings.Cut(q.text, open+"\n")
	text, _, ok2 := strings.Cut(text, shut)
	if !ok || !ok2 {
		return nil, fmt.Errorf("the query has no %s ... %s", open, shut)
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	x := q.plan.Extract("[PLAN]\n" + text + "[PLAN END]")
	if x.Status != extract.StatusPlan || len(x.Malformed) > 0 {
		return nil, fmt.Errorf("the query's steps cannot be read")
	}
	return x.Plan, nil
}

func (q *planbenchQueryReader) verification() (*prompt.Gold, error) {
	steps, err := q.steps("[PLAN]", "[PLAN END]")
	if err != nil {
		return nil, err
	}
	v, err := world.Judge(q.prob, steps)
	if err != nil {
		return nil, err
	}
	verdict := prompt.GoldVerdict(q.prob, v)
	if verdict == nil {
		return nil, fmt.Errorf("the query's plan fails for another reason than a precondition or the goal: %s", v.Failure.Message)
	}
	return &prompt.Gold{Candidate: steps, Verdict: verdict}, nil
}

func (q *planbenchQueryReader) execution() (*prompt.Gold, error) {
	steps, err := q.steps("[ACTION SEQUENCE]", "[ACTION SEQUENCE END]")
	if err != nil {
		return nil, err
	}
	state, err := q.after(steps)
	if err != nil {
		return nil, err
	}
	return &prompt.Gold{Candidate: steps, State: state}, nil
}

// after lists the facts after steps.
func (q *planbenchQueryReader) after(steps []string) ([]string, error) {
	w, err := world.New(q.ctx, q.prob, search.Limits{})
	if err != nil {
		return nil, err
	}
	st, err := w.After(steps)
	if err != nil {
		return nil, fmt.Errorf("the query's steps cannot be executed: %w", err)
	}
	return w.Facts(st), nil
}

func (q *planbenchQueryReader) replanning() (*pddl.Problem, error) {
	steps, err := q.steps("[PLAN]", "[PLAN END]")
	if err != nil {
		return nil, err
	}
	became, err := q.facts("event", queryEvent, 2)
	if err != nil {
		return nil, err
	}
	ceased, err := q.facts("event", queryEvent, 3)
	if err != nil {
		return nil, err
	}
	k, err := strconv.Atoi(queryEvent.FindStringSubmatch(q.text)[1])
	if err != nil || k < 1 || k > len(steps) {
		return nil, fmt.Errorf("the query's event does not follow a step of its plan")
	}
	before, err := q.after(steps[:k])
	if err != nil {
		return nil, err
	}
	state := append(atomtext.Gained(ceased, before), atomtext.Gained(before, became)...)
	return world.WithState(q.prob, state)
}
