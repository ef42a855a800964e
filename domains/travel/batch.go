package travel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
	"github.com/planproof/planproof/pddl"
)

// maxRow is the longest row that is read, in bytes.
const maxRow = 64 << 20

// Options of the functions that answer rows.
type Options struct {
	// World has the tables for rows that bring none.
	World *World
	// JSON asks for JSON Lines instead of lines for people; Details for the findings of each row.
	JSON, Details bool
	// Upstream asks for the answers of TravelPlanner's evaluator instead of the judge's.
	Upstream bool
	// Optimum has the judge find the cheapest itinerary of each query, over all routes, and compare the plan with it.
	Optimum bool
	// Free looks for the cheapest route too, instead of only keeping that of the row's plan.
	Free bool
	// Workers is the number of rows answered at the same time; 0 is one per processor.
	Workers int
}

// answered is the answer to a row.
type answered struct {
	text  []byte
	tally tally
}

// JudgeRows judges the rows of JSON Lines ([ParseRow]) and writes an answer for each, in order: {"case", "violations",
// "cost"}, with Details also {"valid", "findings"}. A row that cannot be read is answered with its error, and is no
// part of the totals.
func JudgeRows(ctx context.Context, in io.Reader, out io.Writer, o Options) (Totals, error) {
	totals := Totals{}
	err := answerRows(ctx, in, out, o, func(r *Row) answered { return o.judgeRow(ctx, r) }, func(t *tally) { totals.add(t) })
	return totals, err
}

// OptimumRows answers each row with a cheapest itinerary over the route of its plan, {"idx", "min_cost_fixed_route"},
// or over all routes if Free, {"idx", "min_cost", "cities", "nights"}. The cost is null where no itinerary keeps all
// rules.
func OptimumRows(ctx context.Context, in io.Reader, out io.Writer, o Options) (Totals, error) {
	totals := Totals{}
	err := answerRows(ctx, in, out, o, func(r *Row) answered { return o.optimumRow(ctx, r) }, func(t *tally) { totals.add(t) })
	return totals, err
}

// PromptRows writes the prompts of each row's query, {"case", "prompt", "prompt_unconstrained"}, or the first as text.
func PromptRows(ctx context.Context, in io.Reader, out io.Writer, o Options) (Totals, error) {
	totals := Totals{}
	err := answerRows(ctx, in, out, o, func(r *Row) answered {
		if !o.JSON {
			return answered{text: append([]byte(Prompt(r.World, r.Query, true)), '\n')}
		}
		b := rowjson.AppendRaw([]byte(`{"case":`), r.Name)
		b = rowjson.AppendText(append(b, `,"prompt":`...), Prompt(r.World, r.Query, true))
		b = rowjson.AppendText(append(b, `,"prompt_unconstrained":`...), Prompt(r.World, r.Query, false))
		return answered{text: append(b, '}', '\n')}
	}, func(t *tally) { totals.add(t) })
	return totals, err
}

// answerRows answers rows in order.
func answerRows(ctx context.Context, in io.Reader, w io.Writer, o Options, answer func(*Row) answered, count func(*tally)) error {
	out := bufio.NewWriterSize(w, 1<<16)
	return rowstream.Run(ctx, in, rowstream.Options{Workers: o.Workers, MaxLine: maxRow, Finish: time.Second},
		func(_ context.Context, line *rowstream.Line) answered { return o.answerLine(line, answer) },
		func(a answered) error {
			count(&a.tally)
			_, err := out.Write(a.text)
			return err
		}, out.Flush)
}

// answerLine answers a line; whatever goes wrong is its answer.
func (o *Options) answerLine(line *rowstream.Line, answer func(*Row) answered) (a answered) {
	r := &Row{}
	defer func() {
		if x := recover(); x != nil {
			a = o.fault(r, line.Row, fmt.Errorf("internal error (please report it): %v", x))
		}
	}()
	if line.Text == nil {
		return o.fault(r, line.Row, fmt.Errorf("%d bytes, more than %d", line.Length, maxRow))
	}
	r, err := ParseRow(bytes.TrimRight(line.Text, "\r\n"), o.World)
	if err != nil {
		return o.fault(r, line.Row, err)
	}
	r.Number = line.Row
	return answer(r)
}

