package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search"
)

const columns = `key, domain, problem, schedule, status, cost, steps, plan, reason, search, expanded, version,
	tablefile, tablestatus, certfile, certstatus, limit_time, limit_memory, limit_nodes, elapsed, finished, sum`

// scanner is a row of the table truth, from one query or another.
type scanner interface{ Scan(dest ...any) error }

// scan reads a row and verifies its checksum.
func scan(row scanner, more ...any) (*Record, error) {
	var (
		r                         Record
		key, domain, problem, sum []byte
		plan                      string
		limit, elapsed, finished  int64
	)
	dest := []any{
		&key, &domain, &problem, &r.Schedule, &r.Status, &r.Cost, &r.Steps, &plan, &r.Reason, &r.Search, &r.Expanded, &r.Version,
		&r.Table.File, &r.Table.Status, &r.Certificate.File, &r.Certificate.Status, &limit, &r.Limits.Memory, &r.Limits.Nodes, &elapsed, &finished, &sum,
	}
	if err := row.Scan(append(dest, more...)...); err != nil {
		return nil, err
	}
	if len(key) != len(r.Key) || len(domain) != len(r.domainSum) || len(problem) != len(r.problemSum) {
		return nil, fmt.Errorf("%w: the row %x has a key or digest of the wrong length", ErrDamaged, key)
	}
	copy(r.Key[:], key)
	copy(r.domainSum[:], domain)
	copy(r.problemSum[:], problem)
	if plan != "" {
		r.Plan = strings.Split(plan, "\n")
	}
	r.Limits.Wall, r.Elapsed, r.Finished = time.Duration(limit), time.Duration(elapsed), time.Unix(finished, 0).UTC()
	if !bytes.Equal(r.checksum(), sum) {
		return nil, fmt.Errorf("%w: the row %s is not what was stored", ErrDamaged, r.Key)
	}
	return &r, nil
}

// Lookup returns what is known under a key; false if nothing is. The record has no Names.
func (s *Store) Lookup(key Key) (*Record, bool, error) {
	r, err := lookup(s.db, key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case errors.Is(err, ErrDamaged):
		return nil, false, fmt.Errorf("%s: %w", s.path, err)
	case err != nil:
		return nil, false, s.explain(err)
	}
	return r, true, nil
}

func lookup(q querier, key Key) (*Record, error) {
	r, err := scan(q.QueryRow("SELECT "+columns+" FROM truth WHERE key = ?", key[:]))
	if err == nil && r.Key != key { // an index that leads astray
		return nil, fmt.Errorf("%w: the row %s was found under the key %s", ErrDamaged, r.Key, key)
	}
	return r, err
}

// Item is a result to be stored, with the name of its task.
type Item struct {
	Name   string // "" for none
	Task   *Task
	Record *Record // nil: only the name is new
}

// Put stores items in one transaction: all or none. When it returns nil they will
// survive the process and the machine. Of several results for one key the proven one
// stays; a *ConflictError says that two proofs contradict each other.
func (s *Store) Put(ctx context.Context, items []Item) error {
	if s.readOnly {
		return ErrReadOnly
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(err)
	}
	defer tx.Rollback()
	for i := range items {
		if err := putItem(tx, &items[i]); err != nil {
			return s.explain(err)
		}
	}
	return s.explain(tx.Commit())
}

func putItem(tx *sql.Tx, item *Item) error {
	if item.Record != nil {
		if err := putRecord(tx, item.Task, item.Record); err != nil {
			return err
		}
	}
	if item.Name == "" {
		return nil
	}
	key := item.Task.Key
	_, err := tx.Exec("INSERT OR IGNORE INTO name (name, key, sum) VALUES (?, ?, ?)", item.Name, key[:], nameSum(item.Name, key))
	return err
}

