package prompt

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Row is a row of a batch: it names a task (a bundled one, two files, or two texts) and says how its prompt
// differs from the options of the batch.
type Row struct {
	ID          string  `json:"id"`
	Task        string  `json:"task"` // a bundled name
	Domain      string  `json:"domain"`
	Problem     string  `json:"problem"`
	DomainText  string  `json:"domain_text"`
	ProblemText string  `json:"problem_text"`
	Kind        string  `json:"kind"` // "": that of the options
	Seed        *uint64 `json:"seed"` // nil: that of the options
}

// RowProblem returns what reads the task that a row names.
func RowProblem(tasks *taskref.Rows) func(*Row) (*pddl.Problem, error) {
	return func(row *Row) (*pddl.Problem, error) {
		key, err := tasks.Key(taskref.Ref{Task: row.Task, Domain: row.Domain, Problem: row.Problem, DomainText: row.DomainText, ProblemText: row.ProblemText}, time.Time{})
		if err != nil {
			return nil, err
		}
		return tasks.Problem(key)
	}
}

// BatchOptions say how Batch reads tasks and what it makes of them.
type BatchOptions struct {
	Options
	// Problem reads the task that a row names.
	Problem func(*Row) (*pddl.Problem, error)
	// Deadline ends all searches; rows after it get errors. Zero is none.
	Deadline time.Time
}

// BatchStats counts the rows of a batch. Limited rows failed because a search met a limit.
type BatchStats struct {
	Rows, Failed, Limited int
}

// maxRowBytes is the longest row that is read.
const maxRowBytes = 64 << 20

// Batch makes a record for each row of a stream of JSON Lines, in order. A row that fails is answered with its
// id and an error. The error of Batch is one of reading, of writing, or of ctx; what was written until then is
// complete.
func Batch(ctx context.Context, in io.Reader, w io.Writer, o BatchOptions) (stats BatchStats, err error) {
	making, cancel := ctx, context.CancelFunc(func() {})
	if !o.Deadline.IsZero() {
		making, cancel = context.WithDeadline(ctx, o.Deadline)
	}
	defer cancel()
	type answer struct {
		rec    *Record
		err    error
		number int
	}
	out := bufio.NewWriterSize(w, 1<<16)
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: 1, MaxLine: maxRowBytes}, func(_ context.Context, line *rowstream.Line) answer {
		rec, err := o.record(making, line)
		return answer{rec, err, line.Number}
	}, func(a answer) error {
		stats.Rows++
		if a.err == nil {
			return rowjson.WriteLine(out, a.rec)
		}
		stats.Failed++
		if errors.Is(a.err, search.ErrLimit) {
			stats.Limited++
		}
		return rowjson.WriteLine(out, map[string]string{"id": cmp.Or(a.rec.ID, fmt.Sprintf("row %d", a.number)), "error": a.err.Error()})
	}, out.Flush)
	return stats, errors.Join(err, out.Flush())
}

// record makes the record of one row. With an error the record has the row's id alone.
func (o *BatchOptions) record(ctx context.Context, line *rowstream.Line) (*Record, error) {
	if line.Text == nil {
		return &Record{}, fmt.Errorf("the row is longer than %d MB", maxRowBytes>>20)
	}
	var row Row
	if err := rowjson.Unmarshal(line.Text, &row, true); err != nil {
		fault := rowjson.Fault(err)
		if strings.Contains(fault, "unknown member") {
			fault += "; a row has id, kind, seed and a task: task, or domain and problem, or domain_text and problem_text"
		}
		return &Record{}, errors.New(fault)
	}
	p, err := o.Problem(&row)
	if err != nil {
		return &Record{ID: row.ID}, err
	}
	opt := o.Options
	opt.Kind = cmp.Or(Kind(row.Kind), opt.Kind)
	if row.Seed != nil {
		opt.Seed, opt.Without.Seed = *row.Seed, *row.Seed
	}
	id := cmp.Or(row.ID, row.Task, p.Name)
	rec, err := Make(ctx, Task{ID: id, Problem: p, Bundled: row.Task}, opt)
	if err != nil {
		return &Record{ID: id}, err
	}
	return rec, nil
}

// NamedRows are the rows of tasks that words name: bundled tasks, also as ranges
// (blocksworld:4-1..20), or the file of a domain and those of its problems.
func NamedRows(words []string) (rows []*Row, err error) {
	if !taskref.IsBundled(words[0]) {
		if len(words) < 2 {
			return nil, errors.New("a domain needs at least one problem after it")
		}
		for _, name := range words[1:] {
			rows = append(rows, &Row{ID: name, Domain: words[0], Problem: name})
		}
		return rows, nil
	}
	for _, word := range words {
		names, err := domains.Range(word)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			rows = append(rows, &Row{ID: name, Task: name})
		}
	}
	return rows, nil
}
