package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// judged is the verdict on an answer, made from the parts and not by the oracle.
func judged(t testing.TB, prob *pddl.Problem, answer string) *validator.Verdict {
	t.Helper()
	judge, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := extract.NewReader(prob.Domain, prob, extract.Natural).Extract(answer)
	v, _ := judge.ValidateText(pddl.NewSource("plan", x.PlanText()), judge.NewScratch())
	return v
}

func content(t testing.TB, value any) string {
	t.Helper()
	list := value.([]any)
	if len(list) != 1 || list[0].(map[string]any)["role"] != "assistant" {
		t.Fatalf("%v is not one message of the assistant", value)
	}
	return list[0].(map[string]any)["content"].(string)
}

// Pairs made without responses: the chosen answer is valid, the rejected one is not, and
// that of CA-DPO is valid but for the constraints.
func TestSyntheticPairs(t *testing.T) {
	for _, style := range []prompt.Options{{}, {Style: prompt.StylePDDL}, {Shots: 1}, {PlanTags: true, System: "think"}} {
		records := testRecords(t, style)
		byID := map[string]*Record{}
		for _, r := range records {
			byID[r.ID] = r
		}
		for format, least := range map[string]int{"trl-dpo": 2 * DefaultMutants, "trl-ca-dpo": 1} {
			m := &Manifest{Options: Settings{Style: string(style.Style), PlanTags: style.PlanTags}}
			rows := readRows(t, format, write(t, format, m, records...))
			if len(rows) < least {
				t.Errorf("%s, %+v: %d pairs", format, style, len(rows))
			}
			for _, row := range rows {
				var meta struct{ ID, Rejected string }
				if err := json.Unmarshal([]byte(row["meta"].(string)), &meta); err != nil {
					t.Fatal(err)
				}
				prob, err := byID[meta.ID].parseTask()
				if err != nil {
					t.Fatal(err)
				}
				begin := ""
				if style.Shots > 0 { // the prompt ends in the beginning of the answer
					begin = "[PLAN]\n"
				}
				good, bad := begin+content(t, row["chosen"]), begin+content(t, row["rejected"])
				if v := judged(t, prob, good); !v.Valid {
					t.Errorf("%s: the chosen answer is invalid:\n%s", format, good)
				}
				v := judged(t, prob, bad)
				if v.Valid || v.Failure.Kind == validator.FailSyntax {
					t.Errorf("%s: the rejected answer is no invalid plan:\n%s", format, bad)
				}
				if format != "trl-ca-dpo" {
					continue
				}
				free, err := domains.Unrestricted(prob)
				if err != nil {
					t.Fatal(err)
				}
				if v := judged(t, free, bad); !v.Valid || meta.Rejected != "constraints" {
					t.Errorf("the rejected answer (%s) is wrong without the constraints, too:\n%s", meta.Rejected, bad)
				}
			}
		}
	}
}

func TestMutantsDiffer(t *testing.T) {
	plan := []string{"(a x)", "(b x y)", "(a x)", "(c)"}
	list := mutants(plan, []string{"x", "y", "z"}, rand.New(rand.NewPCG(1, 2)))
	seen := map[string]bool{fmt.Sprint(plan): true}
	ways := map[string]int{}
	for _, m := range list {
		if key := fmt.Sprint(m.steps); seen[key] {
			t.Errorf("%s comes twice: %v", m.origin, m.steps)
		} else {
			seen[key] = true
		}
		ways[strings.Fields(m.origin)[0]]++
	}
	if ways["drop"] < 3 || ways["swap"] < 2 || ways["object"] < 3 {
		t.Errorf("ways to spoil %v: %v", plan, ways)
	}
	if again := mutants(plan, []string{"x", "y", "z"}, rand.New(rand.NewPCG(1, 2))); fmt.Sprint(list) != fmt.Sprint(again) {
		t.Error("the same seed gives other mutants")
	}
	if none := mutants([]string{"(c)"}, nil, rand.New(rand.NewPCG(1, 2))); len(none) != 1 || len(none[0].steps) != 0 {
		t.Errorf("of one step without objects: %v", none)
	}
}

