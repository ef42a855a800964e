package audit

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the counts, the causes and the cells that differ.
func (rep *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", rep.Benchmark, rep.Summary())
	for i := range rep.Causes {
		c := &rep.Causes[i]
		fmt.Fprintf(&b, "%6d gained %6d lost  %s\n", c.Gained, c.Lost, c.Cause)
	}
	for _, k := range rep.Kinds {
		fmt.Fprintf(&b, "%-8s %5d graded %5d wrong %5d right with a hole\n", k.Kind, k.Graded, k.Wrong, k.Holes)
	}
	for _, h := range rep.Holes {
		fmt.Fprintf(&b, "%6d rows: %s; %s: %s\n", h.Rows, h.Hole, h.First, h.What)
	}
	for _, r := range rep.Rates {
		fmt.Fprintf(&b, "%-42s %-20s %s by the evaluator, %s by us\n", r.Set, r.Rate, percent(r.Recorded, r.Of), percent(r.Correct, r.Of))
	}
	for _, c := range rep.Cases {
		fmt.Fprintf(&b, "hole: %s\n      %s: the evaluator %s, we: %s\n", c.Hole, c.Change, c.Evaluator, c.Correct)
	}
	for _, n := range rep.Notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	for _, s := range rep.changed() {
		fmt.Fprintf(&b, "%s / %s / %s: %d of %d recorded as right, %d are\n", s.Engine, s.Domain, s.Method, s.Recorded, s.Rows, s.Correct)
	}
	for _, u := range rep.Ungraded {
		fmt.Fprintf(&b, "not graded: %d rows, first %s: %s %s\n", u.Rows, u.First, u.Status, u.Message)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Wrong counts the findings: wrong verdicts and wrong gold answers.
func (rep *Report) Wrong() int { return rep.Gained + rep.Lost + len(rep.Gold.Wrong) }

// NotGraded counts the rows and files that have a status in place of a grade.
func (rep *Report) NotGraded() int {
	n := rep.Rows - rep.Graded + len(rep.Unread)
	if len(rep.Kinds) > 0 {
		n += rep.Gold.Ungraded
	}
	return n
}

// Summary says in a line what was found.
func (rep *Report) Summary() string {
	if len(rep.Rates) > 0 {
		return fmt.Sprintf("%d answers in %d files, %d graded; the evaluator is right about %d and wrong about %d (%d right ones refused, %d wrong ones passed); %d of %d gold answers are wrong",
			rep.Rows, rep.Files, rep.Graded, rep.Agree, rep.Gained+rep.Lost, rep.Gained, rep.Lost, len(rep.Gold.Wrong), rep.Gold.Answers)
	}
	if rep.Rows == 0 && len(rep.Kinds) > 0 {
		return fmt.Sprintf("%d gold answers in %d files, %d graded; %d are wrong", rep.Gold.Answers, rep.Files, rep.Gold.Answers-rep.Gold.Ungraded, len(rep.Gold.Wrong))
	}
	return fmt.Sprintf("%d answers in %d files, %d graded; %d recorded verdicts are right, %d wrong (%d right answers recorded as wrong, %d wrong ones as right); %d of %d gold answers are wrong",
		rep.Rows, rep.Files, rep.Graded, rep.Agree, rep.Gained+rep.Lost, rep.Gained, rep.Lost, len(rep.Gold.Wrong), rep.Gold.Answers)
}

// changed lists the cells whose count of right answers is another than recorded, or in which answers are
// gained and lost.
func (rep *Report) changed() []Cell {
	var list []Cell
	for _, c := range rep.Cells {
		if c.Gained+c.Lost > 0 {
			list = append(list, c)
		}
	}
	return list
}

// WriteMarkdown writes the whole report but for the list of all differences, which the JSON has.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# Audit of %s\n\n%s.\n", rep.Benchmark, rep.Summary())
	if rep.Repeated+rep.Unanswered > 0 {
		fmt.Fprintf(b, "%d answers that repeat another of the same model to the same prompt count once; %d entries have no answer.\n", rep.Repeated, rep.Unanswered)
	}
	for _, n := range rep.Notes {
		fmt.Fprintf(b, "\n%s\n", n)
	}
	rep.writeRates(b)
	rep.writeLeaderboard(b)
	if len(rep.Cells) > 0 {
		b.WriteString("\n## By model and task\n\n| model | tasks | prompts | answers | graded | recorded | right | gained | lost |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		for _, c := range rep.Cells {
			fmt.Fprintf(b, "| %s | %s | %s | %d | %d | %s | %s | %d | %d |\n", c.Engine, c.Domain, c.Method, c.Rows, c.Graded,
				percent(c.Recorded, c.Rows), percent(c.Correct, c.Graded), c.Gained, c.Lost)
		}
	}
	rep.writeCauses(b)
	rep.writeCases(b)
	rep.writeHoles(b)
	rep.writeGold(b)
	rep.writeRest(b)
	_, err := io.WriteString(w, b.String())
	return err
}

func percent(a, n int) string {
	if n == 0 {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d (%.1f %%)", a, 100*float64(a)/float64(n))
}

func (rep *Report) writeLeaderboard(b *strings.Builder) {
	set := ""
	for _, s := range rep.Leaderboard {
		if set == "" {
			b.WriteString("\n## Leaderboard, corrected\n\n| tasks | place | before | model | answers | recorded | right |\n| --- | ---: | ---: | --- | ---: | ---: | ---: |\n")
		}
		set = s.Set
		fmt.Fprintf(b, "| %s | %d | %d | %s | %d | %s | %s |\n", s.Set, s.Rank, s.RecordedRank, s.Engine, s.Rows, percent(s.Recorded, s.Rows), percent(s.Correct, s.Graded))
	}
}

func (rep *Report) writeRates(b *strings.Builder) {
	if len(rep.Rates) == 0 {
		return
	}
	b.WriteString("\n## Rates, corrected\n\n| set | rate | evaluator | right |\n| --- | --- | ---: | ---: |\n")
	for _, r := range rep.Rates {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Set, r.Rate, percent(r.Recorded, r.Of), percent(r.Correct, r.Of))
	}
}

func (rep *Report) writeCases(b *strings.Builder) {
	if len(rep.Cases) == 0 {
		return
	}
	b.WriteString("\n## The smallest plan of each hole\n\n| hole | change of a right plan | evaluator | we |\n| --- | --- | --- | --- |\n")
	for _, c := range rep.Cases {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(c.Hole), cell(c.Change), cell(c.Evaluator), cell(c.Correct))
	}
}

