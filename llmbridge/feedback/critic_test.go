package feedback

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/constrain"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

func critic(t testing.TB, p *pddl.Problem, o Options) *Critic {
	t.Helper()
	c, err := NewCritic(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFeedbackWords compares paragraphs as a whole.
func TestFeedbackWords(t *testing.T) {
	blocks := pddltest.Load(t, "blocksworld:4-17")
	_, fuel := pddltest.Parse(t, pddltest.FuelDomain, strings.Replace(pddltest.FuelProblem, "(= (visits c) 0)", "(= (visits c) 0) (= (visits b) 0)", 1))
	_, adl := pddltest.Parse(t, pddltest.ADLDomain, pddltest.ADLProblem)
	const wrong = "(unstack b c)\n(stack b d)\n(pick-up a)\n(fly b)\n"
	for _, tt := range []struct {
		name string
		p    *pddl.Problem
		o    Options
		plan string
		want string
	}{
		{"valid", blocks, Options{Level: LevelHint}, "(unstack b c) (stack b a) (unstack c d) (put-down c) (pick-up d) (stack d c) (unstack b a) (stack b d) (pick-up a) (stack a b)",
			"Your plan is valid."},
		{"binary", blocks, Options{Level: LevelBinary}, wrong, "Your plan is not valid."},
		{"first", blocks, Options{}, wrong,
			"Your plan is not valid. Step 2, stack the blue block on top of the yellow block, cannot be carried out: it does not hold that the yellow block is clear."},
		{"first, pddl", blocks, Options{Style: prompt.StylePDDL}, wrong,
			"Your plan is not valid. Step 2, (stack b d), cannot be carried out: it does not hold that (clear d)."},
		{"all", blocks, Options{Level: LevelAll}, wrong,
			"Your plan is not valid. Step 2, stack the blue block on top of the yellow block, cannot be carried out: it does not hold that the yellow block is clear." +
				" Step 3, pick up the red block, cannot be carried out: it does not hold that the hand is empty (last changed by step 1, unstack the blue block from on top of the orange block)." +
				" Step 4, (fly b), cannot be carried out: there is no action fly." +
				" After the last step the goal is not reached: these do not hold: the red block is on top of the blue block; the blue block is on top of the yellow block; the orange block is on the table; the yellow block is on top of the orange block." +
				" (Steps that cannot be carried out were left out to see what follows.)"},
		{"all, goal reached", blocks, Options{Level: LevelAll, Style: prompt.StylePDDL}, "(fly) (unstack b c) (stack b a) (unstack c d) (put-down c) (pick-up d) (stack d c) (unstack b a) (stack b d) (pick-up a) (stack a b)",
			"Your plan is not valid. Step 1, (fly), cannot be carried out: there is no action fly. The rest of the plan reaches the goal."},
		{"hint", blocks, Options{Level: LevelHint}, wrong,
			"Your plan is not valid. Step 2, stack the blue block on top of the yellow block, cannot be carried out: it does not hold that the yellow block is clear." +
				" Its first step can stay. From there 9 more steps are enough; the next could be: stack the blue block on top of the red block."},
		{"last step", blocks, Options{Level: LevelHint, Style: prompt.StylePDDL}, "(unstack b c) (stack b a) (unstack c d) (put-down c) (pick-up d) (stack d c) (unstack b a) (stack b d) (pick-up a)",
			"Your plan is not valid. After the last step the goal is not reached: it does not hold that (on a b)." +
				" Its first 9 steps can stay. From there one more step is enough, a kind of stack."},
		{"revealed", blocks, Options{Level: LevelHint, Style: prompt.StylePDDL, Reveal: true}, "(unstack b c) (stack b a) (unstack c d) (put-down c) (pick-up d) (stack d c) (unstack b a) (stack b d)",
			"Your plan is not valid. After the last step the goal is not reached: it does not hold that (on a b)." +
				" Its first 8 steps can stay. From there this reaches the goal: (pick-up a), then (stack a b)."},
		{"too long", blocks, Options{Level: LevelHint, Style: prompt.StylePDDL}, "(unstack b c) (stack b a) (unstack c d) (put-down c) (pick-up d) (stack d c) (unstack b a) (stack b d) (pick-up a) (stack a b) (stack a b)",
			"Your plan is not valid. Step 11, (stack a b), cannot be carried out: these do not hold: (holding a) (last changed by step 10, (stack a b)); (clear b) (last changed by step 10, (stack a b))." +
				" Its first 10 steps can stay. They reach the goal: leave out the rest."},
		{"comparison", fuel, Options{}, "(drive a b) (drive b c) (drive c b) (drive b a)",
			"Your plan is not valid. Step 4, drive b a, cannot be carried out: it does not hold that the value of fuel is at least the value of need b a (fuel is 0.5, need b a is 3, not since step 2, drive b c)."},
		{"prohibition", adl, Options{}, "(build base r1)",
			"Your plan is not valid. Step 1, build base r1, cannot be carried out: it must not hold, but does, that door base r1."},
		{"quantifier", adl, Options{}, "(rain) (build base r2)",
			"Your plan is not valid. Step 2, build base r2, cannot be carried out: it does not hold that if wet box, then held box (last changed by step 1, rain)."},
		{"unreadable", blocks, Options{}, "(unstack b c", "Your plan is not valid. It cannot be read: line 1, column 1: this step is not closed."},
	} {
		c := critic(t, tt.p, tt.o)
		for range 2 {
			f, err := c.CriticiseText(context.Background(), pddl.NewSource("plan", tt.plan))
			if err != nil {
				t.Fatal(err)
			}
			if f.Text != tt.want {
				t.Errorf("%s:\n%s\nwant\n%s", tt.name, f.Text, tt.want)
			}
		}
	}
}

var stepInText = regexp.MustCompile(`\([a-z][^()]*\)`)

// TestFeedbackHintLeaks: after the first error a hint names at most one step, the first of
// the completion, and none where that would be the whole rest of a plan.
func TestFeedbackHintLeaks(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"blocksworld:3-5", "blocksworld:4-17", "gripper:1", "elevator:3-2-1-1"} {
		p := pddltest.Load(t, name)
		c := critic(t, p, Options{Level: LevelHint, Style: prompt.StylePDDL})
		open := critic(t, p, Options{Level: LevelHint, Style: prompt.StylePDDL, Reveal: true})
		m, err := constrain.NewMasker(ctx, p, constrain.MaskOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(41, 42))
		for range 150 {
			var b strings.Builder
			st := m.Start()
			for range rng.IntN(8) { // a beginning that can be executed, and then anything
				next, _ := m.Actions(st)
				step := next[rng.IntN(len(next))]
				st, _ = m.Step(st, step)
				b.WriteString(step + "\n")
			}
			drawPlan(rng, p, &b)
			src := pddl.NewSource("plan", b.String())
			f, err := c.CriticiseText(ctx, src)
			if err != nil {
				t.Fatal(err)
			}
			if f.Valid {
				continue
			}
			whole, err := open.CriticiseText(ctx, src)
			if err != nil {
				t.Fatal(err)
			}
			var rest []string
			for _, e := range whole.Hint.Script {
				if e.Op == EditInsert {
					rest = append(rest, e.Action)
				}
			}
			tail := strings.SplitN(f.Text, f.Errors[0].Text, 2)[1]
			told := stepInText.FindAllString(tail, -1)
			switch {
			case len(rest) < 2 && len(told) > 0, len(rest) >= 2 && !slices.Equal(told, rest[:1]):
				t.Fatalf("%s: completion %v, but told\n%s", name, rest, f.Text)
			}
			if f.Hint.Plan != nil || f.Hint.Script != nil {
				t.Fatalf("%s: the plan is in the hint: %+v", name, f.Hint)
			}
			if tail = strings.SplitN(whole.Text, whole.Errors[0].Text, 2)[1]; !slices.Equal(stepInText.FindAllString(tail, -1), rest) {
				t.Fatalf("%s: revealed %v as\n%s", name, rest, whole.Text)
			}
		}
	}
}

// TestFeedbackAll: the errors are the steps that cannot be executed when those before them
// are left out, found by the masker, and the goal if it is unmet at the end.
func TestFeedbackAll(t *testing.T) {
	ctx := context.Background()
	for name, p := range repairTasks(t) {
		c := critic(t, p, Options{Level: LevelAll})
		m, err := constrain.NewMasker(ctx, p, constrain.MaskOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(51, 52))
		for range 100 {
			var b strings.Builder
			drawPlan(rng, p, &b)
			f, err := c.CriticiseText(ctx, pddl.NewSource("plan", b.String()))
			if err != nil {
				t.Fatal(err)
			}
			var want []int
			st := m.Start()
			for i, step := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
				if step == "" {
					continue
				}
				if next, err := m.Step(st, step); err == nil {
					st = next
				} else {
					want = append(want, i+1)
				}
			}
			if goal, _ := m.GoalHolds(st); !goal {
				want = append(want, 0)
			}
			var got []int
			for _, e := range f.Errors {
				got = append(got, e.Step)
				if !strings.Contains(f.Text, e.Text) {
					t.Fatalf("%s: %q is not told", name, e.Text)
				}
			}
			if len(want) > maxFeedbackErrors {
				want = want[:maxFeedbackErrors]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: errors at %v, not %v\n%s\n%s", name, got, want, b.String(), f.Text)
			}
		}
	}
}

