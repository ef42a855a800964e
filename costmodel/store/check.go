package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"

	"golang.org/x/sync/errgroup"
)

// CheckOptions of Check. The zero value is fine.
type CheckOptions struct {
	Jobs     int    // rows checked at the same time; 0 means one per processor
	Tables   string // a folder of tables in which orphans are looked for, besides those that rows name
	Progress func(rows int)
}

// Problem is something that is wrong with a store.
type Problem struct {
	// Kind is one of database, text, row, key, plan, table, certificate, name; orphan is
	// no damage but a file or text that nothing refers to.
	Kind    string `json:"kind"`
	Where   string `json:"where"`
	Message string `json:"message"`
}

// Orphan is the Kind of what is left over but not wrong.
const Orphan = "orphan"

// CheckReport is the outcome of Check.
type CheckReport struct {
	Rows   int `json:"rows"`
	Plans  int `json:"plans"` // judged again
	Tables int `json:"tables"`
	// Certificates were checked: what they claim is proven without trust in the search.
	Certificates int       `json:"certificates"`
	Texts        int       `json:"texts"`
	Problems     []Problem `json:"problems"` // sorted
}

// Sound reports whether nothing is wrong: orphans are not.
func (r *CheckReport) Sound() bool {
	return !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Kind != Orphan })
}

// JSON is the object of the report: whether the store is sound, and the report's members.
func (r *CheckReport) JSON() any {
	return struct {
		Sound bool `json:"sound"`
		*CheckReport
	}{r.Sound(), r}
}

// Check verifies a store: the database's own structure, the checksum of each text, row and
// name; that each key is that of its texts and schedule; each plan, judged anew against the
// stored texts, with its cost; that tables load for their task and agree with the row's
// cost; that certificates prove it. Without a certificate optimality is not proven anew.
func (s *Store) Check(ctx context.Context, opt CheckOptions) (*CheckReport, error) {
	c := &checker{store: s, opt: opt, report: &CheckReport{Problems: []Problem{}}, used: map[[sha256.Size]byte]bool{}, files: map[string]bool{}}
	if c.opt.Jobs <= 0 {
		c.opt.Jobs = runtime.NumCPU()
	}
	steps := []func(context.Context) error{c.database, c.rows, c.names, c.texts, c.orphanFiles}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c.wrong("database", s.path, "%v", err)
		}
	}
	slices.SortFunc(c.report.Problems, func(a, b Problem) int {
		return strings.Compare(a.Kind+"\x00"+a.Where+"\x00"+a.Message, b.Kind+"\x00"+b.Where+"\x00"+b.Message)
	})
	return c.report, nil
}

type checker struct {
	store  *Store
	opt    CheckOptions
	mu     sync.Mutex
	report *CheckReport
	used   map[[sha256.Size]byte]bool // texts that rows refer to
	files  map[string]bool            // tables and certificates that rows refer to
	filler filler                     // grounds for tables
}

func (c *checker) wrong(kind, where, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Problems = append(c.report.Problems, Problem{kind, where, fmt.Sprintf(format, args...)})
}

// wholePages looks for a file that was cut off within its last page. SQLite reads what is missing of it as zeros, so where
// the page ends with zeros, it finds nothing.
func (c *checker) wholePages(ctx context.Context) error {
	var page int64
	if err := c.store.db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return c.store.explain(err)
	}
	info, err := os.Stat(c.store.path)
	if err != nil {
		return err
	}
	if info.Size()%page != 0 {
		c.wrong("database", c.store.path, "the file has %d bytes, which are no whole pages of %d: its end is missing", info.Size(), page)
	}
	return nil
}

func (c *checker) database(ctx context.Context) error {
	if err := c.wholePages(ctx); err != nil {
		return err
	}
	rows, err := c.store.db.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return c.store.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var message string
		if err := rows.Scan(&message); err != nil {
			return c.store.explain(err)
		}
		if message != "ok" {
			c.wrong("database", c.store.path, "%s", message)
		}
	}
	return c.store.explain(rows.Err())
}

// rows checks each row by itself: one that is damaged does not hide the others.
func (c *checker) rows(ctx context.Context) error {
	c.filler.opt.Jobs = c.opt.Jobs
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(c.opt.Jobs)
	rows, err := c.store.db.QueryContext(working, "SELECT "+columns+" FROM truth")
	if err != nil {
		return c.store.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			c.wrong("row", c.store.path, "%v", err)
			continue
		}
		c.mu.Lock()
		c.used[r.domainSum], c.used[r.problemSum] = true, true
		for _, path := range []string{c.store.TablePath(r), c.store.CertificatePath(r)} {
			if path != "" {
				c.files[path] = true
			}
		}
		c.mu.Unlock()
		group.Go(func() error {
			c.row(working, r)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.report.Rows++
			if c.opt.Progress != nil {
				c.opt.Progress(c.report.Rows)
			}
			return working.Err()
		})
	}
	err = rows.Err()
	return errors.Join(group.Wait(), c.store.explain(err))
}

