package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Import adds rows that Export has written with texts, of another machine for instance.
// Keys are computed anew and plans judged anew; that a cost is optimal, or that there is
// no plan, is taken from the row. Tables and certificates stay where they were: the row
// loses them. A row that is wrong, or contradicts what is proven, is a Fault and is left out.
func (s *Store) Import(ctx context.Context, r io.Reader, place string, progress func(rows int)) (rows int, faults []Fault, err error) {
	i := importer{store: s, place: place}
	for n, text := range lines(r) {
		if err = ctx.Err(); err != nil {
			break
		}
		if text.err == nil && len(bytes.TrimSpace(text.data)) == 0 {
			continue
		}
		var add []Item
		err := text.err
		if err == nil {
			add, err = importRow(text.data)
		}
		if err != nil {
			i.fault(n, err)
			continue
		}
		i.pending, i.lines = append(i.pending, add), append(i.lines, n)
		if len(i.pending) >= maxBatch {
			if err := i.flush(); err != nil {
				return i.rows, i.sorted(), err
			}
			if progress != nil {
				progress(i.rows)
			}
		}
	}
	err = errors.Join(i.flush(), err)
	return i.rows, i.sorted(), err
}

// importer is one run of Import.
type importer struct {
	store   *Store
	place   string
	pending [][]Item // by row
	lines   []int    // of the pending rows
	rows    int      // stored
	faults  []Fault
}

func (i *importer) fault(line int, err error) {
	i.faults = append(i.faults, Fault{Name: fmt.Sprintf("line %d", line), Err: fmt.Errorf("%s:%d: %w", i.place, line, err), at: line})
}

// flush stores the pending rows; those that contradict a proof are faults. What has been
// read is kept when the context of the import ends.
func (i *importer) flush() error {
	refused, err := i.store.putRows(i.pending)
	if err != nil {
		return err
	}
	for k, conflict := range refused {
		if conflict != nil {
			i.fault(i.lines[k], conflict)
		} else {
			i.rows++
		}
	}
	i.pending, i.lines = i.pending[:0], i.lines[:0]
	return nil
}

func (i *importer) sorted() []Fault {
	slices.SortStableFunc(i.faults, func(a, b Fault) int { return a.at - b.at })
	return i.faults
}

// putRows stores rows, in one transaction unless some contradict a proof: the other rows are
// then stored one by one. It returns why each row was refused, nil for what is stored.
func (s *Store) putRows(rows [][]Item) (refused []error, err error) {
	refused = make([]error, len(rows))
	if len(rows) == 0 {
		return refused, nil
	}
	var conflict *ConflictError
	if err = s.Put(context.Background(), slices.Concat(rows...)); !errors.As(err, &conflict) {
		return refused, err
	}
	for k, items := range rows {
		if err := s.Put(context.Background(), items); errors.As(err, &conflict) {
			refused[k] = err
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

func importRow(data []byte) ([]Item, error) {
	var row Row
	if err := rowjson.Unmarshal(data, &row, false); err != nil {
		return nil, errors.New(rowjson.Fault(err))
	}
	if row.Domain == nil || row.Problem == nil {
		return nil, errors.New("the row lacks domain_text or problem_text: export writes them")
	}
	texts, err := canonicalise(pddl.NewSource("domain_text", *row.Domain), pddl.NewSource("problem_text", *row.Problem))
	if err != nil {
		return nil, err
	}
	schedule, err := costmodel.ParseSchedule(row.Schedule)
	if err != nil {
		return nil, err
	}
	task, err := texts.Task(schedule)
	if err != nil {
		return nil, err
	}
	r, err := row.record(task)
	if err != nil {
		return nil, err
	}
	items := []Item{{Task: task, Record: r}}
	for i, name := range row.IDs {
		if err := checkName(name); err != nil {
			return nil, err
		}
		if i == 0 {
			items[0].Name = name
		} else {
			items = append(items, Item{Name: name, Task: task})
		}
	}
	return items, nil
}

// record checks the row against its task and turns it into a record.
func (row *Row) record(task *Task) (*Record, error) {
	if row.Key != task.Key.String() {
		if row.Key == "" {
			return nil, errors.New("the row has no key: it is none that planproof truth export has written")
		}
		return nil, fmt.Errorf("the row says key %q, its task and schedule have %s: one of them was changed", row.Key, task.Key)
	}
	r := &Record{
		Key: task.Key, Status: row.Status, Plan: row.Plan, Steps: len(row.Plan), Reason: row.Reason, Search: row.Search, Expanded: row.Expanded, Version: row.Version,
		Limits:  search.Limits{Wall: time.Duration(row.Limits.Seconds * float64(time.Second)), Memory: row.Limits.Memory, Nodes: row.Limits.Nodes},
		Elapsed: time.Duration(row.Elapsed * float64(time.Second)), Finished: time.Now(),
	}
	if row.Cost != nil {
		r.Cost = *row.Cost
	}
	if t, err := time.Parse(time.RFC3339, row.Finished); err == nil {
		r.Finished = t
	}
	if row.Steps != nil && *row.Steps != len(row.Plan) {
		return nil, fmt.Errorf("the row says %d steps and has a plan of %d", *row.Steps, len(row.Plan))
	}
	if err := r.consistent(); err != nil {
		return nil, err
	}
	for i, step := range r.Plan {
		if !plainStep.MatchString(step) {
			return nil, fmt.Errorf("step %d is %q, not (action object ...)", i+1, step)
		}
	}
	if err := r.rejudge(task); err != nil {
		return nil, err
	}
	return r, nil
}

// plainStep is a step as it is stored: a line by itself, without a time or a comment.
var plainStep = pattern.New(`^\([^()\s;]+( [^()\s;]+)*\)$`)

// rejudge judges the plan of a solved row once more, and compares the cost.
func (r *Record) rejudge(t *Task) error {
	if r.Status != search.SolvedOptimally {
		return nil
	}
	judge, err := validator.NewJudge(t.priced, validator.Options{})
	if err != nil {
		return fmt.Errorf("the plan cannot be judged: %s", firstLine(err))
	}
	cost, err := judgePlan(judge, r.Plan)
	if err != nil {
		return fmt.Errorf("the plan is not valid: %w", err)
	}
	if cost.String() != r.Cost {
		return fmt.Errorf("the row says cost %s, the judge %s", r.Cost, cost)
	}
	return nil
}
