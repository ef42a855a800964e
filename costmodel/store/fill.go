package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search"

	"golang.org/x/sync/errgroup"
)

// FillOptions of Fill. The zero value is fine.
type FillOptions struct {
	// Schedules are the schedules of inputs that name none; nil means the domain's own costs.
	Schedules []costmodel.Schedule
	// Search is a search string, auto() when empty.
	Search string
	// Limits bound the work on one task under one schedule, grounding included. CPU is not used.
	Limits search.Limits
	// Jobs is the number of tasks worked on at the same time; 0 means one per processor.
	Jobs int
	// Retry works again on rows that a limit ended, that failed, or whose feature was not
	// supported.
	Retry bool
	// Tables, if set, is a folder in which the table of exact distances of every row is kept.
	Tables string
	// Certificates, if set, is a folder in which a certificate of every answer is kept.
	Certificates string
	// Version is noted in every row.
	Version string
	// Progress, if set, is called after every commit.
	Progress func(FillStats)
}

// FillStats counts rows: an input under one schedule each.
type FillStats struct {
	Rows   int // finished: in the store, on the disk
	Known  int // of these, rows that were in the store already
	Tables int // tables made
	Proofs int // certificates made
	// ByStatus counts the finished rows.
	ByStatus StatusCounts
	// Faults are the inputs that could not be read, in order of the input.
	Faults []Fault
}

// Fault is an input that is not a task.
type Fault struct {
	Name string
	Err  error
	at   int
}

// filler is one run of Fill.
type filler struct {
	store  *Store
	opt    FillOptions
	search string
	alone  sync.RWMutex // see ground
	same   flights
}

// finished is what workers hand to the writer.
type finished struct {
	item  Item
	known bool
	state search.Status
	table bool
	proof bool
	fault *Fault
}

// maxBatch bounds the rows of a transaction.
const maxBatch = 512

