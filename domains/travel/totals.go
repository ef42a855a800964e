package travel

import (
	"fmt"
	"io"
	"slices"

	"github.com/planproof/planproof/internal/rowjson"
)

// Totals are the rates over a set of plans, by the counts that make them up (1.7 of travel-tools.md). The denominators
// are counted from the set. Rows that could not be judged are Errors and in none of the others.
type Totals struct {
	Plans, Delivered, Errors int
	// Commonsense and Hard count constraints; the macro counts are plans that keep all of a kind.
	CommonsensePassed, CommonsenseAll int
	HardPassed, HardAll               int
	CommonsenseMacro, HardMacro       int
	Final                             int
	// Gated counts hard constraints as the benchmark does: all of a plan's are failed where something is absent or
	// not in the tables. It is there for comparison.
	GatedPassed, GatedMacro int
	// Unsolved counts rows without an itinerary.
	Unsolved int
	// Failed counts plans by violated rule.
	Failed [rules]int
}

// tally is the part of a row in the totals.
type tally struct {
	fault, none, judged         bool
	delivered                   bool
	sense, hard, asked          int
	allSense, allHard, gateShut bool
	failed                      []Rule
}

func tallyOf(q *Query, j *Judgement) tally {
	t := tally{judged: true, delivered: j.Delivered, asked: len(q.Hard())}
	if t.failed = j.Violations(); !j.Delivered {
		return t
	}
	for r := C1; r <= C8; r++ {
		if !j.Violates(r) {
			t.sense++
		}
	}
	for _, r := range q.Hard() {
		if !j.Violates(r) {
			t.hard++
		}
	}
	t.allSense, t.allHard = j.Commonsense(), j.Hard()
	t.gateShut = j.Violates(FMT) || j.Violates(C2) || j.Violates(C4)
	return t
}

// sensible and kept report whether all checks of a kind passed.
func (u *Upstream) sensible() bool {
	return u.Delivered && u.Crash == "" && !slices.Contains(u.Commonsense[:], false)
}

func (u *Upstream) kept() bool {
	return u.Delivered && u.Crash == "" && u.Gate && !slices.Contains(u.Hard[:], Failed)
}

// Final reports whether the evaluator counts the plan as passed.
func (u *Upstream) Final() bool { return u.sensible() && u.kept() }

func upstreamTally(q *Query, u *Upstream) tally {
	t := tally{judged: true, delivered: u.Delivered, asked: len(q.Hard()), allSense: u.sensible(), allHard: u.kept()}
	if u.Crash != "" {
		return t
	}
	for _, pass := range u.Commonsense {
		if pass && u.Delivered {
			t.sense++
		}
	}
	for i, pass := range u.Hard {
		if pass == Passed && u.Gate && (i != 4 || q.HasBudget) {
			t.hard++
		}
	}
	return t
}

// Count counts a judged plan.
func (o *Totals) Count(q *Query, j *Judgement) {
	t := tallyOf(q, j)
	o.add(&t)
}

// CountUpstream counts a plan as TravelPlanner's evaluator judges it.
func (o *Totals) CountUpstream(q *Query, u *Upstream) {
	t := upstreamTally(q, u)
	o.add(&t)
}

func (o *Totals) add(t *tally) {
	switch {
	case t.fault:
		o.Errors++
		return
	case !t.judged:
		o.Plans++
		if t.none {
			o.Unsolved++
		}
		return
	}
	o.Plans++
	o.CommonsenseAll += 8
	o.HardAll += t.asked
	for _, r := range t.failed {
		o.Failed[r]++
	}
	if !t.delivered {
		return
	}
	o.Delivered++
	o.CommonsensePassed += t.sense
	o.HardPassed += t.hard
	one := func(yes bool, n *int) {
		if yes {
			*n++
		}
	}
	one(t.allSense, &o.CommonsenseMacro)
	one(t.allHard, &o.HardMacro)
	one(t.allSense && t.allHard, &o.Final)
	if !t.gateShut {
		o.GatedPassed += t.hard
		one(t.allHard, &o.GatedMacro)
	}
}

// rate writes "12/30 (40.0 %)". The percentage is rounded half up from the exact fraction.
func rate(n, of int) string {
	if of == 0 {
		return "0/0"
	}
	tenths := (2000*n + of) / (2 * of)
	return fmt.Sprintf("%d/%d (%d.%d %%)", n, of, tenths/10, tenths%10)
}

// WriteText writes the totals for people.
func (o *Totals) WriteText(w io.Writer) error {
	rows := [][2]string{
		{"plans", fmt.Sprint(o.Plans)},
		{"delivered", rate(o.Delivered, o.Plans)},
		{"commonsense, micro", rate(o.CommonsensePassed, o.CommonsenseAll)},
		{"commonsense, macro", rate(o.CommonsenseMacro, o.Plans)},
		{"hard, micro", rate(o.HardPassed, o.HardAll)},
		{"hard, macro", rate(o.HardMacro, o.Plans)},
		{"hard, micro, gated", rate(o.GatedPassed, o.HardAll)},
		{"hard, macro, gated", rate(o.GatedMacro, o.Plans)},
		{"final", rate(o.Final, o.Plans)},
	}
	for r, n := range o.Failed {
		if n > 0 {
			rows = append(rows, [2]string{"violate " + Rule(r).String(), rate(n, o.Plans) + "  " + Rule(r).title()})
		}
	}
	if o.Errors > 0 {
		rows = append(rows, [2]string{"rows with errors", fmt.Sprint(o.Errors)})
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(w, "%-20s %s\n", row[0], row[1]); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the totals where a command does: instead of the rows, as text or JSON, or for people after them.
func (o *Totals) Write(out, notes io.Writer, asJSON, only bool) error {
	switch {
	case asJSON && only:
		_, err := fmt.Fprintf(out, "%s\n", o.AppendJSON(nil))
		return err
	case only:
		return o.WriteText(out)
	case asJSON:
		return nil
	}
	return o.WriteText(notes)
}

// AppendJSON writes the counts as an object.
func (o *Totals) AppendJSON(b []byte) []byte {
	b = fmt.Appendf(b, `{"plans":%d,"delivered":%d,"commonsense_micro":[%d,%d],"commonsense_macro":%d,"hard_micro":[%d,%d],"hard_macro":%d,`,
		o.Plans, o.Delivered, o.CommonsensePassed, o.CommonsenseAll, o.CommonsenseMacro, o.HardPassed, o.HardAll, o.HardMacro)
	b = fmt.Appendf(b, `"gated_hard_micro":[%d,%d],"gated_hard_macro":%d,"final":%d,"errors":%d,"violated":`, o.GatedPassed, o.HardAll, o.GatedMacro, o.Final, o.Errors)
	failed := map[string]int{}
	for r, n := range o.Failed {
		if n > 0 {
			failed[Rule(r).String()] = n
		}
	}
	return append(rowjson.Append(b, failed), '}')
}
