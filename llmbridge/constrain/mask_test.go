package constrain

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// byJudge lists the steps that the judge lets come next, each judged with the whole
// prefix, and whether the prefix is a valid plan.
func byJudge(j *validator.Judge, s *validator.Scratch, prefix []pddl.Step, all []pddl.Step) (next []string, goal bool) {
	next = []string{}
	for i := range all {
		plan := &pddl.Plan{Steps: append(slices.Clip(prefix), all[i])}
		if j.Judge(plan, s).Executed == len(plan.Steps) {
			next = append(next, all[i].String())
		}
	}
	return next, j.Judge(&pddl.Plan{Steps: prefix}, s).Valid
}

// walkMasks compares the engines and the judge along random walks, and returns the number
// of states. The judge tries every step of every naive-th state with the whole prefix.
func walkMasks(t *testing.T, name string, p *pddl.Problem, states, naive int, rng *rand.Rand) int {
	t.Helper()
	ctx := context.Background()
	m, err := NewMasker(ctx, p, MaskOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	lifted, err := NewMasker(ctx, p, MaskOptions{Lifted: true, MaxActions: 20_000})
	if err != nil {
		return 0 // too many bindings to try
	}
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := judge.NewScratch()
	st, lst := m.Start(), lifted.Start()
	var prefix []pddl.Step
	for k := range states {
		next, err := m.Actions(st)
		if err != nil {
			t.Fatal(err)
		}
		want, err := lifted.Actions(lst)
		if err != nil {
			t.Fatal(err)
		}
		goal, err := m.GoalHolds(st)
		if err != nil {
			t.Fatal(err)
		}
		wantGoal, _ := lifted.GoalHolds(lst)
		if !slices.Equal(next, want) || goal != wantGoal {
			t.Fatalf("%s after %v:\n%v goal %v\nby the lifted engine\n%v goal %v", name, prefix, next, goal, want, wantGoal)
		}
		if k%naive == 0 {
			if want, wantGoal = byJudge(judge, s, prefix, lifted.steps); !slices.Equal(next, want) || goal != wantGoal {
				t.Fatalf("%s after %v:\n%v goal %v\nby the judge\n%v goal %v", name, prefix, next, goal, want, wantGoal)
			}
		}
		if len(next) == 0 || rng.IntN(25) == 0 {
			st, lst, prefix = m.Start(), lifted.Start(), nil
			continue
		}
		step := next[rng.IntN(len(next))]
		if st, err = m.Step(st, step); err != nil {
			t.Fatal(err)
		}
		if lst, err = lifted.Step(lst, step); err != nil {
			t.Fatal(err)
		}
		prefix = lst.steps
	}
	return states
}

// TestMaskRandomStates: in 10,000 random states the mask is the set of applicable steps,
// as the judge finds it.
func TestMaskRandomStates(t *testing.T) {
	problems := grammarProblems(t)
	_, problems["adl"] = pddltest.Parse(t, pddltest.ADLDomain, pddltest.ADLProblem)
	_, problems["fuel"] = pddltest.Parse(t, pddltest.FuelDomain, pddltest.FuelProblem)
	for _, name := range []string{"blocksworld:4-17", "gripper:3"} {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		_, problems[name] = pddltest.Parse(t, d.Text, p.Text)
	}
	per := 10_000/len(problems) + 1
	if testing.Short() {
		per = 200
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for name, p := range problems {
		if n := walkMasks(t, name, p, per, 20, rng); n != per {
			t.Errorf("%s: %d states", name, n)
		}
	}
	m, err := NewMasker(context.Background(), problems["fuel"], MaskOptions{})
	if err != nil || !m.Lifted() {
		t.Errorf("fuel: lifted %v, %v", m.Lifted(), err)
	}
}

// TestMaskCorpus walks through the tasks of the corpus.
func TestMaskCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("grounds a hundred tasks")
	}
	root, in := judgedPlans(t)
	rng := rand.New(rand.NewPCG(13, 14))
	seen, tasks, states := map[string]bool{}, 0, 0
	for in.Scan() {
		var row struct {
			Domain  string `json:"domain_file"`
			Problem string `json:"problem_file"`
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if seen[row.Problem] {
			continue
		}
		seen[row.Problem] = true
		var texts [2]string
		for i, name := range []string{row.Domain, row.Problem} {
			b, err := os.ReadFile(filepath.Join(root, "bench", name))
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(b)
		}
		if len(texts[1]) > 1800 {
			continue
		}
		_, p := pddltest.Parse(t, texts[0], texts[1])
		if n := walkMasks(t, row.Problem, p, 10, 1000, rng); n > 0 {
			tasks, states = tasks+1, states+n
		}
	}
	t.Logf("%d tasks, %d states", tasks, states)
	if tasks < 20 {
		t.Errorf("only %d tasks", tasks)
	}
}

func TestMaskSteps(t *testing.T) {
	_, p := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	for _, lifted := range []bool{false, true} {
		m, err := NewMasker(context.Background(), p, MaskOptions{Lifted: lifted})
		if err != nil {
			t.Fatal(err)
		}
		st, done, err := m.After([]string{"(unstack c a)", "(PUT-DOWN c)", "(stack c d)"})
		if done != 2 || !errors.Is(err, ErrStep) {
			t.Errorf("done %d, %v", done, err)
		}
		next, _ := m.Actions(st)
		if want := []string{"(pick-up a)", "(pick-up c)", "(unstack d b)"}; !slices.Equal(next, want) {
			t.Errorf("next %v", next)
		}
		for step, want := range map[string]string{
			"(stack c d)":   "the step cannot be executed: (stack c d): its precondition does not hold",
			"(fly c)":       "the step cannot be executed: (fly c): there is no action fly",
			"(stack c)":     "the step cannot be executed: (stack c): stack takes 2 arguments, not 1",
			"(pick-up zzz)": "the step cannot be executed: (pick-up zzz): there is no object zzz",
			"pick-up a":     "",
			"(a) (b)":       "",
			"":              "",
		} {
			_, err := m.Step(st, step)
			if !errors.Is(err, ErrStep) && (want != "" || lifted) || want != "" && err.Error() != want {
				t.Errorf("lifted %v: %s: %v", lifted, step, err)
			}
		}
		if st, _, err = m.After([]string{"(unstack c a)", "(put-down c)", "(unstack d b)", "(put-down d)", "(pick-up a)", "(stack a b)"}); err != nil {
			t.Fatal(err)
		}
		if goal, err := m.GoalHolds(st); !goal || err != nil {
			t.Error("the goal does not hold")
		}
	}
	if _, err := NewMasker(context.Background(), p, MaskOptions{Lifted: true, MaxActions: 5}); !errors.Is(err, search.ErrLimit) {
		t.Errorf("many bindings: %v", err)
	}
	_, timed := pddltest.Parse(t, pddltest.TimedDomain, pddltest.TimedProblem)
	var diags pddl.Diagnostics
	if _, err := NewMasker(context.Background(), timed, MaskOptions{}); !errors.As(err, &diags) {
		t.Errorf("durative actions: %v", err)
	}
}

// TestMaskShared has many goroutines go on from one state.
func TestMaskShared(t *testing.T) {
	_, p := pddltest.Parse(t, pddltest.ADLDomain, pddltest.ADLProblem)
	for _, lifted := range []bool{false, true} {
		m, err := NewMasker(context.Background(), p, MaskOptions{Lifted: lifted})
		if err != nil {
			t.Fatal(err)
		}
		start := m.Start()
		first, _ := m.Actions(start)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 1))
				for range 20 {
					st, next := start, first
					for range 10 {
						if len(next) == 0 {
							break
						}
						var err error
						if st, err = m.Step(st, next[rng.IntN(len(next))]); err != nil {
							t.Error(err)
							return
						}
						next, _ = m.Actions(st)
					}
					if again, _ := m.Actions(start); !slices.Equal(again, first) {
						t.Error("the first state changed")
					}
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkMask(b *testing.B) {
	for _, name := range []string{"blocksworld:6-100", "logistics:3-3-4-1"} {
		d, p, err := domains.Load(name)
		if err != nil {
			b.Fatal(err)
		}
		_, prob := pddltest.Parse(b, d.Text, p.Text)
		for _, lifted := range []bool{false, true} {
			m, err := NewMasker(context.Background(), prob, MaskOptions{Lifted: lifted})
			if err != nil {
				b.Fatal(err)
			}
			engine := map[bool]string{false: "/ground", true: "/lifted"}[lifted]
			b.Run(name+engine, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				st := m.Start()
				for n := 0; b.Loop(); n++ {
					if n%20 == 0 {
						st = m.Start()
					}
					next, err := m.Actions(st)
					if err == nil {
						st, err = m.Step(st, next[rng.IntN(len(next))])
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
