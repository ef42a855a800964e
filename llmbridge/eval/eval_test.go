package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// TestIntervals compares with values from the literature and with the defining equation.
func TestIntervals(t *testing.T) {
	// Newcombe (1998), table I: 81/263, 15/148, 0/20, 1/29.
	for _, test := range []struct {
		c, n                   int
		wilsonLow, wilsonHigh  float64
		waldLow, waldHighUncut float64
	}{
		{81, 263, 0.2553, 0.3662, 0.2522, 0.3638},
		{15, 148, 0.0624, 0.1605, 0.0527, 0.1500},
		{0, 20, 0, 0.1611, 0, 0},
		{1, 29, 0.0061, 0.1718, 0, 0.1009},
	} {
		p := float64(test.c) / float64(test.n)
		w, d := Wilson(p, test.n), Wald(p, test.n)
		for _, pair := range [][2]float64{{w.Low, test.wilsonLow}, {w.High, test.wilsonHigh}, {d.Low, test.waldLow}, {d.High, test.waldHighUncut}} {
			if math.Abs(pair[0]-pair[1]) > 0.00006 {
				t.Errorf("%d/%d: %.5f, want %.4f", test.c, test.n, pair[0], pair[1])
			}
		}
	}
	for n := 1; n < 60; n++ {
		for c := 0; c <= n; c++ {
			p := float64(c) / float64(n)
			w := Wilson(p, n)
			for _, q := range []float64{w.Low, w.High} { // (p-q)^2 = z^2 q(1-q)/n
				if d := (p-q)*(p-q) - z95*z95*q*(1-q)/float64(n); math.Abs(d) > 1e-12 {
					t.Fatalf("%d/%d: %g does not solve the equation of the interval (%g)", c, n, q, d)
				}
			}
			if !(w.Low <= p && p <= w.High) {
				t.Fatalf("%d/%d: %v", c, n, w)
			}
		}
	}
}

// TestPassAtK counts subsets.
func TestPassAtK(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				hit, all := int64(0), int64(0)
				for set := 0; set < 1<<n; set++ {
					size, good := 0, false
					for i := range n {
						if set>>i&1 == 1 {
							size++
							good = good || i < c
						}
					}
					if size == k {
						all++
						if good {
							hit++
						}
					}
				}
				got := PassAtK(n, c, k)
				if want := fmt.Sprintf("%d/%d", hit, all); got.Cmp(ratio(hit, all)) != 0 {
					t.Fatalf("pass@%d of %d/%d is %v, want %s", k, c, n, got, want)
				}
			}
		}
	}
}

