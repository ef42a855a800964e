package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// tableExt ends the names of tables in the folder of tables; the rest is the key.
const tableExt = ".table"

// TablePath returns the file of a row's table, "" if it has none.
func (s *Store) TablePath(r *Record) string { return s.beside(r.Table.File) }

// CertificatePath returns the file of a row's certificate, "" if it has none.
func (s *Store) CertificatePath(r *Record) string { return s.beside(r.Certificate.File) }

// beside resolves a path that is relative to the folder of the store.
func (s *Store) beside(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.path), filepath.FromSlash(path))
}

// attachment names a file as it is stored: relative to the folder of the store if it lies
// below that, so that both can be moved together.
func (s *Store) attachment(path string) (Attachment, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Attachment{}, err
	}
	dir, err := filepath.Abs(filepath.Dir(s.path))
	if err != nil {
		return Attachment{}, err
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return Attachment{path, Made}, nil
	}
	return Attachment{filepath.ToSlash(rel), Made}, nil
}

// addTable makes the table of a proven row and adds it to the record. What keeps it from
// being made is its status; an error is one of writing. False: ctx ended first.
func (f *filler) addTable(ctx context.Context, t *Task, r *Record) (bool, error) {
	path := filepath.Join(f.opt.Tables, t.Key.String()+tableExt)
	task, status, err := f.ground(ctx, t.priced, tableGrounding(f.opt.Limits))
	if err != nil {
		r.Table = Attachment{Status: string(status)}
		return ctx.Err() == nil, nil
	}
	table, err := space.LoadTable(path, task) // a table that a killed fill has left is whole
	if err != nil {
		table, err = space.Exhaust(ctx, task, f.opt.Limits)
		var limit *search.LimitError
		switch {
		case errors.As(err, &limit):
			r.Table = Attachment{Status: string(limit.Status)}
			return ctx.Err() == nil, nil
		case err != nil:
			r.Table = Attachment{Status: string(Failed)}
			return ctx.Err() == nil, nil
		}
		if err := table.Save(path); err != nil {
			return false, fmt.Errorf("cannot write the table: %w", err)
		}
	}
	if err := agrees(table, task, r); err != nil {
		return false, fmt.Errorf("internal error: %s: %w; please report it", r.Key, err)
	}
	r.Table, err = f.store.attachment(path)
	return err == nil, err
}

// tableGrounding keeps what cannot matter to the goal: tables are asked about states after
// any step, also a useless one.
func tableGrounding(l search.Limits) grounder.Options {
	return grounder.Options{Time: l.Wall, Memory: l.Memory, KeepIrrelevant: true}
}

// agrees compares the distance of the initial state with the row.
func agrees(table *space.Table, task *grounder.Task, r *Record) error {
	d := table.InitialDistance()
	if d.DeadEnd || r.Status == search.Unsolvable {
		if d.DeadEnd != (r.Status == search.Unsolvable) {
			return fmt.Errorf("status %s, but in the table the initial state is a dead end: %v", r.Status, d.DeadEnd)
		}
		return nil
	}
	cost := task.PlanCost(d.Cost).String()
	if cost != r.Cost {
		return fmt.Errorf("the row says cost %s, the table %s", r.Cost, cost)
	}
	return nil
}

// wants reports whether a proven row lacks an attachment that can be made in dir.
func (f *filler) wants(dir string, r *Record, a Attachment) bool {
	if dir == "" || !proven(r.Status) {
		return false
	}
	switch a.Status {
	case "":
		return true
	case Made:
		_, err := os.Stat(f.store.beside(a.File))
		return errors.Is(err, fs.ErrNotExist)
	}
	return f.opt.Retry
}