func (c *checker) row(ctx context.Context, r *Record) {
	key := r.Key.String()
	if err := r.consistent(); err != nil {
		c.wrong("row", key, "%v", err)
	}
	domain, problem, err := c.store.Texts(r)
	if err != nil {
		c.wrong("text", key, "%v", err)
		return
	}
	task, err := restore(domain, problem, r.Schedule)
	if err != nil {
		c.wrong("key", key, "%v", err)
		return
	}
	if task.Domain != domain || task.Problem != problem || task.Schedule != r.Schedule || task.Key != r.Key {
		c.wrong("key", key, "the texts and the schedule have the key %s", task.Key)
		return
	}
	if r.Status == search.SolvedOptimally {
		c.count(&c.report.Plans)
		if err := r.rejudge(task); err != nil {
			c.wrong("plan", key, "%v", err)
		}
	}
	if r.Table.Status == Made {
		c.count(&c.report.Tables)
		if err := c.table(ctx, task, r); err != nil && ctx.Err() == nil {
			c.wrong("table", key, "%v", err)
		}
	}
	if r.Certificate.Status == Made {
		c.count(&c.report.Certificates)
		if err := c.checkCertificate(ctx, task, r); err != nil && ctx.Err() == nil {
			c.wrong("certificate", key, "%v", err)
		}
	}
}

func (c *checker) count(n *int) {
	c.mu.Lock()
	*n++
	c.mu.Unlock()
}

// restore makes the task of stored texts.
func restore(domain, problem, schedule string) (*Task, error) {
	texts, err := canonicalise(pddl.NewSource("domain", domain), pddl.NewSource("problem", problem))
	if err != nil {
		return nil, err
	}
	s, err := costmodel.ParseSchedule(schedule)
	if err != nil {
		return nil, err
	}
	return texts.Task(s)
}

func (c *checker) table(ctx context.Context, t *Task, r *Record) error {
	task, _, err := c.filler.ground(ctx, t.priced, tableGrounding(search.Limits{}))
	if err != nil {
		return err
	}
	table, err := space.LoadTable(c.store.TablePath(r), task)
	if err != nil {
		return err
	}
	return agrees(table, task, r)
}

// names checks that every name belongs to a row.
func (c *checker) names(ctx context.Context) error {
	rows, err := c.store.db.QueryContext(ctx, "SELECT name, key, sum, EXISTS (SELECT 1 FROM truth t WHERE t.key = name.key) FROM name")
	if err != nil {
		return c.store.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var key, sum []byte
		var known bool
		if err := rows.Scan(&name, &key, &sum, &known); err != nil {
			return c.store.explain(err)
		}
		switch {
		case len(key) != sha256.Size || !bytes.Equal(sum, nameSum(name, Key(key))):
			c.wrong("name", name, "it is not what was stored")
		case !known:
			c.wrong("name", name, "it names the row %x, which is missing", key)
		}
	}
	return c.store.explain(rows.Err())
}

// texts checks each text and finds those that no row refers to.
func (c *checker) texts(ctx context.Context) error {
	rows, err := c.store.db.QueryContext(ctx, "SELECT sum, body FROM text")
	if err != nil {
		return c.store.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var sum, body []byte
		if err := rows.Scan(&sum, &body); err != nil {
			return c.store.explain(err)
		}
		c.report.Texts++
		if len(sum) != sha256.Size {
			c.wrong("text", fmt.Sprintf("%x", sum), "its digest has the wrong length")
			continue
		}
		if _, err := inflate(body, [sha256.Size]byte(sum)); err != nil {
			c.wrong("text", fmt.Sprintf("%x", sum), "%v", err)
		} else if !c.used[[sha256.Size]byte(sum)] {
			c.wrong(Orphan, fmt.Sprintf("text %x", sum), "no row refers to it")
		}
	}
	return c.store.explain(rows.Err())
}

// orphanFiles finds files in the folders of tables that no row refers to: what a fill
// that was killed between writing a table and its row has left.
func (c *checker) orphanFiles(context.Context) error {
	dirs := map[string]bool{}
	for path := range c.files {
		dirs[filepath.Dir(path)] = true
	}
	if c.opt.Tables != "" {
		dirs[filepath.Clean(c.opt.Tables)] = true
	}
	known := map[string]bool{}
	for path := range c.files {
		known[absolute(path)] = true
	}
	for dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !e.IsDir() && (strings.Contains(e.Name(), tableExt) || strings.Contains(e.Name(), certExt)) && !known[absolute(path)] {
				c.wrong(Orphan, path, "no row refers to it")
			}
		}
	}
	return nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