func putRecord(tx *sql.Tx, t *Task, r *Record) error {
	r.Key, r.Schedule, r.domainSum, r.problemSum = t.Key, t.Schedule, t.domainSum, t.problemSum
	if err := r.consistent(); err != nil {
		return fmt.Errorf("internal error: a row that cannot be true: %w", err)
	}
	have, err := lookup(tx, t.Key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	default:
		if r, err = merge(have, r); err != nil || r == nil {
			return err
		}
	}
	if err := putText(tx, t.domainSum, t.Domain); err != nil {
		return err
	}
	if err := putText(tx, t.problemSum, t.Problem); err != nil {
		return err
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", strings.Count(columns, ",")+1), ", ")
	_, err = tx.Exec("INSERT OR REPLACE INTO truth ("+columns+") VALUES ("+marks+")",
		r.Key[:], r.domainSum[:], r.problemSum[:], r.Schedule, string(r.Status), r.Cost, r.Steps, r.planText(), r.Reason, r.Search, r.Expanded, r.Version,
		r.Table.File, r.Table.Status, r.Certificate.File, r.Certificate.Status, int64(r.Limits.Wall), r.Limits.Memory, r.Limits.Nodes, int64(r.Elapsed), r.Finished.Unix(), r.checksum())
	return err
}

// named reports whether a key has a name already.
func (s *Store) named(name string, key Key) (bool, error) {
	var one int
	err := s.db.QueryRow("SELECT 1 FROM name WHERE name = ? AND key = ?", name, key[:]).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, s.explain(err)
}

// Names returns the names under which a row was filled in, sorted.
func (s *Store) Names(key Key) ([]string, error) {
	var joined string
	if err := s.db.QueryRow("SELECT "+joinedNames+" FROM name n WHERE key = ?", key[:]).Scan(&joined); err != nil {
		return nil, s.explain(err)
	}
	names, err := splitNames(joined, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return names, nil
}

// joinedNames gives the names of one key with their checksums in one value. The
// separators cannot be part of a name (see checkName).
const joinedNames = "coalesce(group_concat(n.name || char(30) || hex(n.sum), char(31)), '')"

func splitNames(joined string, key Key) ([]string, error) {
	if joined == "" {
		return nil, nil
	}
	names := strings.Split(joined, "\x1f")
	for i, entry := range names {
		name, sum, _ := strings.Cut(entry, "\x1e")
		if sum != fmt.Sprintf("%X", nameSum(name, key)) {
			return nil, fmt.Errorf("%w: the name %q of the row %s is not what was stored", ErrDamaged, name, key)
		}
		names[i] = name
	}
	slices.Sort(names)
	return names, nil
}

// Filter picks rows. The zero value picks all.
type Filter struct {
	Status []search.Status
	Name   string
}

// Each calls visit for every row that the filter picks, with its names, ordered by first
// name, schedule and key, from one consistent state of the store. It ends with the first
// error of visit, the first damaged row, or the end of ctx.
func (s *Store) Each(ctx context.Context, f Filter, visit func(*Record) error) error {
	query := `SELECT ` + columns + `, (SELECT ` + joinedNames + ` FROM name n WHERE n.key = truth.key) AS names,
		(SELECT min(n.name) FROM name n WHERE n.key = truth.key) AS first FROM truth WHERE 1`
	var args []any
	if len(f.Status) > 0 {
		query += " AND status IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(f.Status)), ", ") + ")"
		for _, st := range f.Status {
			args = append(args, string(st))
		}
	}
	if f.Name != "" {
		query += " AND key IN (SELECT key FROM name WHERE name = ?)"
		args = append(args, f.Name)
	}
	rows, err := s.db.QueryContext(ctx, query+" ORDER BY first, schedule, key", args...)
	if err != nil {
		return s.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var names string
		var first sql.NullString
		r, err := scan(rows, &names, &first)
		if err == nil {
			r.Names, err = splitNames(names, r.Key)
		}
		if errors.Is(err, ErrDamaged) {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		if err != nil {
			return s.explain(err)
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return s.explain(rows.Err())
}

// ParseStatuses reads the names of statuses, for Filter.Status.
func ParseStatuses(names []string) (list []search.Status, err error) {
	for _, name := range names {
		s := search.Status(name)
		if !slices.Contains(Statuses, s) {
			return nil, fmt.Errorf("%q is none of %s", name, spell.Names(Statuses))
		}
		list = append(list, s)
	}
	return list, nil
}
