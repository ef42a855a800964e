package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// StepLabels says which steps of a plan count as right. Each kind is stricter than the one
// before it, and in each a step is right only if all steps before it are.
type StepLabels string

// Kinds of labels. The last two are the hard estimation of Math-Shepherd (Wang et al. 2024,
// section 3.3: a step is good if some completion of it is), with all completions in the place
// of those that a model samples.
const (
	// ExecutableSteps: the step can be executed where it stands.
	ExecutableSteps StepLabels = ""
	// SolvableSteps: the goal can still be reached after it.
	SolvableSteps StepLabels = "solvable"
	// OptimalSteps: the cheapest plan that begins with the steps so far costs no more than a
	// cheapest plan of the task.
	OptimalSteps StepLabels = "optimal"
)

// ParseStepLabels reads a kind of labels: executable, solvable or optimal.
func ParseStepLabels(text string) (StepLabels, error) {
	switch l := StepLabels(text); l {
	case ExecutableSteps, "executable":
		return ExecutableSteps, nil
	case SolvableSteps, OptimalSteps:
		return l, nil
	}
	return "", fmt.Errorf("%q is no kind of labels: there are executable, solvable and optimal", text)
}

// maxStates bounds the state space of a task whose distances labels need, as for the oracle.
const maxStates = 2_000_000

// DropDistances is the reason why a row of a data set is not in a file of labels that need
// distances.
const DropDistances = "no_distances"

var (
	errNoDistances   = errors.New("no distances for the labels of steps")
	errDistanceLimit = errors.New("a limit ended the making of distances for the labels of steps")
)

// leftOut is the reason why there is no row for a record; "" for other errors.
func leftOut(err error) string {
	switch {
	case errors.Is(err, ErrTrace):
		return DropTrace
	case errors.Is(err, errNoDistances):
		return DropDistances
	case errors.Is(err, errDistanceLimit):
		return DropLimit
	}
	return ""
}

// stepJudge labels steps of plans for one task.
type stepJudge struct {
	labels StepLabels
	judge  *validator.Judge
	table  *space.Table // nil where no distances are needed
	best   pddl.Number  // the optimal cost
}

func newStepJudge(ctx context.Context, prob *pddl.Problem, labels StepLabels, lim search.Limits) (*stepJudge, error) {
	if err := validator.Untimed(prob); err != nil {
		return nil, err
	}
	judge, err := validator.NewJudgeContext(ctx, prob, validator.Options{})
	if err != nil || labels == ExecutableSteps {
		return &stepJudge{labels: labels, judge: judge}, err
	}
	task, err := grounder.Ground(ctx, prob, grounder.Options{Time: lim.Wall, Memory: lim.Memory})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, grounder.ErrLimit):
		return nil, fmt.Errorf("%w: %w", errDistanceLimit, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNoDistances, err)
	}
	table, err := space.Exhaust(ctx, task, search.Limits{Nodes: maxStates, Memory: lim.Memory, Wall: lim.Wall})
	var limit *search.LimitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &limit):
		return nil, fmt.Errorf("%w: %w", errDistanceLimit, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNoDistances, err)
	case table.InitialDistance().DeadEnd:
		return nil, fmt.Errorf("%w: the task has no plan", errNoDistances)
	}
	j := &stepJudge{labels: labels, judge: judge, table: table}
	j.best = j.cheapest(nil, table.InitialDistance())
	return j, nil
}

// cheapest is what the cheapest plan costs that begins with executable steps. Their cost is
// the judge's: grounding leaves out steps that change nothing of what the goal depends on,
// which may cost something.
func (j *stepJudge) cheapest(steps []string, left space.Distance) pddl.Number {
	return judgeSteps(j.judge, steps).Cost.Add(pddl.Int(left.Cost).Mul(j.table.Task().CostUnit))
}

// label labels the steps of a plan, and last its end; valid is whether the answer with it is.
// Steps after the first one that is not right are not right, too.
func (j *stepJudge) label(steps []string, valid bool) ([]bool, error) {
	labels := make([]bool, len(steps)+1)
	readable := slices.IndexFunc(steps, func(s string) bool {
		_, ds := pddl.ParsePlan(pddl.NewSource("step", s))
		return ds.HasErrors()
	})
	if readable < 0 {
		readable = len(steps)
	}
	v := judgeSteps(j.judge, steps[:readable])
	right := v.Executed
	if j.table != nil {
		var err error
		if right, err = j.promising(steps[:v.Executed]); err != nil {
			return nil, err
		}
	}
	for i := range right {
		labels[i] = true
	}
	labels[len(steps)] = right == len(steps) && valid
	return labels, nil
}

// promising counts the executable steps up to the last that is right.
func (j *stepJudge) promising(steps []string) (int, error) {
	at := j.table.Initial()
	for i, step := range steps {
		next, _, err := j.table.Apply(at, step)
		switch {
		case errors.Is(err, space.ErrUnknownAction), errors.Is(err, space.ErrInapplicable): // left out by grounding
		case err != nil:
			return 0, err
		default:
			at = next
		}
		left, ok := j.table.Distance(at)
		if !ok {
			return 0, errors.New("internal error: an applicable plan leads out of the reachable state space; please report it")
		}
		if left.DeadEnd || j.labels == OptimalSteps && j.cheapest(steps[:i+1], left).Cmp(j.best) > 0 {
			return i, nil
		}
	}
	return len(steps), nil
}

// prmRow has the steps of a plan and, last, the mark that ends it. TRL's trainer takes texts
// only.
type prmRow struct {
	Prompt      string   `json:"prompt" parquet:"prompt"`
	Completions []string `json:"completions" parquet:"completions,list"`
	Labels      []bool   `json:"labels" parquet:"labels,list"`
	Meta        string   `json:"meta" parquet:"meta"` // a JSON text
}

func beginPRM(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	c, err := newCandidates(m)
	if err != nil {
		return nil, err
	}
	end := "[PLAN END]"
	if m.Options.PlanTags {
		end = "</plan>"
	}
	out := rowsTo(w, ext, func(ctx context.Context, r *Record) ([]prmRow, error) {
		prob, err := r.derive(m).task()
		if err != nil {
			return nil, err
		}
		judge, err := r.derive(m).steps.get(func() (*stepJudge, error) { return newStepJudge(ctx, prob, c.o.PRM, c.o.Limits) })
		if err != nil {
			return nil, err
		}
		say := func(s string) string { return s }
		if render, ok := prompt.NewRendererFor(m.Options.reader(), prob, m.Options.Templates); ok && !symbolic(m.Options.Style) {
			say = render.Step
		}
		return distinct(c, func(r *Record, x *candidate) (prmRow, error) {
			labels, err := judge.label(x.steps, x.valid)
			if err != nil {
				return prmRow{}, fmt.Errorf("%s: %w", r.ID, err)
			}
			row := prmRow{Prompt: r.text(r.Prompt), Labels: labels, Meta: responseMeta(r, x)}
			for _, s := range x.steps {
				if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
					s = say(s)
				}
				row.Completions = append(row.Completions, s)
			}
			row.Completions = append(row.Completions, end)
			return row, nil
		})(ctx, r)
	})
	out.leaveOut = m.leaveOut
	return out, nil
}
