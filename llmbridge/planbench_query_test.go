package llmbridge

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestQueryRecord: what a prompt's last statement asks is read back as the task that its
// record has, in each kind that PlanBench tells as we do.
func TestQueryRecord(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"blocksworld:4-17", "logistics:2-2-2-1"} {
		prob := loadTask(t, name)
		for _, kind := range []TaskKind{KindVerification, KindExecution, KindReuse, KindGoalShuffle, KindFullToPartial, KindPartialToFull, KindGeneration, KindGeneralise} {
			for seed := range uint64(3) {
				if kind == KindGoalShuffle && name != "blocksworld:4-17" || kind == KindGeneralise && seed > 0 {
					continue
				}
				made := kind
				if kind == KindGeneralise {
					made = KindGeneration
				}
				rec, err := MakePrompt(ctx, PromptTask{Problem: prob, Bundled: name}, PromptOptions{Kind: made, Seed: seed})
				if err != nil {
					t.Fatalf("%s %s: %v", name, kind, err)
				}
				got, err := QueryRecord(ctx, kind, prob, rec.Prompt.Text)
				if err != nil {
					t.Errorf("%s %s: %v\n%s", name, kind, err, rec.Prompt.Text)
					continue
				}
				_, want := parseTask(t, rec.Domain, rec.Problem)
				_, have := parseTask(t, got.Domain, got.Problem)
				a, _ := GoalAtoms(want)
				b, _ := GoalAtoms(have)
				sortFacts(a)
				sortFacts(b)
				if unsaid := gained(a, b); !slices.Equal(a, gained(unsaid, b)) || len(gained(initialFacts(prob), unsaid)) > 0 {
					t.Errorf("%s %s: goal %v, want %v", name, kind, b, a)
				}
				if g := got.Gold; g != nil && (!slices.Equal(g.Candidate, rec.Gold.Candidate) || !slices.Equal(g.State, rec.Gold.State) || g.Verdict != nil && g.Verdict.Class() != rec.Gold.Verdict.Class()) {
					t.Errorf("%s %s: %+v, want %+v", name, kind, g, rec.Gold)
				}
			}
		}
	}
}

// TestQueryEvent: the task of a replanning query begins after the event.
func TestQueryEvent(t *testing.T) {
	prob := loadTask(t, "blocksworld:3-5") // b on c on a
	r, _ := NewRenderer(prob, "")
	query := func(step, became, ceased string) string {
		return "[STATEMENT]\nAs initial conditions I have that, " + r.State(initialFacts(prob)) + ".\nMy goal is to have that " + r.Goal() + ".\nMy plan is as follows:\n\n[PLAN]\n" +
			r.Plan([]string{"(unstack b c)", "(put-down b)"}) + "[PLAN END]\n\nThen after executing the action \"x\" at step " + step + " in the plan, facts became true: " + became + "\nfacts became false: " + ceased + "\nNow?\n[PLAN]"
	}
	became, ceased := r.State([]string{"(on b c)", "(handempty)", "(clear b)"}), r.State([]string{"(holding b)", "(clear c)"})
	rec, err := QueryRecord(context.Background(), KindReplanning, prob, query("1", became, ceased))
	if err != nil {
		t.Fatal(err)
	}
	if _, got := parseTask(t, rec.Domain, rec.Problem); !slices.Equal(initialFacts(got), initialFacts(prob)) {
		t.Errorf("begins at %v, want %v", initialFacts(got), initialFacts(prob))
	}
	for step, want := range map[string]string{"0": "after no step", "3": "after no step", "x": "tells no event"} {
		if _, err := QueryRecord(context.Background(), KindReplanning, prob, query(step, became, ceased)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("step %s: %v", step, err)
		}
	}
}

// TestQueryOfAnotherInstance: an answer is not graded on an instance that its query is not
// about, nor on words that nobody can read.
func TestQueryOfAnotherInstance(t *testing.T) {
	prob, other := loadTask(t, "blocksworld:4-17"), loadTask(t, "blocksworld:4-9")
	text := func(p *pddl.Problem) string {
		r, _ := NewRenderer(p, "")
		return "[STATEMENT]\nAs initial conditions I have that, " + r.State(initialFacts(p)) + ".\nMy goal is to have that " + r.Goal() + ".\n"
	}
	for _, c := range []struct {
		kind        TaskKind
		query, want string
	}{
		{KindGeneration, text(other), "not that of the instance"},
		{KindGeneralise, text(other), "not that of the instance"},
		{KindGeneration, "Here is PDDL.", ""},
		{KindGeneration, "[STATEMENT]\nAs initial conditions I have that, grue, bleen.\n", ""},
		{KindReuse, "Here is PDDL.", "no [STATEMENT]"},
		{KindReuse, "[STATEMENT]\nAs initial conditions I have that, grue, bleen.\n", "in words that are known"},
		{KindReuse, strings.Replace(text(prob), "My goal", "Her goal", 1), "tells no goal"},
		{KindVerification, text(prob), "has no [PLAN]"},
		{KindVerification, text(prob) + "[PLAN]\ndance\n[PLAN END]\n", "steps cannot be read"},
		{KindExecution, text(prob) + "[ACTION SEQUENCE]\nput down the red block\nput down the red block\n[ACTION SEQUENCE END]\n", "cannot be executed"},
	} {
		_, err := QueryRecord(context.Background(), c.kind, prob, c.query)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %q: %v, want %q", c.kind, c.query, err, c.want)
		}
	}
}