func (rep *Report) writeCauses(b *strings.Builder) {
	if len(rep.Causes) == 0 {
		return
	}
	b.WriteString("\n## Why verdicts are wrong\n\n| gained | lost | cause |\n| ---: | ---: | --- |\n")
	for _, c := range rep.Causes {
		fmt.Fprintf(b, "| %d | %d | %s |\n", c.Gained, c.Lost, cell(c.Cause))
	}
	b.WriteString("\n## Holes in the scripts, with the smallest case of each\n")
	for i := range rep.Causes {
		c := &rep.Causes[i]
		fmt.Fprintf(b, "\n### %s\n\n%s\n", strings.ToUpper(c.Cause[:1])+c.Cause[1:], c.Hole)
		for _, d := range c.Smallest {
			recorded := "wrong"
			if d.Difference == "lost" {
				recorded = "right"
			}
			fmt.Fprintf(b, "\n`%s`, recorded as %s, is %s%s:\n\n%s", d.Row, recorded, d.Status, after(": ", d.Message), quoted(d.Answer))
			if strings.TrimSpace(d.Extracted) != "" {
				fmt.Fprintf(b, "\nThe record reads:\n\n%s", quoted(d.Extracted))
			}
		}
	}
}

func (rep *Report) writeGold(b *strings.Builder) {
	if len(rep.Gold.Wrong) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Wrong gold answers\n\n%d of %d. %d could not be graded.\n\n| row | why | gold answer |\n| --- | --- | --- |\n", len(rep.Gold.Wrong), rep.Gold.Answers, rep.Gold.Ungraded)
	for _, g := range rep.Gold.Wrong {
		fmt.Fprintf(b, "| %s | %s%s | %s |\n", cell(g.Row), g.Status, cell(after(": ", g.Message)), cell(shortText(g.Gold, 160)))
	}
}

// writeHoles writes the table of gold answers by kind, and the holes of the grading.
func (rep *Report) writeHoles(b *strings.Builder) {
	if len(rep.Kinds) > 0 {
		b.WriteString("\n## Gold answers by kind\n\n| kind | graded | wrong | right, with a hole | perfect |\n| --- | ---: | ---: | ---: | ---: |\n")
		for _, k := range rep.Kinds {
			fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", k.Kind, k.Graded, k.Wrong, k.Holes, k.Perfect)
		}
	}
	if len(rep.Holes) > 0 {
		b.WriteString("\n## Holes in the grading\n\n| rows | hole | first | there |\n| ---: | --- | --- | --- |\n")
		for _, h := range rep.Holes {
			fmt.Fprintf(b, "| %d | %s | %s | %s |\n", h.Rows, cell(h.Hole), cell(h.First), cell(h.What))
		}
	}
}

func (rep *Report) writeRest(b *strings.Builder) {
	if len(rep.Contradictions) > 0 {
		b.WriteString("\n## One answer, two verdicts\n\n| recorded as right | recorded as wrong |\n| --- | --- |\n")
		for _, c := range rep.Contradictions {
			right, wrong := c.First, c.Second
			if !c.FirstVerdict {
				right, wrong = wrong, right
			}
			fmt.Fprintf(b, "| %s | %s |\n", cell(right), cell(wrong))
		}
	}
	if len(rep.Ungraded)+len(rep.Unread) > 0 {
		b.WriteString("\n## Not graded\n\n| rows | status | why | first |\n| ---: | --- | --- | --- |\n")
		for _, u := range rep.Ungraded {
			fmt.Fprintf(b, "| %d | %s | %s | %s |\n", u.Rows, u.Status, cell(u.Message), cell(u.First))
		}
		for _, u := range rep.Unread {
			fmt.Fprintf(b, "| | unreadable-file | %s | %s |\n", cell(u.Message), cell(u.File))
		}
	}
}

func after(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// cell writes a text into a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\r", "", "\n", " ").Replace(strings.TrimSpace(s))
}

// quoted writes a text as an indented block, which nothing in it can end.
func quoted(s string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(s, "\r\n") + "\n") {
		b.WriteString("    " + line)
	}
	return b.String()
}
