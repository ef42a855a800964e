package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// Question says what is to be found out about a task, and within which limits. The zero value asks for
// a cheapest plan.
type Question struct {
	Search string // such as "astar(lmcut())"; "" is the default, "auto()"
	// Goal, a condition, takes the place of the task's goal; Step asks for a state in which that step
	// can be applied. See [Ask].
	Goal, Step string
	// Certificate asks for a proof of the answer.
	Certificate bool
	Time        time.Duration // of grounding, search and proof together, elapsed; 0 is no limit
	Memory      int64         // bytes, of each of them; 0 is no limit
	Nodes       int64         // of the search; 0 is no limit
}

// Proved is the answer to a [Question].
type Proved struct {
	*Answer // nil where a limit ended the grounding
	Report  Report
	// Certificate is the file that check-certificate reads, nil if there is none; Saved says why.
	Certificate []byte
	Saved       *certificate.Saved
}

// Prove grounds a problem, searches, has the plan judged, and makes the certificate. Limits are statuses
// of the report. Errors are those of [Ask], [grounder.Ground], [Search] and [SaveCertificate],
// and the end of ctx.
func Prove(ctx context.Context, p *pddl.Problem, q Question) (*Proved, error) {
	start := time.Now()
	query, err := Ask(p, q.Goal, q.Step)
	if err != nil {
		return nil, err
	}
	if query != nil {
		p = query.Problem
	}
	left := func() time.Duration {
		if q.Time == 0 {
			return 0
		}
		return max(q.Time-time.Since(start), time.Nanosecond)
	}
	by := Options{Search: search.Config{Search: q.Search, Limits: search.Limits{Memory: q.Memory, Nodes: q.Nodes}}, Query: query}
	task, a, err := by.answer(ctx, p, q, left)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, grounder.ErrMemory):
		return unground(q, query, search.Memout, err)
	case errors.Is(err, grounder.ErrLimit):
		return unground(q, query, search.Timeout, err)
	case err != nil:
		return nil, err
	}
	if ctx.Err() != nil && a.Status == search.Timeout {
		return nil, ctx.Err()
	}
	out := &Proved{Answer: a, Report: a.Report()}
	if !q.Certificate || a.Status != search.SolvedOptimally && a.Status != search.Unsolvable {
		return out, nil
	}
	var file bytes.Buffer
	limits := search.Limits{Memory: q.Memory, Wall: left()}
	out.Saved, err = SaveCertificate(ctx, p, task, a.Result, Options{
		Ground: grounder.Options{Time: limits.Wall, Memory: q.Memory}, Search: search.Config{Limits: limits}, Query: query,
	}, "", func(_ string, write func(io.Writer) error) error { return write(&file) })
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, grounder.ErrLimit):
		out.Saved = &certificate.Saved{Error: err.Error()}
	case err != nil:
		return nil, err
	case out.Saved.Error == "":
		out.Certificate = file.Bytes()
	}
	return out, nil
}

// answer grounds a problem and searches, or searches it as it is where Search.Search says so or grounding runs out of
// memory. left is the time that is left. The task is nil without grounding.
func (by Options) answer(ctx context.Context, p *pddl.Problem, q Question, left func() time.Duration) (task *grounder.Task, a *Answer, err error) {
	if Ungrounded(q.Search) {
		by.Search.Limits.Wall = left()
		a, err = SearchUngrounded(ctx, p, by)
		return nil, a, err
	}
	task, err = grounder.Ground(ctx, p, grounder.Options{Time: q.Time, Memory: q.Memory, ObjectFluents: true, NumericFluents: true})
	by.Search.Limits.Wall = left()
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		a, err = Instead(ctx, p, by, err)
		return nil, a, err
	}
	a, err = Search(ctx, p, task, by)
	return task, a, err
}

// unground is the answer where a limit ended the grounding.
func unground(q Question, query *Query, status search.Status, why error) (*Proved, error) {
	name, err := search.Canonical(cmp.Or(q.Search, "auto()"))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	r := Report{Status: status, Reason: why.Error(), Search: name}
	if query != nil {
		r.Goal, r.Step = query.Goal, query.Step
	}
	return &Proved{Report: r}, nil
}
