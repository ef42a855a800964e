package retime

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

// WriteText writes the proposals for people.
func (r *Repair) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	if r.Shift.Status == Unasked {
		fmt.Fprintln(out, "nothing to repair: the plan is valid")
	} else {
		r.Shift.writeShift(out)
		r.Edit.writeEdit(out)
	}
	for _, v := range r.Violated {
		fmt.Fprintf(out, "preference %s is violated%s%s\n", v.Preference, times(v.Times), cost(v.Cost))
	}
	return out.Flush()
}

func times(n int64) string {
	if n == 1 {
		return ""
	}
	return " " + spell.Plural(int(n), "time")
}

func cost(c *string) string {
	if c == nil {
		return ""
	}
	return ": it adds " + *c + " to the metric"
}

func (p *Proposal) writeShift(w io.Writer) {
	switch {
	case p.Status == Limit:
		fmt.Fprintf(w, "smallest shift: not found (%s came first)\n", p.Reason)
		return
	case p.Status == None && p.Proven:
		fmt.Fprintln(w, "no shift mends it: the steps are valid at no times, in no order")
		return
	case p.Status == None:
		fmt.Fprintf(w, "no shift found (%s)\n", p.Reason)
		return
	case p.Proven:
		fmt.Fprintf(w, "smallest shift: %s in all, in steps of %s; cost %s\n", p.Change, p.Grid, p.Cost)
	default:
		fmt.Fprintf(w, "shift: %s in all, in steps of %s; cost %s; not proven to be the smallest (%s)\n", p.Change, p.Grid, p.Cost, p.Reason)
	}
	p.writePlan(w)
}

func (p *Proposal) writeEdit(w io.Writer) {
	switch p.Status {
	case Limit:
		fmt.Fprintf(w, "one step more or less: not found (%s came first)\n", p.Reason)
		return
	case None:
		fmt.Fprintln(w, "no single step, inserted or removed, was found to mend it")
		return
	}
	fmt.Fprintf(w, "one step %s: cost %s\n", map[string]string{"insert": "more", "delete": "less"}[p.Changes[0].What], p.Cost)
	p.writePlan(w)
}

// writePlan writes the plan with its changes.
func (p *Proposal) writePlan(w io.Writer) {
	notes := map[string][]string{} // by action and new start
	for _, c := range p.Changes {
		switch c.What {
		case "delete":
			fmt.Fprintf(w, "  - %s: %s\n", c.From, c.Action)
		case "insert":
			notes[c.To+": "+c.Action] = []string{"+"}
		}
	}
	byStep := map[int][]string{}
	for _, c := range p.Changes {
		if c.What == "start" || c.What == "duration" {
			byStep[c.Step] = append(byStep[c.Step], fmt.Sprintf("%s %s -> %s (%s)", c.What, c.From, c.To, signed(c.By)))
		}
	}
	for i, line := range p.Plan {
		sign, note := " ", ""
		if list := byStep[i+1]; len(list) > 0 {
			sign, note = "~", "    "+strings.Join(list, ", ")
		}
		for k := range notes {
			if strings.HasPrefix(line, k) {
				sign = "+"
				delete(notes, k)
			}
		}
		fmt.Fprintf(w, "  %s %s%s\n", sign, line, note)
	}
}

func signed(by string) string {
	if strings.HasPrefix(by, "-") {
		return by
	}
	return "+" + by
}

// Best is the shift if there is one, else the edit; nil if there is neither.
func (r *Repair) Best() *Proposal {
	for _, p := range []*Proposal{&r.Shift, &r.Edit} {
		if p.Status == Found {
			return p
		}
	}
	return nil
}

// WritePlan writes the plan of a proposal, with its cost in a comment.
func (p *Proposal) WritePlan(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\n; cost = %s\n", strings.Join(p.Plan, "\n"), p.Cost)
	return err
}