// A step's label is whether the judge executes it.
func TestPRMLabels(t *testing.T) {
	records := testRecords(t, prompt.Options{Style: prompt.StylePDDL})
	good, bad, early := 0, 0, 0
	for _, row := range readRows(t, "trl-prm", write(t, "trl-prm", pddlManifest(TrainerOptions{Mutants: 12}), records...)) {
		r := records[0]
		if strings.Contains(row["meta"].(string), `"r2"`) {
			r = records[1]
		}
		prob, err := r.parseTask()
		if err != nil {
			t.Fatal(err)
		}
		var steps []string
		for _, s := range row["completions"].([]any) {
			steps = append(steps, s.(string))
		}
		labels := row["labels"].([]any)
		if len(labels) != len(steps) || steps[len(steps)-1] != "[PLAN END]" {
			t.Fatalf("%d labels for %v", len(labels), steps)
		}
		judge, _ := validator.NewJudge(prob, validator.Options{})
		v := judgeSteps(judge, steps[:len(steps)-1])
		for i, l := range labels[:len(labels)-1] {
			if l.(bool) != (i < v.Executed) {
				t.Errorf("step %d of %v: %v", i+1, steps, l)
			}
			if l.(bool) {
				good++
			} else {
				bad++
			}
		}
		if labels[len(labels)-1].(bool) != v.Valid {
			t.Errorf("the end of %v: %v", steps, labels[len(labels)-1])
		}
		if !v.Valid && v.Executed == v.Steps {
			early++
		}
	}
	if good == 0 || bad == 0 || early == 0 {
		t.Errorf("%d right and %d wrong steps, %d plans that end early: too few to tell", good, bad, early)
	}
	j, err := newStepJudge(context.Background(), bundled(t, "blocksworld:3-5"), ExecutableSteps, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := j.label([]string{"(unstack b c)", "(put-down b", "(pick-up b)"}, false)
	if err != nil || fmt.Sprint(labels) != "[true false false false]" {
		t.Errorf("labels around a malformed step: %v, %v", labels, err)
	}
}

func responses(t testing.TB, text string) *Responses {
	t.Helper()
	x, err := ReadResponses(strings.NewReader(text), "responses.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Responses of a model, in all forms that rows have; what rows claim does not count.
func TestPairsOfResponses(t *testing.T) {
	records := testRecords(t, prompt.Options{Style: prompt.StylePDDL})
	free, _ := domains.Unrestricted(bundled(t, "blocksworld:4-3"))
	breaking := "[PLAN]\n" + strings.Join(optimalPlan(t, free), "\n") + "\n[PLAN END]"
	quote := func(s string) string { return mustJSON(s) }
	x := responses(t, strings.Join([]string{
		`{"id":"r1","response":` + quote(records[0].Answer) + `,"status":"invalid","reward":0}`,
		`{"task":` + quote(records[0].Task) + `,"completion":[{"role":"assistant","content":"[PLAN]\n(pick-up a)\n[PLAN END]"}]}`,
		`{"domain_text":` + quote(records[0].DomainText) + `,"problem_text":` + quote(records[0].ProblemText) + `,"response":` + quote(breaking) + `,"unconstrained":true}`,
		`{"id":"r2","response":[` + quote(records[1].Answer) + `,"I do not know."]}`,
		`{"id":"r2","extracted":"(pick-up a)\n(put-down a","status":"valid","reward":1}`,
		`{"id":"r2","extracted":"","status":"no-plan","reward":0}`,
	}, "\n"))
	if x.Empty != 1 || x.unused() == nil {
		t.Errorf("%d rows without a plan; unused: %v", x.Empty, x.unused())
	}
	m := pddlManifest(TrainerOptions{Responses: x, Text: true})
	var pairs []string
	for _, row := range readRows(t, "trl-dpo", write(t, "trl-dpo", m, records...)) {
		var meta struct{ ID, Chosen, Rejected string }
		if err := json.Unmarshal([]byte(row["meta"].(string)), &meta); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, meta.ID+": "+meta.Chosen+" > "+meta.Rejected)
		if meta.Rejected == "line 5" && row["rejected"] != "[PLAN]\n(pick-up a)\n(put-down a\n[PLAN END]\n" {
			t.Errorf("a malformed plan became %q", row["rejected"])
		}
	}
	want := "r1: line 1 > line 2, r2: line 4, 1 > line 4, 2, r2: line 4, 1 > line 5"
	alternative := "r1: line 1 > line 2, r2: line 4, 1 > line 5, r2: line 4, 1 > line 4, 2"
	if got := strings.Join(pairs, ", "); got != want && got != alternative {
		t.Errorf("pairs: %s", got)
	}
	if err := x.unused(); err != nil {
		t.Errorf("unused: %v", err)
	}
	rows := readRows(t, "trl-ca-dpo", write(t, "trl-ca-dpo", m, records...))
	if len(rows) != 1 || rows[0]["rejected"] != breaking {
		t.Errorf("CA-DPO pairs: %v", rows)
	}
	if rows := readRows(t, "trl-kto", write(t, "trl-kto", m, records...)); len(rows) != 6 {
		t.Errorf("%d rows for KTO", len(rows))
	}
}

func TestBadResponses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "f:",
		`{"id":"a"}`:                      "f:1:1: error[missing-member]: the row has no response",
		`{"id":"a","response":[]}`:        "f:1:11: error[missing-member]: the row has no response",
		`{"response":"x"}`:                "f:1:1: error[missing-member]: the row says neither",
		"\n{\"id\":\"a\",\"response\":7}": "f:2:11: error[wrong-json-type]: ",
		`[1]`:                             "f:1:1: error[wrong-json-type]: not a JSON object",
		`{"id":"a","response":"x"`:        "f:1:25: error[bad-json]: ",
		`{"id":"a","response":"x","unconstrained":"yes"}`: "f:1:26: error[wrong-json-type]: unconstrained is a JSON string",
	} {
		if _, err := ReadResponses(strings.NewReader(text), "f"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	x := responses(t, `{"id":"nobody","response":"x"}`)
	if err := x.unused(); err == nil || err.Error() != "responses.jsonl:1: the data set has no such prompt" {
		t.Errorf("unused: %v", err)
	}
}

// Answers that track the state are no form for other plans.
func TestNoFormForOtherPlans(t *testing.T) {
	r := recordOf(t, "r", bundled(t, "blocksworld:3-5"), prompt.Options{Reasoning: prompt.ReasonState})
	f, err := FindFormat("trl-dpo")
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.New(new(strings.Builder), Train, &Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Make(context.Background(), r); err == nil || !strings.Contains(err.Error(), "--reasoning state") {
		t.Errorf("the error is %v", err)
	}
}

// Task sets are read by the oracle, whose environments show the prompt and nothing of the
// gold answer.
func TestTaskSetsAreTasks(t *testing.T) {
	records := testRecords(t, prompt.Options{System: "think"})
	for _, format := range []string{"verifiers", "openenv", "jsonl"} {
		set, err := oracle.ReadTasks(strings.NewReader(string(write(t, format, &Manifest{}, records...))), format, ".")
		if err != nil {
			t.Fatal(format, err)
		}
		o, err := oracle.New(oracle.Options{Tasks: set})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records {
			if found := set.Find(r.Task); found == nil || found != set.Find(r.ID) || fmt.Sprint(found.Plan) != fmt.Sprint(r.Gold.Plan) {
				t.Fatalf("%s: task %d is not found as it was written", format, i)
			}
			e, start, err := o.Reset(context.Background(), oracle.EnvPlanOnce, []byte(`{"task":"`+r.ID+`"}`))
			if err != nil {
				t.Fatal(format, err)
			}
			text := mustJSON(start)
			if start.Observation.Prompt != r.Prompt || format != "jsonl" && start.Observation.System != r.System {
				t.Errorf("%s: the environment shows %s", format, text)
			}
			for _, s := range append([]string{"gold", "optimal"}, r.Gold.Plan...) {
				if strings.Contains(text, s) {
					t.Errorf("%s: the environment shows %q: %s", format, s, text)
				}
			}
			action, _ := json.Marshal(map[string]string{"plan": "<think></think>" + r.Answer})
			end, err := e.Step(context.Background(), action)
			if err != nil || end.Reward == nil || *end.Reward != 1 {
				t.Errorf("%s: the gold answer earns %+v, %v", format, end, err)
			}
		}
	}
}

// A file of responses is read or refused with its lines, never a panic; what is read has a
// text or a plan.
func FuzzReadResponses(f *testing.F) {
	f.Add(`{"id":"r1","response":"[PLAN]"}` + "\n" + `{"task":"t","completion":[{"role":"assistant","content":"x"}]}`)
	f.Add(`{"id":7,"response":["a","b"],"kl":1e3,"finish":"length","unconstrained":true}`)
	f.Add(`{"id":"r","extracted":"(a b)\n(c"}`)
	f.Add("\xef\xbb\xbf[]\n\n{")
	f.Fuzz(func(t *testing.T, text string) {
		x, err := ReadResponses(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		for _, r := range x.rows {
			if r.plan != nil && r.candidate.text != "" {
				t.Fatalf("line %d has a text and a plan", r.line)
			}
		}
	})
}
