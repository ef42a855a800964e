package grade

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

func gradedRecord(t testing.TB, o prompt.Options) *prompt.Record {
	t.Helper()
	name := "blocksworld:3-5"
	rec, err := prompt.Make(context.Background(), prompt.Task{ID: name, Problem: pddltest.Load(t, name), Bundled: name}, o)
	if err != nil {
		t.Fatal(err)
	}
	back, err := prompt.ReadRecord([]byte(pddltest.JSON(rec)))
	if err != nil || pddltest.JSON(back) != pddltest.JSON(rec) {
		t.Fatalf("a record is read back as another: %v", err)
	}
	return back
}

// TestGrade: the gold answer of each kind is correct, with chat around it too, and other
// answers are not.
func TestGrade(t *testing.T) {
	tight := costmodel.BudgetSpec{Level: costmodel.Tight}
	for _, kind := range prompt.Kinds() {
		if kind == prompt.KindGeneralise {
			continue // graded as generation
		}
		o := prompt.Options{Kind: kind, Seed: 2}
		if kind == prompt.KindGeneration {
			o.Budget = &tight
		}
		rec := gradedRecord(t, o)
		g, err := NewGrader(rec)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range []string{rec.Gold.Text, "<think>Let me see. (pick-up a)</think>\n" + rec.Gold.Text} {
			if x := g.Grade(answer); !x.Correct {
				t.Errorf("%s: %q is wrong: %+v", kind, answer, x)
			}
		}
		for _, answer := range []string{"", "I do not know.", "[PLAN]\npick up the red block\n[PLAN END]\n", "[PLAN]\n[PLAN END]\n", "the plan is fine"} {
			if x := g.Grade(answer); x.Correct {
				t.Errorf("%s: %q is correct: %+v", kind, answer, x)
			}
		}
	}
}

// TestGradeCosts: a valid plan that is too dear is not correct.
func TestGradeCosts(t *testing.T) {
	rec := gradedRecord(t, prompt.Options{Kind: prompt.KindCostOptimal})
	g, err := NewGrader(rec)
	if err != nil {
		t.Fatal(err)
	}
	detour := "[PLAN]\nunstack the blue block from on top of the orange block\nstack the blue block on top of the orange block\n" + strings.TrimPrefix(rec.Gold.Text, "[PLAN]\n")
	x := g.Grade(detour)
	if x.Correct || x.Verdict == nil || !x.Verdict.Valid || x.StatedCost != rec.Gold.Cost {
		t.Errorf("%q: %+v", detour, x)
	}
	amount := costmodel.BudgetSpec{Level: costmodel.Explicit, Amount: pddl.Int(1)}
	rec = gradedRecord(t, prompt.Options{Budget: &amount})
	if g, err = NewGrader(rec); err != nil {
		t.Fatal(err)
	}
	if x := g.Grade(rec.Gold.Text); x.Correct || !x.Verdict.Valid {
		t.Errorf("a plan beyond the budget: %+v", x)
	}
	for text, want := range map[string]string{"The total time to execute the plan is 12 minutes.": "12", "**7** minutes": "7", "1.5 Minutes, no: 2 minutes": "2", "minutes": "", "x minutes": "", "": ""} {
		if got := statedCost(text); got != want {
			t.Errorf("%q states %q, want %q", text, got, want)
		}
	}
}

func TestGraderRefuses(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"kind":"generation"}`, `{"kind":"generation","domain_text":"(define","problem_text":"x"}`} {
		rec, err := prompt.ReadRecord([]byte(text))
		if err == nil {
			_, err = NewGrader(rec)
		}
		if err == nil {
			t.Errorf("%q makes a grader", text)
		}
	}
	for _, kind := range []prompt.Kind{prompt.KindVerification, prompt.KindExecution, prompt.KindCostOptimal, prompt.KindUnsolvable} {
		rec := gradedRecord(t, prompt.Options{Kind: kind, Seed: 2})
		rec.Gold = nil
		if _, err := NewGrader(rec); !errors.Is(err, prompt.ErrOption) {
			t.Errorf("%s without gold: %v", kind, err)
		}
	}
	rec := gradedRecord(t, prompt.Options{})
	rec.Budget = "much"
	if _, err := NewGrader(rec); !errors.Is(err, prompt.ErrOption) {
		t.Errorf("a budget of much: %v", err)
	}
}

// FuzzGrade: grading never panics and is a function of the answer.
func FuzzGrade(f *testing.F) {
	var graders []*Grader
	for _, kind := range []prompt.Kind{prompt.KindCostOptimal, prompt.KindVerification, prompt.KindExecution} {
		rec := gradedRecord(f, prompt.Options{Kind: kind, Seed: 2})
		g, err := NewGrader(rec)
		if err != nil {
			f.Fatal(err)
		}
		graders = append(graders, g)
		f.Add(rec.Gold.Text)
	}
	f.Add(`{"tool_calls":[{"function":{"name":"stack","arguments":"{\"block\":\"a\",\"under\":\"b\"}"}}]}`)
	f.Add(`{"valid":false,"unmet":["(clear b)"]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		g := graders[len(answer)%len(graders)]
		x, y := g.Grade(answer), g.Grade(answer)
		if x.Correct != y.Correct || pddltest.JSON(x) != pddltest.JSON(y) {
			t.Fatalf("%s: graded twice, differently", x.Kind)
		}
	})
}