func task(t testing.TB, name string) *Task {
	t.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	dom, _ := pddl.ParseDomain(d, pddl.Options{})
	prob, diags := pddl.ParseProblem(p, dom, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return &Task{ID: name, Bundled: name, Problem: prob}
}

func plain(name string, rounds int) *Method {
	return &Method{Name: name, Rounds: rounds, Feedback: Feedback, Prompt: func(_ context.Context, t *Task) (*prompt.Prompt, error) {
		return &prompt.Prompt{Text: t.ID}, nil
	}}
}

// TestRunIsOrdered: rows come in order whatever the number of workers, and failures stay
// with their rows.
func TestRunIsOrdered(t *testing.T) {
	var tasks []*Task
	for i := range 7 {
		tasks = append(tasks, task(t, fmt.Sprintf("blocksworld:3-%d", i+1)))
	}
	tasks = append(tasks, &Task{ID: "broken", Err: "line 3: bad"})
	m := model.ScriptedFunc("m", func(r *model.Request, sample int) (string, error) {
		switch {
		case sample == 1:
			return "", &model.Error{Kind: model.KindRateLimited, Message: "slow down"}
		case sample == 2:
			return "(pick-up nothing)", nil
		}
		return "I cannot say.", nil
	})
	optimal, err := model.NewScripted("optimal")
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, workers := range []int{1, 3, 16} {
		cfg := &Config{Models: []model.Model{optimal, m}, Methods: []*Method{plain("a", 1), plain("b", 2)}, Tasks: tasks, Settings: Settings{Samples: 3}, Parallel: workers}
		var rows []Row
		if err := Run(context.Background(), cfg, func(r *Row) error { rows = append(rows, *r); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(rows) != cfg.Rows() || len(rows) != 2*2*8*3 {
			t.Fatalf("%d rows", len(rows))
		}
		data, err := json.Marshal([]any{rows, Summarise(rows, []int{1, 3}, nil)})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
			checkCells(t, Summarise(rows, []int{1, 3}, nil))
		} else if !bytes.Equal(first, data) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
}

func checkCells(t *testing.T, cells []Cell) {
	t.Helper()
	if len(cells) != 4 {
		t.Fatalf("%d cells", len(cells))
	}
	c := cells[0] // optimal, a
	if c.Tasks != 8 || c.Rows != 24 || c.Graded != 21 || c.Correct != 21 || c.Pass[0].Graded.Value() != 1 || c.Pass[0].Graded.Tasks != 7 || c.Pass[0].All.Value() != 7.0/8 || c.Pass[0].All.Tasks != 8 {
		t.Errorf("%+v", c)
	}
	c = cells[2] // m, a
	want := "[{invalid 7} {no-plan 7} {unreadable-task 3} {rate-limited 7}]"
	if got := fmt.Sprint(c.Statuses); got != want || c.Graded != 14 || c.Correct != 0 || c.Pass[1].Graded.Tasks != 0 || c.Pass[1].Graded.Rate != nil || c.Pass[1].All.Tasks != 8 {
		t.Errorf("%s, want %s; %+v", got, want, c)
	}
	if cells[3].Rounds != 28 || c.Rounds != 14 {
		t.Errorf("%d and %d answers", c.Rounds, cells[3].Rounds)
	}
}

// TestInterrupted: the rows emitted before an interruption are a prefix.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var n atomic.Int64
	m := model.ScriptedFunc("m", func(*model.Request, int) (string, error) {
		if n.Add(1) == 5 {
			cancel()
			return "", ctx.Err()
		}
		return "x", nil
	})
	cfg := &Config{Models: []model.Model{m}, Methods: []*Method{plain("a", 1)}, Tasks: []*Task{task(t, "blocksworld:3-1")}, Settings: Settings{Samples: 50}, Parallel: 3}
	next := 0
	err := Run(ctx, cfg, func(r *Row) error {
		if r.Sample != next {
			t.Errorf("sample %d, want %d", r.Sample, next)
		}
		next++
		return nil
	})
	if !errors.Is(err, context.Canceled) || next > 8 {
		t.Errorf("%v after %d rows", err, next)
	}
	full := errors.New("disk full")
	if err := Run(context.Background(), cfg, func(*Row) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestGrade(t *testing.T) {
	k := task(t, "blocksworld:3-1")
	good, err := model.NewScripted("optimal")
	if err != nil {
		t.Fatal(err)
	}
	_, rounds, err := Ask(context.Background(), good, plain("a", 1), k, &Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	plan := rounds[0].Response
	eleven, two, hundred := pddl.Int(11), pddl.Int(2), pddl.Int(100)
	for _, test := range []struct {
		change    func(*Task)
		text      string
		truncated bool
		want      Status
		correct   bool
	}{
		{nil, plan, false, Valid, true},
		{nil, plan, true, Valid, true},
		{nil, "(pick-up a)", true, Truncated, false},
		{nil, "(pick-up a", false, NoPlan, false},
		{nil, "no plan exists", false, ClaimsUnsolvable, false},
		{func(k *Task) { k.Unsolvable = true }, "no plan exists", false, ClaimsUnsolvable, true},
		{func(k *Task) { k.Budget = &two }, plan, false, Dear, false},
		{func(k *Task) { k.Budget = &eleven }, plan, false, Valid, true},
		{func(k *Task) { k.Optimal, k.Cheapest = &two, true }, plan, false, NotCheapest, false},
		{func(k *Task) { k.Problem = nil }, plan, false, UnreadableTask, false},
		// Told a least cost that this plan refutes: the answer is not wrong, the task is.
		{func(k *Task) { k.Optimal, k.Cheapest = &hundred, true }, plan, false, UnreadableTask, false},
		{func(k *Task) { k.Optimal = &hundred }, plan, false, Valid, true},
	} {
		k := &Task{ID: "x", Problem: k.Problem}
		if test.change != nil {
			test.change(k)
		}
		g := k.Grade(test.text, test.truncated)
		if g.Status != test.want || g.Correct != test.correct || (g.Outcome == nil) == g.Status.Graded() {
			t.Errorf("%.40q truncated=%v: %+v, want %s", test.text, test.truncated, g, test.want)
		}
		if k.Optimal == &hundred && (g.Optimal != nil || !strings.Contains(g.Message, "less than the least cost 100")) {
			t.Errorf("a refuted least cost: %+v", g)
		}
	}
}

func TestChartIsXML(t *testing.T) {
	var b bytes.Buffer
	bars := []Bar{{Label: strings.Repeat(`<&"é`, 30), Rate: 0.5, Interval: Interval{0.2, 0.8}, Mark: 0.3, Note: "<3>"}, {Rate: 0, Interval: Interval{0, 1}, Mark: -1}}
	if err := WriteChart(&b, "a < b & c", bars); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBadResponses(t *testing.T) {
	for _, bad := range []string{`{`, `[1]`, `{"id":"a","raw_response":"x"}`, `{"id":"a","raw_response":7,"domain_pddl":"d","problem_pddl":"p"}`, `{"instances":[{"instance_id":1,"llm_raw_response":"x"}]}`} {
		if _, _, err := ReadResponses(strings.NewReader(bad), ResponseOptions{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestResponseFaults: all bad rows are named at once, in words, and a byte order mark is
// no fault.
func TestResponseFaults(t *testing.T) {
	const good = `{"id":"a","raw_response":"x","domain_pddl":"d","problem_pddl":"p"}`
	rows, _, err := ReadResponses(strings.NewReader("\ufeff"+good), ResponseOptions{})
	if err != nil || len(rows) != 1 {
		t.Errorf("after a byte order mark: %d rows, %v", len(rows), err)
	}
	text := good + "\n[]\n" + good + "\n{\"task_unsolvable\":3}\n" + strings.Replace(good, "x", "\xff", 1) + "\n{\"id\":\n"
	_, _, err = ReadResponses(strings.NewReader(text), ResponseOptions{})
	if err == nil {
		t.Fatal("bad rows are read")
	}
	for _, want := range []string{"responses:2:1: error[wrong-json-type]: not a JSON object", "error[wrong-json-type]: task_unsolvable is", "responses:5:1: error[bad-json]: the row is not UTF-8", "responses:6:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	_, _, err = ReadResponses(strings.NewReader(strings.Repeat("[]\n", 1000)), ResponseOptions{})
	if n := strings.Count(err.Error(), "error["); n != rowjson.MaxFaults || !strings.HasSuffix(err.Error(), "and 980 more") {
		t.Errorf("%d of 1000 bad rows: %v", n, err)
	}
}

// TestPlacesOfResponses: every bad row is reported at its place, also those that are no JSON and
// those after them, and the instances of a file at theirs.
func TestPlacesOfResponses(t *testing.T) {
	row := `{"id":"a","domain_pddl":"d","problem_pddl":"p","response":"x"}`
	for _, c := range []struct {
		text string
		want []string
	}{
		{row + "\n{\"id\": \n" + row + "\n\n{\"é\":1,x}\nnonsense\n" + row + "\n[1]\n" + row, []string{
			"f:2:7: error[bad-json]: unexpected end", "f:5:8: error[bad-json]: invalid character 'x'", "f:6:2: error[bad-json]: invalid character 'o'", "f:8:1: error[wrong-json-type]"}},
		{"{\"id\":\n" + row, []string{"f:1:7: error[bad-json]"}},
		{row + "\n" + row[:20], []string{"f:2:21: error[bad-json]: unexpected end"}},
		{row + "\r\n" + row[:20] + "\r\n", []string{"f:2:21: error[bad-json]: unexpected end"}},
		{"\ufeff" + row + "\n7\n", []string{"f:2:1: error[wrong-json-type]"}},
		{"{\n \"task\": \"t1\",\n \"instances\": [\n  {\"instance_id\": 1,\n   \"llm_raw_response\": \"\"},\n  {\"instance_id\": \"../p\",\n   \"llm_raw_response\": \"\", \"correct\": 3},\n  {\"instance_id\": 2, \"llm_raw_response\": [{}]}]}", []string{
			"f:6:4: error[bad-value]: instance 2: instance_id \"../p\" is no number", "f:8:22: error[wrong-json-type]: instance 3: "}},
		{"{\n \"task\": \"t1\",\n \"instances\": [\n  {\"instance_id\": 1,,\n  }\n ]\n}", []string{"f:1:1: error[bad-json]: the text from here on is neither JSON Lines nor one JSON value: invalid character ','"}},
	} {
		_, _, err := ReadResponses(strings.NewReader(c.text), ResponseOptions{Name: "f", Domain: "d", Instances: "p%d"})
		if err == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		var got []string
		for _, line := range strings.Split(err.Error(), "\n") {
			if strings.Contains(line, "error[") {
				got = append(got, line)
			}
		}
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = strings.HasPrefix(got[i], c.want[i])
		}
		if !same {
			t.Errorf("%s\n%v\nwant %q", c.text, err, c.want)
		}
	}
}

// TestConversations: of a conversation with feedback the last answer counts, and the recorded
// verdict is that on it.
func TestConversations(t *testing.T) {
	file := `{"task":"task_1_plan_generation_backprompting","engine":"m","domain":"w","instances":[
		{"instance_id":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"first"},{"role":"user","content":"wrong"},{"role":"assistant","content":[{"type":"text","text":"second"}]}],"steps":"2","verifier_states_correct":true,"act_correct":false},
		{"instance_id":2,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"only"},{"role":"user","content":"unanswered"}],"steps":2,"correct":true},
		{"instance_id":3,"messages":[{"role":"user","content":"q"}]},
		{"instance_id":4}]}`
	rows, unanswered, err := ReadResponses(strings.NewReader(file), ResponseOptions{Domain: "d", Instances: "p%d"})
	if err != nil || unanswered != 2 || len(rows) != 2 {
		t.Fatalf("%+v, %d unanswered, %v", rows, unanswered, err)
	}
	for i, want := range []struct {
		text     string
		recorded bool
	}{{"second", false}, {"only", true}} {
		r := &rows[i]
		if r.Text != want.text || r.Recorded == nil || *r.Recorded != want.recorded || r.Query != "q" {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	for _, bad := range []string{`{"role":"assistant"}`, `[7]`, `"x"`} {
		_, _, err := ReadResponses(strings.NewReader(`{"domain_pddl":"d","problem_pddl":"p","messages":`+bad+`}`), ResponseOptions{})
		if err == nil || !strings.Contains(err.Error(), "1:39: error[wrong-json-type]: messages is no list") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzResponses(f *testing.F) {
	f.Add(`{"id":"a","engine":"e","domain_pddl":"d","problem_pddl":"p","raw_response":"x","planbench_correct":true}`)
	f.Add(`{"task":"t1","engine":"m","instances":[{"instance_id":1,"llm_raw_response":"(a)","llm_correct":false},{"instance_id":"2"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, n, err := ReadResponses(strings.NewReader(text), ResponseOptions{Domain: "d", Instances: "p%d"})
		if err != nil && (rows != nil || n != 0) {
			t.Fatal("rows with an error")
		}
	})
}

// TestSummaryScores: the summary has the means of state scores and counts the levels, of
// graded rows only.
func TestSummaryScores(t *testing.T) {
	state := func(status Status, p, r, f float64, exact bool) Row {
		return Row{Task: "s", Grade: Grade{Status: status, StateScore: &extract.StateScore{Precision: p, Recall: r, F1: f, Exact: exact}}}
	}
	level := func(status Status, s extract.VerdictScore) Row {
		return Row{Task: "v", Grade: Grade{Status: status, Levels: &s}}
	}
	rows := []Row{
		state(Right, 1, 1, 1, true), state(Wrong, 0.5, 0.25, 0.375, false), state(Status(model.KindOutage), 0, 0, 0, false),
		level(Right, extract.VerdictScore{Truth: "goal", Told: "goal", Binary: true, Type: true, Step: true, Conditions: &extract.ConditionScore{Precision: 1, Recall: 0.5, F1: 0.75}}),
		level(Wrong, extract.VerdictScore{Truth: "valid", Told: "precondition"}),
		level(Right, extract.VerdictScore{Truth: "goal", Told: "invalid", Binary: true, Conditions: &extract.ConditionScore{}}),
		level(NoAnswer, extract.VerdictScore{Truth: "goal", Told: "none", Conditions: &extract.ConditionScore{Precision: 0.5, Recall: 0.25, F1: 0.375}}),
		level(Status(model.KindOutage), extract.VerdictScore{Truth: "goal", Told: "none"}),
	}
	c := Summarise(rows, []int{1}, nil)[0]
	if want := (StateMeans{Rows: 2, Precision: 0.75, Recall: 0.625, F1: 0.6875, Exact: 1}); c.States == nil || *c.States != want {
		t.Errorf("states %+v, want %+v", c.States, want)
	}
	want := &LevelCounts{Rows: 4, Binary: 2, Type: 1, Step: 1, Conditions: &ConditionMeans{3, 0.5, 0.25, 0.375},
		Truths: []TruthCount{
			{Truth: "valid", Rows: 1, Wilson: Wilson(0, 1), Told: []ToldCount{{"precondition", 1}}},
			{Truth: "goal", Rows: 3, Right: 2, Type: 1, Wilson: Wilson(2./3, 3), Told: []ToldCount{{"goal", 1}, {"invalid", 1}, {"none", 1}}},
		}}
	got, _ := json.Marshal(c.Levels)
	if text, _ := json.Marshal(want); string(got) != string(text) {
		t.Errorf("levels %s, want %s", got, text)
	}
}

// answering is a model that always answers the same.
type answering struct {
	model.Model
	sample model.Sample
}

func (answering) Name() string                     { return "answering" }
func (answering) Capabilities() model.Capabilities { return model.Capabilities{Chat: true} }
func (m answering) Generate(context.Context, *model.Request) (*model.Response, error) {
	return &model.Response{Samples: []model.Sample{m.sample}}, nil
}

// TestNoContent: a server that sends no text gave no answer to grade; the empty text is one,
// and so is what a limit left of an answer.
func TestNoContent(t *testing.T) {
	for _, test := range []struct {
		sample model.Sample
		want   Status
	}{
		{model.Sample{NoText: true, Finish: model.FinishStop}, NoContent},
		{model.Sample{NoText: true, Finish: model.FinishLength}, Truncated},
		{model.Sample{Finish: model.FinishStop}, NoPlan},
	} {
		row, rounds, err := Ask(context.Background(), answering{sample: test.sample}, plain("plain", 1), task(t, "blocksworld:3-1"), &Settings{}, 0)
		if err != nil || row.Status != test.want || row.Rounds != 1 || len(rounds) != 1 || row.Status.Graded() != (test.want != NoContent) {
			t.Errorf("%+v: %+v, %v", test.sample, row, err)
		}
	}
}
