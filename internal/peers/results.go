package peers

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/planproof/planproof/search"
)

// Result is what came of a row. Seconds and Limit are seconds of the table.
type Result struct {
	Suite, Problem string
	Status         search.Status
	Cost, Search   string
	Seconds, Limit float64
}

// Results are those of a file, which grows by one line at a time, so that a run may end at any point and another goes
// on from there.
type Results struct {
	file *os.File
	rows map[[2]string]Result // the last one of each task
}

// OpenResults opens a file of results, or begins one. A line that was not written to its end is cut off.
func OpenResults(name string) (*Results, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	r := &Results{f, map[[2]string]Result{}}
	if err := r.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (r *Results) read() error {
	text, err := io.ReadAll(r.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := r.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if _, err := r.file.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return err
	}
	lines := csv.NewReader(bytes.NewReader(whole))
	lines.FieldsPerRecord = 7
	all, err := lines.ReadAll()
	if err != nil {
		return err
	}
	for _, l := range all {
		seconds, err := strconv.ParseFloat(l[5], 64)
		if err != nil {
			return err
		}
		limit, err := strconv.ParseFloat(l[6], 64)
		if err != nil {
			return err
		}
		r.rows[[2]string{l[0], l[1]}] = Result{l[0], l[1], search.Status(l[2]), l[3], l[4], seconds, limit}
	}
	return nil
}

// Close closes the file.
func (r *Results) Close() error { return r.file.Close() }

// Add appends a result.
func (r *Results) Add(x Result) error {
	r.rows[[2]string{x.Suite, x.Problem}] = x
	w := csv.NewWriter(r.file)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
	if err := w.Write([]string{x.Suite, x.Problem, string(x.Status), x.Cost, x.Search, number(x.Seconds), number(x.Limit)}); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// Of returns the result of a row within so many seconds, false if it has to be tried: what was solved later, or not
// solved within at least as many, is not solved within these.
func (r *Results) Of(row Row, seconds float64) (Result, bool) {
	x, ok := r.rows[[2]string{row.Suite, row.Problem}]
	switch {
	case !ok:
		return Result{}, false
	case x.Status == search.SolvedOptimally || x.Status == search.Unsolvable:
		return x, true
	}
	return x, x.Limit >= seconds
}

// Summary counts, by suite and in all, the rows with results and those that we and each published planner solve within
// so many seconds.
func (r *Results) Summary(rows []Row, seconds float64) string {
	type count struct {
		tasks, ours int
		theirs      map[string]int
	}
	counts, planners := map[string]*count{}, map[string]bool{}
	for _, row := range rows {
		x, ok := r.Of(row, seconds)
		if !ok {
			continue
		}
		for _, suite := range []string{row.Suite, ""} {
			c := counts[suite]
			if c == nil {
				c = &count{theirs: map[string]int{}}
				counts[suite] = c
			}
			c.tasks++
			if x.Status == search.SolvedOptimally && x.Seconds <= seconds {
				c.ours++
			}
			for name, s := range row.Seconds {
				planners[name] = true
				if s <= seconds {
					c.theirs[name]++
				}
			}
		}
	}
	suites, names := keys(counts), keys(planners)
	if len(suites) == 0 {
		return "no results\n"
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "suite\ttasks\tplanproof\t%s\n", strings.Join(names, "\t"))
	for _, suite := range append(suites[1:], "") { // the sum comes last
		c := counts[suite]
		fmt.Fprintf(w, "%s\t%d\t%d", cmp.Or(suite, "all"), c.tasks, c.ours)
		for _, name := range names {
			fmt.Fprintf(w, "\t%d", c.theirs[name])
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return out.String()
}

func keys[V any](m map[string]V) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
