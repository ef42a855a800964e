package store

import (
	"fmt"
	"io"
	"strconv"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search"
)

// Statuses lists the statuses of rows, answers first.
var Statuses = []search.Status{search.SolvedOptimally, search.Unsolvable, search.Timeout, search.Memout, search.Nodeout, search.Unsupported, Failed}

// StatusCounts counts rows by status.
type StatusCounts map[search.Status]int

// Open counts the rows without an answer: those that a limit ended, and the others.
func (c StatusCounts) Open() (limited, refused int) {
	for status, n := range c {
		switch status {
		case search.SolvedOptimally, search.Unsolvable:
		case search.Timeout, search.Memout, search.Nodeout:
			limited += n
		default:
			refused += n
		}
	}
	return limited, refused
}

// Write prints a line for each status that has rows.
func (c StatusCounts) Write(w io.Writer) {
	for _, s := range Statuses {
		if n := c[s]; n > 0 {
			fmt.Fprintf(w, "  %-18s %d\n", s, n)
		}
	}
}

// Line shows the record on one line: status, cost, steps, key, names and schedule.
func (r *Record) Line() string {
	cost, id, more := "-", "-", ""
	if r.Cost != "" {
		cost = r.Cost
	}
	if len(r.Names) > 0 {
		id = r.Names[0]
	}
	if n := len(r.Names) - 1; n > 0 {
		more = fmt.Sprintf(" (+%d)", n)
	}
	if r.Schedule != "" {
		more += "  " + r.Schedule
	}
	return fmt.Sprintf("%-16s %8s %5d  %.12s  %s%s", r.Status, cost, r.Steps, r.Key, id, more)
}

// WritePlan prints the plan of a solved record in the IPC's format.
func (r *Record) WritePlan(w io.Writer) {
	for _, step := range r.Plan {
		fmt.Fprintln(w, step)
	}
	fmt.Fprintf(w, "; cost = %s\n", r.Cost)
}

// WriteRecord prints what the store knows about a record, without its plan.
func (s *Store) WriteRecord(w io.Writer, r *Record) {
	fmt.Fprintf(w, "status    %s\n", r.Status)
	steps := ""
	if r.Status == search.SolvedOptimally {
		steps = strconv.Itoa(r.Steps)
	}
	for _, l := range []struct{ label, value string }{
		{"cost", r.Cost}, {"steps", steps}, {"reason", r.Reason}, {"search", r.Search}, {"schedule", r.Schedule},
		{"table", s.TablePath(r)}, {"proof", s.CertificatePath(r)}, {"made by", r.Version},
	} {
		if l.value != "" {
			fmt.Fprintf(w, "%-9s %s\n", l.label, l.value)
		}
	}
	fmt.Fprintf(w, "%-9s %s\n", "key", r.Key)
}

// Write prints the problems, a line each, and a summary.
func (r *CheckReport) WriteText(w io.Writer) error {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "%s: %s: %s\n", p.Kind, p.Where, p.Message)
	}
	verdict := "sound"
	if !r.Sound() {
		verdict = "damaged"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s judged, %s, %s\n", verdict, spell.Plural(r.Rows, "row"), spell.Plural(r.Texts, "text"),
		spell.Plural(r.Plans, "plan"), spell.Plural(r.Tables, "table"), spell.Plural(r.Certificates, "certificate"))
	return err
}

// WriteText prints the overview.
func (st *Stats) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "rows      %d\n", st.Rows)
	st.ByStatus.Write(w)
	_, err := fmt.Fprintf(w, "tasks     %d of %s, under %s\nids       %d\ntables    %d\nproofs    %d\nsize      %d KB\ntime      %.1f s spent on these rows\n",
		st.Tasks, spell.Plural(st.Domains, "domain"), spell.Plural(st.Schedules, "schedule"), st.Names, st.Tables, st.Proofs, (st.Bytes+1023)/1024, st.Seconds)
	return err
}