func TestFeedbackRefusals(t *testing.T) {
	ctx := context.Background()
	p := pddltest.Load(t, "blocksworld:3-1")
	for _, o := range []Options{{Level: "some"}, {Style: "verse"}, {Templates: "nowhere"}} {
		if _, err := NewCritic(ctx, p, o); !errors.Is(err, prompt.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	// Without a hint for want of time the error is told all the same.
	c := critic(t, p, Options{Level: LevelHint, Limits: search.Limits{Nodes: 1}})
	f, err := c.CriticiseText(ctx, pddl.NewSource("plan", "(pick-up b)"))
	if err != nil || f.Hint == nil || f.Hint.Status != ProposalLimit || len(f.Errors) != 1 || !strings.HasSuffix(f.Text, f.Errors[0].Text) {
		t.Errorf("limit: %+v, %v", f, err)
	}
	// Steps at one time have no beginning to complete; the second is left out to see what follows.
	f, err = critic(t, p, Options{Level: LevelAll}).CriticiseText(ctx, pddl.NewSource("plan", "1: (unstack a b)\n1: (unstack a b)"))
	if err != nil || len(f.Errors) != 2 || f.Errors[0].Kind != validator.FailMutex || f.Errors[1].Kind != validator.FailGoal {
		t.Errorf("one time: %+v, %v", f, err)
	}
	if f, err = c.CriticiseText(ctx, pddl.NewSource("plan", "1: (unstack a b)\n1: (unstack a b)")); err != nil || f.Hint != nil {
		t.Errorf("one time: %+v, %v", f, err)
	}
}

// FuzzFeedback: no text of a plan breaks a critic, and the same text has the same words.
func FuzzFeedback(f *testing.F) {
	for _, s := range []string{"", "(unstack a b)", "(a) ; b\n(c", "1: (unstack a b)\n0.5: (put-down a)", "(UNSTACK A B) (put-down a)\n(stack \xff)", "(unstack a b)[1]"} {
		f.Add(s)
	}
	p := pddltest.Load(f, "blocksworld:3-1")
	var critics []*Critic
	for _, level := range Levels() {
		critics = append(critics, critic(f, p, Options{Level: level, Limits: search.Limits{Nodes: 500}}))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range critics {
			x, err := c.CriticiseText(context.Background(), pddl.NewSource("plan", text))
			if err != nil {
				t.Fatal(err)
			}
			y, _ := c.CriticiseText(context.Background(), pddl.NewSource("plan", text))
			if x.Text != y.Text || x.Text == "" || x.Valid != (len(x.Errors) == 0) && x.Level != LevelBinary {
				t.Fatalf("%q and %q", x.Text, y.Text)
			}
		}
	})
}

func BenchmarkFeedback(b *testing.B) {
	p := pddltest.Load(b, "blocksworld:4-17")
	plan, _ := pddl.ParsePlan(pddl.NewSource("plan", "(unstack b c)\n(stack b d)\n(pick-up a)\n(fly b)\n"))
	for _, level := range Levels() {
		c := critic(b, p, Options{Level: level})
		b.Run(string(level), func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Criticise(context.Background(), plan); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
