package prompt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/contract"
	"github.com/planproof/planproof/llmbridge/extract"
)

// TestStrictPrompts: every prompt that states the contract has a gold answer and worked examples that the
// strict reader reads, says that it is for that reader, and leaves the markers to the answer.
func TestStrictPrompts(t *testing.T) {
	ctx := context.Background()
	made, worked := map[Kind]int{}, 0
	for name, task := range promptTasks(t) {
		for _, kind := range Kinds() {
			for _, style := range []Style{StyleNL, StylePDDL, StyleCompact} {
				for _, reasoning := range []Reasoning{ReasonNone, ReasonCoT, ReasonState} {
					o := Options{Kind: kind, Style: style, Reasoning: reasoning, Answer: extract.Strict, Seed: 3}
					if reasoning != ReasonNone || kind == KindGeneralise {
						o.Shots = 1
					}
					rec, err := Make(ctx, task, o)
					if kind == KindVerification || kind == KindExecution || kind == KindUnsolvable {
						if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "contract is for plans") {
							t.Errorf("%s: %v", kind, err)
						}
						continue
					}
					if errors.Is(err, ErrOption) { // the task does not suit the kind
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					made[kind]++
					what := strings.Join([]string{name, string(kind), string(style), string(reasoning)}, " ")
					checkStrict(t, what, rec)
					worked += checkWorked(t, what, rec)
				}
			}
		}
	}
	for _, kind := range []Kind{KindGeneration, KindCostOptimal, KindReuse, KindGeneralise, KindReplanning, KindGoalShuffle, KindFullToPartial, KindPartialToFull} {
		if made[kind] < 9 {
			t.Errorf("%s: only %d prompts were made", kind, made[kind])
		}
	}
	if worked < 100 {
		t.Errorf("only %d worked examples were read", worked)
	}
}

func checkStrict(t *testing.T, what string, rec *Record) {
	t.Helper()
	_, prob := pddltest.Parse(t, rec.Domain, rec.Problem)
	x := extract.NewReader(prob.Domain, prob, extract.Strict).Extract(rec.Gold.Text)
	if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || !slices.Equal(x.Plan, rec.Gold.Plan) {
		t.Errorf("%s: the gold answer is read as %s %v %v, want %v:\n%s", what, x.Status, x.Plan, x.Malformed, rec.Gold.Plan, rec.Gold.Text)
	}
	if v, err := world.Judge(prob, x.Plan); err != nil || !v.Valid {
		t.Errorf("%s: the gold plan is not valid", what)
	}
	if rec.Reader != extract.Strict {
		t.Errorf("%s: the record is for the reader %q", what, rec.Reader)
	}
	text := strings.TrimSpace(rec.Prompt.Text)
	if strings.HasSuffix(text, "<plan>") || slices.Contains(rec.Prompt.Stop, "</plan>") {
		t.Errorf("%s: a marker of the plan is not left to the answer: stop %q, %q", what, rec.Prompt.Stop, text[max(0, len(text)-80):])
	}
	if rec.Style != StyleCompact && !strings.Contains(text, firstLine(contract.Words("<plan>", "</plan>", "", false))) {
		t.Errorf("%s: the prompt does not state the contract:\n%s", what, text)
	}
}

func firstLine(s string) string { s, _, _ = strings.Cut(s, "\n"); return s }

// checkWorked reads the answers of the prompt's worked examples, whose problems may have other objects: steps in
// PDDL are read whatever the objects, sentences only of known ones.
func checkWorked(t *testing.T, what string, rec *Record) (n int) {
	t.Helper()
	_, prob := pddltest.Parse(t, rec.Domain, rec.Problem)
	reader := extract.NewReader(prob.Domain, prob, extract.Strict)
	for _, s := range rec.Prompt.Spans {
		answer := rec.Prompt.Text[s.Start:s.End]
		if s.Kind != SpanAnswer || !strings.Contains(answer, "<plan>") {
			continue
		}
		x := reader.Extract(answer)
		if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || len(x.Plan) == 0 {
			t.Errorf("%s: a worked example is read as %s, %v:\n%s", what, x.Status, x.Malformed, answer)
		}
		n++
	}
	return n
}

// TestStrictSentences: the step of an example in words is one that the strict reader reads, and steps whose
// sentence it does not read are in PDDL.
func TestStrictSentences(t *testing.T) {
	for _, name := range []string{"blocksworld:4-17", "logistics:1-3-2-1"} {
		prob := pddltest.Load(t, name)
		r, _ := NewRendererFor(extract.Strict, prob, "")
		if r.sentence() == "" {
			t.Errorf("%s: no sentence", name)
		}
		strict := extract.NewReader(prob.Domain, prob, extract.Strict)
		for _, a := range prob.Domain.Actions {
			step := "(" + strings.ToLower(a.Name) + strings.Repeat(" "+strings.ToLower(prob.Objects[0].Name), a.NumParams) + ")"
			if x := strict.Extract("<plan>\n" + r.Step(step) + "\n</plan>"); !slices.Equal(x.Plan, []string{step}) {
				t.Errorf("%s: %q is read as %v", name, r.Step(step), x.Plan)
			}
		}
	}
}