// Fill adds the truth about all inputs to the store. Workers solve; one writer commits
// what has come in since its last commit, so that many short tasks share a write to the
// disk and no long one waits. A row counts as finished after its commit. When ctx ends,
// what is finished is committed and the error is that of ctx. The content of the store
// afterwards depends neither on Jobs nor on the order of inputs nor on earlier runs that
// were interrupted (but for limits of time).
func Fill(ctx context.Context, s *Store, inputs iter.Seq[Input], opt FillOptions) (FillStats, error) {
	f := &filler{store: s, opt: opt}
	var err error
	if f.search, err = search.Canonical(opt.Search); err != nil {
		return FillStats{}, err
	}
	if f.opt.Jobs <= 0 {
		f.opt.Jobs = runtime.NumCPU()
	}
	if f.opt.Schedules == nil {
		f.opt.Schedules = []costmodel.Schedule{{}}
	}
	for _, dir := range []string{opt.Tables, opt.Certificates} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return FillStats{}, err
		}
	}
	queue, results := make(chan numbered), make(chan finished, 4*f.opt.Jobs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error { return number(working, inputs, queue) })
	var workers sync.WaitGroup
	for range f.opt.Jobs {
		workers.Add(1)
		group.Go(func() error {
			defer workers.Done()
			for n := range queue {
				if err := f.work(working, n.at, n.input, results); err != nil {
					return err
				}
			}
			return nil
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	stats := FillStats{ByStatus: StatusCounts{}}
	var writing error
	group.Go(func() error {
		if writing = f.write(results, &stats); writing != nil {
			cancel()
			for range results { // workers wait for their results to be taken
			}
		}
		return writing
	})
	if err = group.Wait(); writing != nil {
		err = writing // not the cancellation that came of it
	}
	slices.SortStableFunc(stats.Faults, func(a, b Fault) int { return a.at - b.at })
	return stats, err
}

// numbered is an input with its place among the inputs.
type numbered struct {
	at    int
	input Input
}

// number queues the inputs until there are no more, or ctx ends.
func number(ctx context.Context, inputs iter.Seq[Input], queue chan<- numbered) error {
	defer close(queue)
	at := 0
	for input := range inputs {
		select {
		case queue <- numbered{at, input}:
			at++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// write commits results until there are no more, or until the store cannot be written.
func (f *filler) write(results <-chan finished, stats *FillStats) error {
	var batch []finished
	var rows [][]Item
	for first := range results {
		batch = append(batch[:0], first)
	more:
		for len(batch) < maxBatch {
			select {
			case next, ok := <-results:
				if !ok {
					break more
				}
				batch = append(batch, next)
			default:
				break more
			}
		}
		rows = rows[:0]
		for i := range batch {
			if batch[i].item.Record != nil || batch[i].item.Name != "" {
				rows = append(rows, []Item{batch[i].item})
			}
		}
		// Not the context of the fill: what is finished is kept when it ends.
		refused, err := f.store.putRows(rows)
		if err = errors.Join(append(refused, err)...); err != nil {
			return err
		}
		for i := range batch {
			if batch[i].item.Record != nil {
				f.same.forget(batch[i].item.Task.Key)
			}
			stats.add(&batch[i])
		}
		if f.opt.Progress != nil {
			f.opt.Progress(*stats)
		}
	}
	return nil
}

func (s *FillStats) add(r *finished) {
	if r.fault != nil {
		s.Faults = append(s.Faults, *r.fault)
		return
	}
	s.Rows++
	s.ByStatus[r.state]++
	if r.known {
		s.Known++
	}
	if r.table {
		s.Tables++
	}
	if r.proof {
		s.Proofs++
	}
}

// work does one input under all its schedules.
func (f *filler) work(ctx context.Context, at int, input Input, results chan<- finished) error {
	fault := func(err error) {
		results <- finished{fault: &Fault{Name: input.Name, Err: err, at: at}}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return input.each(f.opt.Schedules, func(task *Task) error { return f.one(ctx, input.Name, task, results) }, fault)
}

// one finds what the store lacks about a task. Workers that ask at the same time share the work.
func (f *filler) one(ctx context.Context, name string, t *Task, results chan<- finished) error {
	r, own, err := f.same.board(ctx, t.Key)
	if err != nil {
		return err
	}
	if own == nil { // the row is in the queue, or committed: the name is what is new
		results <- finished{item: Item{Name: name, Task: t}, known: true, state: r.Status}
		return nil
	}
	have, known, err := f.store.Lookup(t.Key)
	var out *finished
	if err == nil {
		r, out, err = f.row(ctx, name, t, have, known)
	}
	if err != nil {
		f.same.land(t.Key, own, nil, false)
		return err
	}
	results <- *out
	f.same.land(t.Key, own, r, out.item.Record != nil)
	return nil
}

// row solves a task unless the store has its answer, and adds the files that the row lacks.
func (f *filler) row(ctx context.Context, name string, t *Task, have *Record, known bool) (*Record, *finished, error) {
	out := &finished{item: Item{Name: name, Task: t}, known: known}
	r, found := have, (*outcome)(nil)
	var err error
	if !known || f.opt.Retry && !proven(have.Status) {
		if r, found = f.solve(ctx, t); r == nil {
			return nil, nil, ctx.Err()
		}
		r.Key, out.known = t.Key, false
	} else if name != "" {
		named, err := f.store.named(name, t.Key)
		if err != nil {
			return nil, nil, err
		}
		if named {
			out.item.Name = ""
		}
	}
	if r, err = f.attach(ctx, t, r, found, out); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if r != have {
		out.item.Record = r
	}
	out.state = r.Status
	return r, out, nil
}

// attach makes the table and the certificate that a proven row lacks. When ctx ends
// meanwhile the answer is kept and the file is left to the next fill.
func (f *filler) attach(ctx context.Context, t *Task, r *Record, found *outcome, out *finished) (*Record, error) {
	table, proof := f.wants(f.opt.Tables, r, r.Table), f.wants(f.opt.Certificates, r, r.Certificate)
	if !table && !proof {
		return r, nil
	}
	with := *r
	if table {
		done, err := f.addTable(ctx, t, &with)
		if err != nil {
			return nil, err
		}
		if !done {
			return r, nil
		}
		out.table = with.Table.Status == Made
	}
	if proof {
		before := with.Certificate
		done, err := f.addCertificate(ctx, t, &with, found)
		if err != nil {
			return nil, err
		}
		if !done {
			with.Certificate = before
		}
		out.proof = done && with.Certificate.Status == Made
	}
	return &with, nil
}

// JSON is the object of the counts; interrupted says that a signal ended the work.
func (s *FillStats) JSON(interrupted bool) any {
	return map[string]any{"rows": s.Rows, "known": s.Known, "tables": s.Tables, "certificates": s.Proofs, "by_status": s.ByStatus, "errors": len(s.Faults), "interrupted": interrupted}
}

// WriteText writes the counts for people. name is that of the store.
func (s *FillStats) WriteText(w io.Writer, name string) error {
	fmt.Fprintf(w, "%s in %s (%d of them known before)\n", spell.Plural(s.Rows, "row"), name, s.Known)
	s.ByStatus.Write(w)
	if len(s.Faults) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "  %-18s %d\n", "unreadable inputs", len(s.Faults))
	return err
}
