package audit

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains/travel"
)

// Rate is a rate over a set of plans: by a benchmark's evaluator, and as it is.
type Rate struct {
	Set      string `json:"set"`
	Rate     string `json:"rate"`
	Recorded int    `json:"recorded"`
	Correct  int    `json:"correct"`
	Of       int    `json:"of"`
}

// Case is the smallest plan that shows a hole in the scripts of a benchmark.
type Case struct {
	Hole      string `json:"hole"`
	Change    string `json:"change"` // to a plan that is right
	Evaluator string `json:"evaluator"`
	Correct   string `json:"correct"`
}

// tripCheck is a check of TravelPlanner's evaluator with the rule that it stands for.
type tripCheck struct {
	name string
	rule travel.Rule
	hole string
}

// tripSense and tripHard are in the evaluator's order.
var (
	tripSense = [8]tripCheck{
		{"reasonable city route", travel.C1, "The destination of a trip of three days is not compared, and days after the query's are not looked at; a state in parentheses makes a city another one."},
		{"diverse restaurants", travel.C5, "Texts are compared, not restaurants: a blank hides a repetition, and what is not the same row is one."},
		{"diverse attractions", travel.C6, "What follows the last semicolon is not looked at."},
		{"minimum nights", travel.C8, "A night is compared by its text, and a name that is part of another's is not checked."},
		{"non-conflicting transportation", travel.C7, "Transport on days without travel is not looked at, and means that it does not know conflict with nothing."},
		{"within current city", travel.C3, "On a day without travel any letter of the city's name is enough; the last attraction is not looked at."},
		{"within sandbox", travel.C2, "A part of a name is enough; dates, times, durations, distances and costs are not compared, other means of transport are taken, and the last attraction is not looked at."},
		{"complete information", travel.C4, "A field that cannot be read counts as filled."},
	}
	tripHard = [5]tripCheck{
		{"cuisine", travel.H4, "A meal where the trip begins ends the look at that day; a label is a part of a text."},
		{"room rule", travel.H2, "The first row whose name contains the name counts."},
		{"transportation", travel.H5, "It takes names in another case for other names."},
		{"room type", travel.H3, "The first row whose name contains the name counts."},
		{"budget", travel.H1, "The first row whose name contains the name is the price."},
	}
)

// compare counts the checks that the evaluator answers otherwise than the rule that they stand for. A check that refuses
// a plan is wrong only if no rule of its kind does, since one fault may fall under several rules. Hard checks that the
// evaluator does not make, because something is absent or not in the tables, are no answers.
func (a *tripAudit) compare(row string, t *trip, u *travel.Upstream, j *travel.Judgement) {
	if !u.Delivered {
		return
	}
	if u.Crash != "" {
		a.differs("the evaluation ends", "The evaluator raises an exception, and grades no plan of the file.", Difference{
			Row: row, Difference: "gained", Status: "crash", Message: u.Crash, Answer: shortText(t.text, 400),
		}, len(t.text))
		return
	}
	for i, c := range tripSense {
		a.compareCheck(row, t, j, &c, u.Commonsense[i])
	}
	if !u.Gate {
		return
	}
	for i, c := range tripHard {
		if u.Hard[i] != travel.Unasked && (c.rule != travel.H1 || t.query.HasBudget) {
			a.compareCheck(row, t, j, &c, u.Hard[i] == travel.Passed)
		}
	}
}

func (a *tripAudit) compareCheck(row string, t *trip, j *travel.Judgement, c *tripCheck, passed bool) {
	violates := func(f travel.Finding) bool { return f.Rule == c.rule || c.rule == travel.C4 && f.Rule == travel.FMT }
	at := slices.IndexFunc(j.Findings, violates)
	kind := j.Commonsense()
	if slices.ContainsFunc(tripHard[:], func(h tripCheck) bool { return h.rule == c.rule }) {
		kind = j.Hard() && !j.Violates(travel.C2) // what is not in the tables has no price
	}
	if passed == (at < 0) || !passed && !kind {
		return
	}
	d := Difference{Row: row, Difference: "gained", Status: "valid", Message: c.rule.String() + " holds"}
	if at >= 0 {
		f := &j.Findings[at]
		d.Difference, d.Status, d.Message = "lost", c.rule.String(), f.String()
		d.Answer = t.plan.Text(f.Day, f.Field)
	}
	a.differs(fmt.Sprintf("%s, %s", c.name, c.rule), c.hole, d, len(d.Answer)+len(d.Message))
}

func (a *tripAudit) differs(cause, hole string, d Difference, length int) {
	d.Cause = cause
	a.rep.Differences = append(a.rep.Differences, d)
	at := slices.IndexFunc(a.rep.Causes, func(x Cause) bool { return x.Cause == cause })
	if at < 0 {
		at = len(a.rep.Causes)
		a.rep.Causes = append(a.rep.Causes, Cause{Cause: cause, Hole: hole, lengths: map[string]int{}})
	}
	a.rep.Causes[at].count(d, length)
}