// fault answers a row that cannot be judged.
func (o *Options) fault(r *Row, number int, err error) answered {
	text := rowjson.Fault(err)
	if placed := (*rowjson.RowError)(nil); errors.As(err, &placed) && placed.Member != "" && !strings.Contains(text, placed.Member) {
		text = placed.Member + ": " + text
	}
	text = fmt.Sprintf("row %d: %s", number, text)
	a := answered{tally: tally{fault: true}}
	if o.JSON {
		b := rowjson.AppendRaw([]byte(`{"case":`), r.Name)
		a.text = append(rowjson.AppendText(append(b, `,"error":`...), text), '}', '\n')
		return a
	}
	a.text = fmt.Appendf(nil, "%-24s error: %s\n", label(r.Name, number), text)
	return a
}

func label(name json.RawMessage, number int) string {
	if len(name) == 0 || string(name) == "null" {
		return fmt.Sprintf("row %d", number)
	}
	return strings.Trim(string(name), `"`)
}

// number is an exact number in JSON, where every finite decimal has a form; others are written as a text.
func appendNumber(b []byte, n pddl.Number) []byte {
	text := n.String()
	if strings.Contains(text, "/") {
		return rowjson.AppendText(b, text)
	}
	return append(b, text...)
}

func (o *Options) judgeRow(ctx context.Context, r *Row) answered {
	if o.Upstream {
		return o.upstreamRow(r)
	}
	j := Judge(r.World, r.Query, r.Plan)
	a := answered{tally: tallyOf(r.Query, j)}
	if !o.JSON {
		a.text = o.judgedLine(r, j)
		return a
	}
	b := rowjson.AppendRaw([]byte(`{"case":`), r.Name)
	names := []string{}
	for _, rule := range j.Violations() {
		names = append(names, rule.String())
	}
	b = rowjson.AppendTexts(append(b, `,"violations":`...), names)
	b = appendNumber(append(b, `,"cost":`...), j.Cost)
	if o.Details {
		b = appendFindings(b, j)
	}
	if o.Optimum {
		best, err := FreeOptimum(ctx, r.World, r.Query)
		if err != nil && !errors.Is(err, ErrNoItinerary) {
			return o.fault(r, r.Number, err)
		}
		b = appendRatio(b, j, best)
	}
	a.text = append(b, '}', '\n')
	return a
}

// appendRatio compares a plan's cost with the optimum: their ratio, and 1/(1 + ratio), which is a half for the best
// plan. Only valid plans are compared.
func appendRatio(b []byte, j *Judgement, best *Optimum) []byte {
	if best == nil {
		return append(b, `,"optimum":null,"cost_ratio":null,"optimality":null`...)
	}
	b = appendNumber(append(b, `,"optimum":`...), best.Cost)
	if ratio, ok := j.Cost.Div(best.Cost); ok && j.Valid() {
		optimality, _ := pddl.Int(1).Div(ratio.Add(pddl.Int(1)))
		r, _ := ratio.Rat().Float64()
		x, _ := optimality.Rat().Float64()
		b = rowjson.AppendFloat(append(b, `,"cost_ratio":`...), r)
		return rowjson.AppendFloat(append(b, `,"optimality":`...), x)
	}
	return append(b, `,"cost_ratio":null,"optimality":null`...)
}

type findingJSON struct {
	Rule     string `json:"rule"`
	Day      int    `json:"day,omitempty"`
	Field    string `json:"field,omitempty"`
	Reason   string `json:"reason"`
	Compared string `json:"compared,omitempty"`
}

func appendFindings(b []byte, j *Judgement) []byte {
	list := []findingJSON{}
	for _, f := range j.Findings {
		list = append(list, findingJSON{f.Rule.String(), f.Day, f.Field, f.Reason, f.Compared})
	}
	b = fmt.Appendf(b, `,"valid":%v,"delivered":%v,"findings":`, j.Valid(), j.Delivered)
	b = rowjson.Append(b, list)
	if len(j.Ambiguous) > 0 {
		b = rowjson.AppendTexts(append(b, `,"ambiguous":`...), j.Ambiguous)
	}
	return b
}

// judgedLine is the answer for people.
func (o *Options) judgedLine(r *Row, j *Judgement) []byte {
	said := "valid"
	if rules := j.Violations(); len(rules) > 0 {
		said = strings.Trim(fmt.Sprint(rules), "[]")
	}
	b := fmt.Appendf(nil, "%-40s %-16s cost %s\n", label(r.Name, r.Number), said, j.Cost)
	if o.Details {
		for i := range j.Findings {
			b = fmt.Appendf(b, "    %s\n", &j.Findings[i])
		}
	}
	return b
}

