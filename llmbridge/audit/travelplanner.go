package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
)

// Files of TravelPlanner's repository.
const (
	tripAnnotated  = "finetuning_data/std_travelplanner.jsonl"
	tripReferences = "database/train_ref_info.jsonl"
	tripAnswers    = "postprocess/example_evaluation.jsonl"
	tripFlights    = "flights/clean_Flights_2022.csv"
)

// maxTripLine bounds a line of these files.
const maxTripLine = 64 << 20

// TravelPlanner audits a checkout of TravelPlanner's repository (OSU-NLP-Group/TravelPlanner). The gold answers are the
// plans that people made for the training queries, judged by the tables that come with them. The answers are the plans
// of the example of an evaluation, judged by the tables in the folder database; the verdicts of record are those that
// the repository's evaluator gives, check by check.
func TravelPlanner(ctx context.Context, root string, done func(int)) (*Report, error) {
	rep := &Report{Benchmark: "travelplanner"}
	a := &tripAudit{rep: rep, done: done}
	for _, part := range []func(context.Context, string) error{a.annotated, a.answers} {
		if err := part(ctx, root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if rep.Files == 0 {
		return nil, fmt.Errorf("%s has no plans: a checkout of TravelPlanner's repository has %s and %s", root, tripAnnotated, tripAnswers)
	}
	rep.Cases = tripCases()
	rep.finish()
	return rep, nil
}

type tripAudit struct {
	rep  *Report
	done func(int)
}

// tripLines reads the lines of a file of the checkout.
func (a *tripAudit) tripLines(root, name string) (lines [][]byte, err error) {
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxTripLine)
	for in.Scan() {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
	}
	if err := in.Err(); err != nil {
		a.rep.Unread = append(a.rep.Unread, UnreadFile{name, err.Error()})
		return nil, nil
	}
	a.rep.Files++
	return lines, nil
}

// annotated judges the plans of the training set.
func (a *tripAudit) annotated(ctx context.Context, root string) error {
	rows, err := a.tripLines(root, tripAnnotated)
	if err != nil {
		return err
	}
	references, err := a.tripLines(root, tripReferences)
	if err != nil {
		return err
	}
	var theirs, ours travel.Totals
	var spent, least []float64
	for i, line := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.done(1)
		a.rep.Gold.Answers++
		row := fmt.Sprintf("%s#%d", tripAnnotated, i+1)
		t, err := annotatedTrip(line, references, i, len(rows))
		if err != nil {
			a.rep.Gold.Ungraded++
			a.rep.ungraded("unreadable-query", rowjson.Fault(err), row)
			continue
		}
		u, j := travel.JudgeUpstream(t.world, t.query, t.plan), travel.Judge(t.world, t.query, t.plan)
		theirs.CountUpstream(t.query, u)
		ours.Count(t.query, j)
		a.rep.goldFound(t.query.Level, row, t.text, tripFinding(t, j))
		a.compare(row, t, u, j)
		if best, err := travel.FreeOptimum(ctx, t.world, t.query); err == nil {
			budget, _ := t.query.Budget.Rat().Float64()
			cost, _ := j.Cost.Rat().Float64()
			optimum, _ := best.Cost.Rat().Float64()
			spent, least = append(spent, cost/budget), append(least, optimum/budget)
		}
	}
	a.rates(tripAnnotated, &theirs, &ours)
	if len(spent) > 0 {
		slices.Sort(spent)
		slices.Sort(least)
		a.rep.Notes = append(a.rep.Notes, fmt.Sprintf("The plans of people spend %.0f %% of the budget in the median of %d queries, cheapest itineraries %.0f %%.",
			100*spent[len(spent)/2], len(spent), 100*least[len(least)/2]))
	}
	return nil
}

// trip is a query with a plan and the tables that it is judged by.
type trip struct {
	query *travel.Query
	plan  *travel.Plan
	world *travel.World
	text  string // of the plan
}

var tripQuery = pattern.New(`(?s).*\nQuery:(.*)$`)

