package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/extract"
)

// percent writes a rate and an interval: "62.5 % [47.0, 75.8]".
func percent(p float64, i eval.Interval) string {
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*p, 100*i.Low, 100*i.High)
}

func statusText(list []eval.StatusCount) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%d %s", s.Rows, s.Status))
	}
	return strings.Join(parts, ", ")
}

// printCells is the summary for people.
func (e env) printCells(cells []eval.Cell) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "model\tmethod\tk\tpass@k [Wilson 95 %]\t[Wald]\ttasks\tover all tasks\tgraded rows")
	for i := range cells {
		c := &cells[i]
		for _, p := range c.Pass {
			rate, wald := "-", "-"
			if p.Graded.Tasks > 0 {
				rate = percent(p.Graded.Value(), p.Graded.Wilson)
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
		fmt.Fprintf(e.out, "\n%s, %s: %s\n", c.Model, c.Method, statusText(c.Statuses))
		if c.OptimalKnown > 0 {
			fmt.Fprintf(e.out, "  %d of %s cheapest\n", c.Optimal, plural(c.OptimalKnown, "valid plan"))
		}
		if err := e.printScores(&c.Scores); err != nil {
			return err
		}
		fmt.Fprintf(e.out, "  %s, %d prompt and %d completion tokens", plural(c.Rounds, "answer"), c.Usage.Prompt, c.Usage.Completion)
		if c.Uncounted > 0 {
			fmt.Fprintf(e.out, " (at least: %s without a count)", plural(c.Uncounted, "row"))
		}
		if c.Cost != "" {
			fmt.Fprintf(e.out, ", cost %s", c.Cost)
		}
		fmt.Fprintln(e.out)
	}
	return nil
}

// printScores tells how good answers are that are no plans.
func (e env) printScores(s *eval.Scores) error {
	if m := s.States; m != nil {
		fmt.Fprintf(e.out, "  states of %s: precision %.3f, recall %.3f, F1 %.3f; %d exact\n", plural(m.Rows, "answer"), m.Precision, m.Recall, m.F1, m.Exact)
	}
	if l := s.Levels; l != nil {
		fmt.Fprintf(e.out, "  verdicts of %s: %d right, %d with the kind, %d with a condition; %d name the step, %d exact\n",
			plural(l.Rows, "answer"), l.Binary, l.Type, l.Explanation, l.Step, l.Exact)
		if m := l.Conditions; m != nil {
			fmt.Fprintf(e.out, "  unmet conditions of %s: precision %.3f, recall %.3f, F1 %.3f\n", plural(m.Rows, "invalid plan"), m.Precision, m.Recall, m.F1)
		}
		if err := e.printTruths(l.Truths); err != nil {
			return err
		}
	}
	return nil
}

// printTruths is the table of what was told of valid plans, and of invalid ones of each kind.
func (e env) printTruths(truths []eval.TruthCount) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  the plan is\tanswers\tright [Wilson 95 %]\twith the kind")
	var classes []extract.VerdictClass
	told := "told "
	for _, c := range extract.VerdictClasses() {
		if slices.ContainsFunc(truths, func(t eval.TruthCount) bool { return t.ToldRows(c) > 0 || t.Truth == c }) {
			classes = append(classes, c)
			fmt.Fprintf(w, "\t%s%s", told, c)
			told = ""
		}
	}
	fmt.Fprintln(w)
	for i := range truths {
		t := &truths[i]
		fmt.Fprintf(w, "  %s\t%d\t%s\t%d", t.Truth, t.Rows, percent(t.Rate(), t.Wilson), t.Type)
		for _, c := range classes {
			fmt.Fprintf(w, "\t%d", t.ToldRows(c))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// rateBars draws pass@k of each cell and below it, where plans were verified, how many of
// the answers about each kind of plan are right, marked where they name the kind too.
func rateBars(cells []eval.Cell) []eval.Bar {
	var bars []eval.Bar
	for i := range cells {
		c := &cells[i]
		for _, p := range c.Pass {
			bars = append(bars, eval.Bar{
				Label: fmt.Sprintf("%s, %s, pass@%d", c.Model, c.Method, p.K), Rate: p.Graded.Value(), Interval: p.Graded.Wilson, Mark: p.All.Value(),
				Note: plural(p.Graded.Tasks, "task"),
			})
		}
		if c.Levels == nil {
			continue
		}
		for k := range c.Levels.Truths {
			t := &c.Levels.Truths[k]
			bars = append(bars, eval.Bar{
				Label: fmt.Sprintf("%s, %s, %s", c.Model, c.Method, truthWords[t.Truth]), Rate: t.Rate(), Interval: t.Wilson, Mark: float64(t.Type) / float64(t.Rows),
				Note: fmt.Sprintf("%d of %d", t.Right, t.Rows),
			})
		}
	}
	return bars
}

// truthWords tell the classes of plans to verify.
var truthWords = map[extract.VerdictClass]string{
	extract.ClassValid: "valid plans", extract.ClassPrecondition: "inexecutable plans", extract.ClassGoal: "plans short of the goal",
	extract.ClassForbidden: "plans with a forbidden step",
}

// printResponseCells is the summary of --responses for people.
func (e env) printResponseCells(cells []eval.ResponseCell, causes []eval.CauseCount) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "group\trows\tcorrect\trate [Wilson 95 %]\t[Wald]\tover all\trecorded\tgained\tlost\tnot graded")
	for i := range cells {
		c := &cells[i]
		rate, wald := "-", "-"
		if c.Graded > 0 {
			rate = percent(float64(c.Correct)/float64(c.Graded), c.Wilson)
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
			fmt.Fprintf(e.out, "\n%s: %s\n", c.Group, statusText(c.Statuses))
			if err := e.printScores(&c.Scores); err != nil {
				return err
			}
		}
	}
	if len(causes) == 0 {
		return nil
	}
	fmt.Fprintln(e.out, "\nDifferences from the recorded verdicts (gained: recorded wrong, and right; lost: the other way)")
	w = tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "gained\tlost\tcause")
	for _, c := range causes {
		fmt.Fprintf(w, "%d\t%d\t%s\n", c.Gained, c.Lost, c.Cause)
	}
	return w.Flush()
}

// maxReasons bounds the reasons that are told.
const maxReasons = 10

// printUngraded tells why answers are not graded.
func (e env) printUngraded(reasons []eval.ReasonCount) {
	for i, r := range reasons {
		if i == maxReasons {
			fmt.Fprintf(e.err, "and %s more; --rows FILE has all\n", plural(len(reasons)-i, "reason"))
			return
		}
		message, _, _ := strings.Cut(r.Message, "\n")
		fmt.Fprintf(e.err, "%d not graded (%s), the first is %q: %s\n", r.Rows, r.Status, r.First, message)
	}
}
