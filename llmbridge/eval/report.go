package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/planproof/planproof/internal/spell"

	"github.com/planproof/planproof/llmbridge/extract"
)

// Percent writes a rate and an interval: "62.5 % [47.0, 75.8]".
func Percent(p float64, i Interval) string {
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*p, 100*i.Low, 100*i.High)
}

func statusText(list []StatusCount) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%d %s", s.Rows, s.Status))
	}
	return strings.Join(parts, ", ")
}

// writeCells writes the summary of models for people.
func writeCells(out io.Writer, cells []Cell) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "model\tmethod\tk\tpass@k [Wilson 95 %]\t[Wald]\ttasks\tover all tasks\tgraded rows")
	for i := range cells {
		c := &cells[i]
		for _, p := range c.Pass {
			rate, wald := "-", "-"
			if p.Graded.Tasks > 0 {
				rate = Percent(p.Graded.Value(), p.Graded.Wilson)
				wald = fmt.Sprintf("[%.1f, %.1f]", 100*p.Graded.Wald.Low, 100*p.Graded.Wald.High)
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%d\t%.1f %% of %d\t%d of %d\n", c.Model, c.Method, p.K, rate, wald,
				p.Graded.Tasks, 100*p.All.Value(), p.All.Tasks, c.Graded, c.Rows)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range cells {
		c := &cells[i]
		fmt.Fprintf(out, "\n%s, %s: %s\n", c.Model, c.Method, statusText(c.Statuses))
		if c.OptimalKnown > 0 {
			fmt.Fprintf(out, "  %d of %s cheapest\n", c.Optimal, spell.Plural(c.OptimalKnown, "valid plan"))
		}
		if err := c.Scores.write(out); err != nil {
			return err
		}
		fmt.Fprintf(out, "  %s, %d prompt and %d completion tokens", spell.Plural(c.Rounds, "answer"), c.Usage.Prompt, c.Usage.Completion)
		if c.Uncounted > 0 {
			fmt.Fprintf(out, " (at least: %s without a count)", spell.Plural(c.Uncounted, "row"))
		}
		if c.Cost != "" {
			fmt.Fprintf(out, ", cost %s", c.Cost)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// write reports how good answers are to questions that do not ask for a plan.
func (s *Scores) write(out io.Writer) error {
	if m := s.States; m != nil {
		fmt.Fprintf(out, "  states of %s: precision %.3f, recall %.3f, F1 %.3f; %d exact\n", spell.Plural(m.Rows, "answer"), m.Precision, m.Recall, m.F1, m.Exact)
	}
	if l := s.Levels; l != nil {
		fmt.Fprintf(out, "  verdicts of %s: %d right, %d with the kind, %d with a condition; %d name the step, %d exact\n",
			spell.Plural(l.Rows, "answer"), l.Binary, l.Type, l.Explanation, l.Step, l.Exact)
		if m := l.Conditions; m != nil {
			fmt.Fprintf(out, "  unmet conditions of %s: precision %.3f, recall %.3f, F1 %.3f\n", spell.Plural(m.Rows, "invalid plan"), m.Precision, m.Recall, m.F1)
		}
		if err := writeTruths(out, l.Truths); err != nil {
			return err
		}
	}
	return nil
}

// writeTruths writes a table of what answers say about valid plans, and about invalid plans of each kind.
func writeTruths(out io.Writer, truths []TruthCount) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  the plan is\tanswers\tright [Wilson 95 %]\twith the kind")
	var classes []extract.VerdictClass
	told := "told "
	for _, c := range extract.VerdictClasses() {
		if slices.ContainsFunc(truths, func(t TruthCount) bool { return t.toldRows(c) > 0 || t.Truth == c }) {
			classes = append(classes, c)
			fmt.Fprintf(w, "\t%s%s", told, c)
			told = ""
		}
	}
	fmt.Fprintln(w)
	for i := range truths {
		t := &truths[i]
		fmt.Fprintf(w, "  %s\t%d\t%s\t%d", t.Truth, t.Rows, Percent(t.rate(), t.Wilson), t.Type)
		for _, c := range classes {
			fmt.Fprintf(w, "\t%d", t.toldRows(c))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// rateBars draws pass@k of each cell and below it, where plans were verified, how many of
// the answers about each kind of plan are right, marked where they name the kind too.
func rateBars(cells []Cell) []Bar {
	var bars []Bar
	for i := range cells {
		c := &cells[i]
		for _, p := range c.Pass {
			bars = append(bars, Bar{
				Label: fmt.Sprintf("%s, %s, pass@%d", c.Model, c.Method, p.K), Rate: p.Graded.Value(), Interval: p.Graded.Wilson, Mark: p.All.Value(),
				Note: spell.Plural(p.Graded.Tasks, "task"),
			})
		}
		if c.Levels == nil {
			continue
		}
		for k := range c.Levels.Truths {
			t := &c.Levels.Truths[k]
			bars = append(bars, Bar{
				Label: fmt.Sprintf("%s, %s, %s", c.Model, c.Method, truthWords[t.Truth]), Rate: t.rate(), Interval: t.Wilson, Mark: float64(t.Type) / float64(t.Rows),
				Note: fmt.Sprintf("%d of %d", t.Right, t.Rows),
			})
		}
	}
	return bars
}

// truthWords name the classes of plans to verify.
var truthWords = map[extract.VerdictClass]string{
	extract.ClassValid: "valid plans", extract.ClassPrecondition: "inexecutable plans", extract.ClassGoal: "plans short of the goal",
	extract.ClassForbidden: "plans with a forbidden step",
}

// writeResponseCells is the summary of --responses for people.
func writeResponseCells(out io.Writer, cells []ResponseCell, causes []CauseCount) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "group\trows\tcorrect\trate [Wilson 95 %]\t[Wald]\tover all\trecorded\tgained\tlost\tnot graded")
	for i := range cells {
		c := &cells[i]
		rate, wald := "-", "-"
		if c.Graded > 0 {
			rate = Percent(float64(c.Correct)/float64(c.Graded), c.Wilson)
			wald = fmt.Sprintf("[%.1f, %.1f]", 100*c.Wald.Low, 100*c.Wald.High)
		}
		recorded := "-"
		if c.Known > 0 {
			recorded = fmt.Sprintf("%d of %d", c.Recorded, c.Known)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%.1f %%\t%s\t%d\t%d\t%d\n", c.Group, c.Rows, c.Correct, rate, wald,
			100*c.All, recorded, c.Gained, c.Lost, c.Rows-c.Graded)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range cells {
		if c := &cells[i]; c.States != nil || c.Levels != nil {
			fmt.Fprintf(out, "\n%s: %s\n", c.Group, statusText(c.Statuses))
			if err := c.Scores.write(out); err != nil {
				return err
			}
		}
	}
	if len(causes) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nDifferences from the recorded verdicts (gained: recorded wrong, and right; lost: the other way)")
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "gained\tlost\tcause")
	for _, c := range causes {
		fmt.Fprintf(w, "%d\t%d\t%s\n", c.Gained, c.Lost, c.Cause)
	}
	return w.Flush()
}

// maxReasons bounds the reasons that are listed.
const maxReasons = 10

// writeUngraded lists why answers are not graded.
func writeUngraded(w io.Writer, reasons []ReasonCount) {
	for i, r := range reasons {
		if i == maxReasons {
			fmt.Fprintf(w, "and %s more; --rows FILE has all\n", spell.Plural(len(reasons)-i, "reason"))
			return
		}
		message, _, _ := strings.Cut(r.Message, "\n")
		fmt.Fprintf(w, "%d not graded (%s), the first is %q: %s\n", r.Rows, r.Status, r.First, message)
	}
}

// responseBars draws the rate of correct answers of each group, marked at the recorded rate.
func responseBars(cells []ResponseCell) []Bar {
	var bars []Bar
	for i := range cells {
		c := &cells[i]
		bar := Bar{Label: c.Group, Interval: c.Wilson, Mark: -1, Note: fmt.Sprintf("%d of %d", c.Correct, c.Graded)}
		if c.Graded > 0 {
			bar.Rate = float64(c.Correct) / float64(c.Graded)
		}
		if c.Known > 0 {
			bar.Mark = float64(c.Recorded) / float64(c.Known)
		}
		bars = append(bars, bar)
	}
	return bars
}