// annotatedTrip reads a row of the training data, whose last message is the plan, and its reference.
func annotatedTrip(line []byte, references [][]byte, i, of int) (*trip, error) {
	var in struct {
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := rowjson.Unmarshal(line, &in, false); err != nil {
		return nil, err
	}
	t := &trip{}
	request := ""
	for _, m := range in.Messages {
		if q := tripQuery.FindStringSubmatch(m.Content); m.Role == "user" && q != nil {
			request = strings.TrimSpace(q[1])
		}
		if m.Role == "assistant" {
			t.text = m.Content
		}
	}
	if request == "" || t.text == "" || i >= len(references) {
		return nil, errors.New("the row has no query, no plan or no reference")
	}
	cities, err := travel.ReferenceCities(references[i])
	if err != nil {
		return nil, err
	}
	if t.query, err = travel.ReadRequest(request, cities, travel.LevelOf(i+1, of)); err != nil {
		return nil, err
	}
	if t.world, err = travel.ReadReference(references[i], t.query); err != nil {
		return nil, err
	}
	t.plan = travel.ReadPlan(rowjson.AppendText(nil, t.text)).Trimmed()
	return t, nil
}

// tripFinding says what is wrong with a gold plan. Facts that its journeys quote and its tables do not have are a hole.
func tripFinding(t *trip, j *travel.Judgement) (f finding) {
	if j.Valid() {
		return f
	}
	if bare := travel.Judge(t.world, t.query, t.plan.WithoutQuotes()); !bare.Valid() {
		return finding{wrong: bare.Findings[0].String()}
	}
	return finding{hole: "the plan quotes durations, distances, costs or times that are not those of its tables; the evaluator does not compare them", what: j.Findings[0].String()}
}

// answers judges the plans of the example of an evaluation.
func (a *tripAudit) answers(ctx context.Context, root string) error {
	rows, err := a.tripLines(root, tripAnswers)
	if err != nil {
		return err
	}
	world, missing, err := travel.ReadTables(filepath.Join(root, "database"))
	suppose := slices.Contains(missing, tripFlights)
	if n := len(missing); errors.Is(err, fs.ErrNotExist) || err == nil && (n > 1 || n == 1 && !suppose) {
		a.rep.Rows = len(rows)
		a.rep.ungraded("no-tables", "the folder database lacks "+strings.Join(missing, ", "), tripAnswers)
		a.rep.Ungraded[len(a.rep.Ungraded)-1].Rows = len(rows)
		return nil
	}
	if err != nil {
		return err
	}
	if suppose {
		a.rep.Notes = append(a.rep.Notes, "There is no "+tripFlights+": each flight is taken to be as its plan says, at no cost. So what is refused is wrong for certain, and the rates are upper bounds.")
	}
	var cities []string
	for _, c := range world.Cities {
		cities = append(cities, c.Name)
	}
	var theirs, ours travel.Totals
	for i, line := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.done(1)
		row := fmt.Sprintf("%s#%d", tripAnswers, i+1)
		t, err := answeredTrip(line, cities, i, len(rows))
		if err != nil {
			a.rep.Rows++
			a.rep.ungraded("unreadable-query", rowjson.Fault(err), row)
			continue
		}
		if t.world = world; suppose {
			t.world = world.SupposeFlights(t.query, t.plan)
		}
		u, j := travel.JudgeUpstream(t.world, t.query, t.plan), travel.Judge(t.world, t.query, t.plan)
		theirs.CountUpstream(t.query, u)
		ours.Count(t.query, j)
		a.answer(row, t, u, j)
	}
	a.rates(tripAnswers, &theirs, &ours)
	return nil
}

func answeredTrip(line []byte, cities []string, i, of int) (*trip, error) {
	var in struct {
		Query string          `json:"query"`
		Plan  json.RawMessage `json:"plan"`
	}
	if err := rowjson.Unmarshal(line, &in, false); err != nil {
		return nil, err
	}
	q, err := travel.ReadRequest(in.Query, cities, travel.LevelOf(i+1, of))
	if err != nil {
		return nil, err
	}
	return &trip{query: q, plan: travel.ReadPlan(in.Plan), text: string(in.Plan)}, nil
}

// answer counts a plan, as the evaluator judges it and as it is.
func (a *tripAudit) answer(row string, t *trip, u *travel.Upstream, j *travel.Judgement) {
	c := a.rep.cell("example", fmt.Sprintf("%s, %d days", t.query.Level, t.query.Days), "")
	a.rep.Rows++
	a.rep.Graded++
	c.Rows++
	c.Graded++
	right := j.Valid() && j.Delivered
	if u.Final() {
		c.Recorded++
	}
	if right {
		c.Correct++
	}
	switch {
	case u.Final() == right:
		a.rep.Agree++
	case right:
		a.rep.Gained++
		c.Gained++
	default:
		a.rep.Lost++
		c.Lost++
	}
	a.compare(row, t, u, j)
}

// rates puts the evaluator's rates over a set beside ours.
func (a *tripAudit) rates(set string, theirs, ours *travel.Totals) {
	for _, r := range []struct {
		name         string
		theirs, ours int
		of           int
	}{
		{"delivered", theirs.Delivered, ours.Delivered, ours.Plans},
		{"commonsense, micro", theirs.CommonsensePassed, ours.CommonsensePassed, ours.CommonsenseAll},
		{"commonsense, macro", theirs.CommonsenseMacro, ours.CommonsenseMacro, ours.Plans},
		{"hard, micro", theirs.HardPassed, ours.HardPassed, ours.HardAll},
		{"hard, macro", theirs.HardMacro, ours.HardMacro, ours.Plans},
		{"hard, micro, gated", theirs.HardPassed, ours.GatedPassed, ours.HardAll},
		{"hard, macro, gated", theirs.HardMacro, ours.GatedMacro, ours.Plans},
		{"final", theirs.Final, ours.Final, ours.Plans},
	} {
		a.rep.Rates = append(a.rep.Rates, Rate{set, r.name, r.theirs, r.ours, r.of})
	}
}
