package acp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/search"
)

// Options of [GenerateRows] and [GradeRows].
type Options struct {
	Kinds   []Kind // that are asked; nil for all
	Seed    uint64 // of rows without one
	Workers int    // 0 is one per processor
	Limits  search.Limits
}

// Totals count rows.
type Totals struct {
	Rows, Questions, Graded, Correct, Limited, Errors int
}

// Row is a row of either kind: a task to ask about, or a question with a response to grade. A question that
// was generated can be graded once it has a "response".
type Row struct {
	ID          string `json:"id,omitempty"`
	Task        string `json:"task,omitempty"`
	Domain      string `json:"domain,omitempty"`
	Problem     string `json:"problem,omitempty"`
	DomainText  string `json:"domain_text,omitempty"`
	ProblemText string `json:"problem_text,omitempty"`
	Seed        uint64 `json:"seed,omitempty"`
	Question
	Response json.RawMessage `json:"response,omitempty"`
}

// graded is the answer to a row of GradeRows.
type graded struct {
	ID     string `json:"id,omitempty"`
	Kind   Kind   `json:"kind,omitempty"`
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
	*Verdict
}

const (
	maxRow     = 64 << 20
	cacheBytes = 512 << 20
)

// madeSpace is a space, or why there is none.
type madeSpace struct {
	*Space
	err error
}

func (m madeSpace) size() int64 {
	if m.Space == nil {
		return 1 << 10
	}
	return m.states.Bytes() + 16*int64(m.states.Len())
}

// engine answers rows; spaces are kept by the task's texts.
type engine struct {
	o      Options
	tasks  *taskref.Rows
	spaces *lru.Cache[taskref.Key, madeSpace]
}

func newEngine(o Options) *engine {
	return &engine{
		o: o, tasks: &taskref.Rows{Resolver: taskref.NewResolver(taskref.Options{CacheBytes: 64 << 20})},
		spaces: lru.New(cacheBytes, func(_ taskref.Key, m madeSpace) int64 { return m.size() }),
	}
}

func (e *engine) space(ctx context.Context, r *Row) (*Space, error) {
	key, err := e.tasks.Key(taskref.Ref{Domain: r.Domain, Problem: r.Problem, DomainText: r.DomainText, ProblemText: r.ProblemText, Task: r.Task}, time.Time{})
	if err != nil {
		return nil, err
	}
	made := e.spaces.Get(key, func() madeSpace {
		p, err := e.tasks.Problem(key)
		if err != nil {
			return madeSpace{err: err}
		}
		s, err := NewSpace(ctx, p, e.o.Limits)
		return madeSpace{s, err}
	})
	return made.Space, made.err
}

// lines are the lines that answer a row.
type lines struct {
	text []byte
	Totals
}

// GenerateRows asks questions about the tasks of rows, all kinds of one row in a line each. A kind that a task
// does not allow is left out. A row that cannot be read is answered with its error, one whose task has too
// many states with the status "limit".
func GenerateRows(ctx context.Context, in io.Reader, w io.Writer, o Options) (Totals, error) {
	e := newEngine(o)
	if len(e.o.Kinds) == 0 {
		e.o.Kinds = Kinds()
	}
	return e.run(ctx, in, w, func(ctx context.Context, r *Row, x *lines) error {
		s, err := e.space(ctx, r)
		if err != nil {
			return err
		}
		row := *r
		for _, kind := range e.o.Kinds {
			q, ok := s.Ask(kind, cmp.Or(r.Seed, o.Seed))
			if !ok {
				continue
			}
			row.Question = q
			x.Questions++
			x.text = append(rowjson.Append(x.text, row), '\n')
		}
		return nil
	})
}

// GradeRows grades the responses of rows, in order.
func GradeRows(ctx context.Context, in io.Reader, w io.Writer, o Options) (Totals, error) {
	e := newEngine(o)
	return e.run(ctx, in, w, func(ctx context.Context, r *Row, x *lines) error {
		if !rowjson.Present(r.Response) {
			return rowjson.Errorf(rowjson.CodeMissing, "", "the row has no response")
		}
		s, err := e.space(ctx, r)
		if err != nil {
			return err
		}
		v, err := s.Grade(&r.Question, r.Response)
		if err != nil {
			return err
		}
		x.Questions++
		if x.Graded++; v.Correct {
			x.Correct++
		}
		x.text = append(rowjson.Append(nil, graded{ID: r.ID, Kind: r.Kind, Verdict: &v}), '\n')
		return nil
	})
}

func (e *engine) run(ctx context.Context, in io.Reader, w io.Writer, do func(context.Context, *Row, *lines) error) (Totals, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	var t Totals
	err := rowstream.Run(ctx, in, rowstream.Options{Workers: e.o.Workers, MaxLine: maxRow, Finish: time.Second},
		func(ctx context.Context, line *rowstream.Line) lines { return answerLine(ctx, line, do) },
		func(x lines) error {
			t.Rows++
			t.Questions += x.Questions
			t.Graded += x.Graded
			t.Correct += x.Correct
			t.Limited += x.Limited
			t.Errors += x.Errors
			_, err := out.Write(x.text)
			return err
		}, out.Flush)
	return t, err
}

func answerLine(ctx context.Context, line *rowstream.Line, do func(context.Context, *Row, *lines) error) (x lines) {
	var r Row
	err := fmt.Errorf("%d bytes, more than %d", line.Length, maxRow)
	if line.Text != nil {
		if err = rowjson.Unmarshal(bytes.TrimRight(line.Text, "\r\n"), &r, false); err == nil {
			err = do(ctx, &r, &x)
		}
	}
	if err == nil {
		return x
	}
	a := graded{ID: r.ID, Kind: r.Kind, Error: fmt.Sprintf("row %d: %s", line.Row, rowjson.Fault(err))}
	x = lines{}
	if x.Errors = 1; errors.Is(err, search.ErrLimit) {
		a.Status, x.Limited, x.Errors = "limit", 1, 0
	}
	x.text = append(rowjson.Append(nil, a), '\n')
	return x
}

// Wrong counts the graded answers that are not right; questions that were generated have no grade.
func (t *Totals) Wrong() int { return t.Graded - t.Correct }