// upstreamRow answers as TravelPlanner's evaluator does.
func (o *Options) upstreamRow(r *Row) answered {
	u := JudgeUpstream(r.World, r.Query, r.Plan)
	a := answered{tally: upstreamTally(r.Query, u)}
	if !o.JSON {
		said := fmt.Sprintf("commonsense %v, hard %v", u.sensible(), u.kept())
		if u.Crash != "" {
			said = "judge_error: " + u.Crash
		}
		a.text = fmt.Appendf(nil, "%-40s %s\n", label(r.Name, r.Number), said)
		return a
	}
	b := rowjson.AppendRaw([]byte(`{"case":`), r.Name)
	if u.Crash != "" {
		a.text = append(rowjson.AppendText(append(b, `,"judge_error":`...), u.Crash), '}', '\n')
		return a
	}
	if !u.Delivered {
		a.text = append(b, ",\"delivered\":false}\n"...)
		return a
	}
	b = append(b, `,"commonsense":{`...)
	for i, name := range UpstreamCommonsense {
		b = fmt.Appendf(b, `%s"%s":%v`, comma(i), name, u.Commonsense[i])
	}
	b = fmt.Appendf(b, `},"gate":%v,"hard":`, u.Gate)
	if !u.Gate {
		a.text = append(b, "null}\n"...)
		return a
	}
	for i, name := range UpstreamHard {
		b = fmt.Appendf(b, `%s"%s":%s`, [...]string{"{", ","}[min(i, 1)], name, [...]string{"null", "true", "false"}[u.Hard[i]])
	}
	b = appendNumber(append(b, `},"cost":`...), u.Cost)
	a.text = append(b, '}', '\n')
	return a
}

func comma(i int) string { return [...]string{"", ","}[min(i, 1)] }

// optimumRow finds a cheapest itinerary.
func (o *Options) optimumRow(ctx context.Context, r *Row) answered {
	var best *Optimum
	var err error
	if o.Free {
		best, err = FreeOptimum(ctx, r.World, r.Query)
	} else {
		var route Route
		if route, err = routeOf(r.World, r.Query, r.Plan); err == nil {
			best, err = FixedOptimum(r.World, r.Query, route)
		}
	}
	if err != nil && !errors.Is(err, ErrNoItinerary) {
		return o.fault(r, r.Number, err)
	}
	a := answered{tally: tally{none: best == nil}}
	if !o.JSON {
		if best == nil {
			a.text = fmt.Appendf(nil, "%-24s none: %v\n", label(r.Name, r.Number), err)
			return a
		}
		a.text = fmt.Appendf(nil, "%-24s %s, %s\n", label(r.Name, r.Number), best.Cost, &best.Route)
		return a
	}
	a.text = o.optimumJSON(r, best, err)
	return a
}

func (o *Options) optimumJSON(r *Row, best *Optimum, err error) []byte {
	b := rowjson.AppendRaw([]byte(`{"idx":`), r.Name)
	member := `,"min_cost_fixed_route":`
	if o.Free {
		member = `,"min_cost":`
	}
	if b = append(b, member...); best == nil {
		b = append(b, "null"...)
	} else {
		b = appendNumber(b, best.Cost)
	}
	if o.Free && best != nil {
		b = rowjson.AppendTexts(append(b, `,"cities":`...), best.Route.Cities)
		b = rowjson.Append(append(b, `,"nights":`...), best.Route.Nights)
	}
	if o.Details {
		if best == nil {
			b = rowjson.AppendText(append(b, `,"reason":`...), err.Error())
		} else {
			b = best.Plan.AppendJSON(append(b, `,"plan":`...))
		}
	}
	return append(b, '}', '\n')
}

// String writes "Rockford (2 nights), Peoria (1 night)".
func (r *Route) String() string {
	var parts []string
	for i, city := range r.Cities {
		nights := "nights"
		if r.Nights[i] == 1 {
			nights = "night"
		}
		parts = append(parts, fmt.Sprintf("%s (%d %s)", city, r.Nights[i], nights))
	}
	return strings.Join(parts, ", ")
}

// AppendJSON writes a plan that can be read as the benchmark's list of days.
func (p *Plan) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range p.Days {
		b = fmt.Appendf(b, `%s{"days":%d`, comma(i), i+1)
		for _, field := range append([]string{fieldCity}, required[:]...) {
			b = rowjson.AppendText(fmt.Appendf(b, `,"%s":`, field), p.Days[i].Fields[field].Text)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}
