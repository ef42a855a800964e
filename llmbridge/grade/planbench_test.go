package grade

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// TestQueryRecord: what a prompt's last statement asks is read back as the task that its
// record has, in each kind that PlanBench tells as we do.
func TestQueryRecord(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"blocksworld:4-17", "logistics:2-2-2-1"} {
		prob := pddltest.Load(t, name)
		for _, kind := range []prompt.Kind{prompt.KindVerification, prompt.KindExecution, prompt.KindReuse, prompt.KindGoalShuffle, prompt.KindFullToPartial, prompt.KindPartialToFull, prompt.KindGeneration, prompt.KindGeneralise} {
			for seed := range uint64(3) {
				if kind == prompt.KindGoalShuffle && name != "blocksworld:4-17" || kind == prompt.KindGeneralise && seed > 0 {
					continue
				}
				made := kind
				if kind == prompt.KindGeneralise {
					made = prompt.KindGeneration
				}
				rec, err := prompt.Make(ctx, prompt.Task{Problem: prob, Bundled: name}, prompt.Options{Kind: made, Seed: seed})
				if err != nil {
					t.Fatalf("%s %s: %v", name, kind, err)
				}
				got, err := QueryRecord(ctx, kind, prob, rec.Prompt.Text)
				if err != nil {
					t.Errorf("%s %s: %v\n%s", name, kind, err, rec.Prompt.Text)
					continue
				}
				_, want := pddltest.Parse(t, rec.Domain, rec.Problem)
				_, have := pddltest.Parse(t, got.Domain, got.Problem)
				a, _ := prompt.GoalAtoms(want)
				b, _ := prompt.GoalAtoms(have)
				atomtext.Sort(a)
				atomtext.Sort(b)
				if unsaid := atomtext.Gained(a, b); !slices.Equal(a, atomtext.Gained(unsaid, b)) || len(atomtext.Gained(atomtext.Initial(prob), unsaid)) > 0 {
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
	prob := pddltest.Load(t, "blocksworld:3-5") // b on c on a
	r, _ := prompt.NewRenderer(prob, "")
	query := func(step, became, ceased string) string {
		return "[STATEMENT]\nAs initial conditions I have that, " + r.State(atomtext.Initial(prob)) + ".\nMy goal is to have that " + r.Goal() + ".\nMy plan is as follows:\n\n[PLAN]\n" +
			r.Plan([]string{"(unstack b c)", "(put-down b)"}) + "[PLAN END]\n\nThen after executing the action \"x\" at step " + step + " in the plan, facts became true: " + became + "\nfacts became false: " + ceased + "\nNow?\n[PLAN]"
	}
	became, ceased := r.State([]string{"(on b c)", "(handempty)", "(clear b)"}), r.State([]string{"(holding b)", "(clear c)"})
	rec, err := QueryRecord(context.Background(), prompt.KindReplanning, prob, query("1", became, ceased))
	if err != nil {
		t.Fatal(err)
	}
	if _, got := pddltest.Parse(t, rec.Domain, rec.Problem); !slices.Equal(atomtext.Initial(got), atomtext.Initial(prob)) {
		t.Errorf("begins at %v, want %v", atomtext.Initial(got), atomtext.Initial(prob))
	}
	for step, want := range map[string]string{"0": "does not follow a step", "3": "does not follow a step", "x": "states no event"} {
		if _, err := QueryRecord(context.Background(), prompt.KindReplanning, prob, query(step, became, ceased)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("step %s: %v", step, err)
		}
	}
}

// TestQueryOfAnotherInstance: an answer is not graded on an instance that its query is not
// about, nor on words that nobody can read.
func TestQueryOfAnotherInstance(t *testing.T) {
	prob, other := pddltest.Load(t, "blocksworld:4-17"), pddltest.Load(t, "blocksworld:4-9")
	text := func(p *pddl.Problem) string {
		r, _ := prompt.NewRenderer(p, "")
		return "[STATEMENT]\nAs initial conditions I have that, " + r.State(atomtext.Initial(p)) + ".\nMy goal is to have that " + r.Goal() + ".\n"
	}
	for _, c := range []struct {
		kind        prompt.Kind
		query, want string
	}{
		{prompt.KindGeneration, text(other), "not that of the instance"},
		{prompt.KindGeneralise, text(other), "not that of the instance"},
		{prompt.KindGeneration, "Here is PDDL.", ""},
		{prompt.KindGeneration, "[STATEMENT]\nAs initial conditions I have that, grue, bleen.\n", ""},
		{prompt.KindReuse, "Here is PDDL.", "no [STATEMENT]"},
		{prompt.KindReuse, "[STATEMENT]\nAs initial conditions I have that, grue, bleen.\n", "in words that can be read"},
		{prompt.KindReuse, strings.Replace(text(prob), "My goal", "Her goal", 1), "states no goal"},
		{prompt.KindVerification, text(prob), "has no [PLAN]"},
		{prompt.KindVerification, text(prob) + "[PLAN]\ndance\n[PLAN END]\n", "steps cannot be read"},
		{prompt.KindExecution, text(prob) + "[ACTION SEQUENCE]\nput down the red block\nput down the red block\n[ACTION SEQUENCE END]\n", "cannot be executed"},
	} {
		_, err := QueryRecord(context.Background(), c.kind, prob, c.query)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %q: %v, want %q", c.kind, c.query, err, c.want)
		}
	}
}
