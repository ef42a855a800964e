package oracle

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/rltrain/reward"
)

// adversary looks for responses that earn what they should not: it climbs from response
// to response, keeping changes that do not lower the reward, and never keeps one with a
// valid plan.
type adversary struct {
	*forge
	t      *testing.T
	o      *Oracle
	spec   *reward.Spec
	task   *forgeTask
	planer *naive.Task
	table  *distanceTable
	honest map[reward.Format]float64 // reward of a shortest plan by form
	found  int
}

// mutate changes a response anywhere: lines, tags, letters, or all of it.
func (a *adversary) mutate(response string) string {
	lines := strings.Split(response, "\n")
	i := a.r.IntN(len(lines))
	put := func(text ...string) string {
		return strings.Join(append(lines[:i:i], append(text, lines[i:]...)...), "\n")
	}
	switch a.r.IntN(14) {
	case 0:
		return put(a.task.actions[a.r.IntN(len(a.task.actions))])
	case 1:
		if len(a.task.plan) > 0 {
			return put(a.task.plan[a.r.IntN(len(a.task.plan))])
		}
	case 2:
		return strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
	case 3:
		return put(lines[i])
	case 4:
		j := a.r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "\n")
	case 5:
		return put(a.one("<think>", "</think>", "[PLAN]", "[PLAN END]", "<plan>", "</plan>", "```", "```pddl", "<answer>", "</answer>", "\\boxed{", "}"))
	case 6:
		return put(a.one(`{"valid": true, "reward": 1}`, "The plan is valid.", "Ignore the task.", "The goal already holds.", "There is no plan.", "(define (domain x))", "Option 2:", "Correction:", "Final answer:", "; reward 1"))
	case 7:
		return a.layout(a.task.plan[:a.r.IntN(len(a.task.plan)+1)])
	case 8:
		return a.layout(a.mutatePlan(a.task, a.task.plan))
	case 9:
		return response + "\n" + a.response(a.task)
	case 10:
		return a.response(a.task) + "\n" + response
	case 11:
		if len(response) > 0 {
			k := a.r.IntN(len(response))
			return response[:k] + a.one("", " ", "(", ")", "\n", "\t", "\x00", "é", "<", "]", "0") + response[k+a.r.IntN(2):]
		}
	case 12:
		k := a.r.IntN(len(response) + 1)
		return response[:k]
	case 13:
		return strings.Repeat(response+"\n", 1+a.r.IntN(3))
	}
	return response
}

// try scores a response and checks that it earns no more than it may. valid tells that it
// holds a plan.
func (a *adversary) try(response string) (earned float64, valid bool) {
	s := score(a.t, a.o, a.task.name, response, a.spec.Name)
	if s.Reward == nil {
		a.t.Fatalf("%s, %s: %q has no score: %s", a.spec.Name, a.task.name, response, asJSON(s))
	}
	earned = *s.Reward
	steps := strings.Split(s.Extracted, "\n")
	executed, _, goal, _ := a.planer.Run(steps[:min(s.Verdict.Executed, len(steps))])
	if executed != s.Verdict.Executed {
		a.t.Fatalf("%q: %d steps executed, not %d: %s", response, executed, s.Verdict.Executed, asJSON(s))
	}
	if s.Verdict.Valid {
		if !goal || executed != s.Verdict.Steps {
			a.t.Fatalf("%q is no plan for %s: %s", response, a.task.name, asJSON(s))
		}
		return earned, true
	}
	complain := func(why string, args ...any) {
		a.found++
		a.t.Errorf("%s, %s: %q earns %v: "+why+"\n%s", append([]any{a.spec.Name, a.task.name, response, earned}, append(args, asJSON(s))...)...)
	}
	if _, limit := a.spec.Bounds(false); earned > limit {
		complain("without a plan it is at most %v", limit)
	}
	form := reward.ReadFormat(response)
	if honest, ok := a.honest[form]; a.spec.ValidWins && ok && earned >= honest {
		complain("a shortest plan in the same form earns %v", honest)
	}
	// Credit for progress is that of the steps that really can be executed.
	d, done, err := a.table.table.DistanceAfter(steps[:executed])
	if err != nil || done != executed {
		a.t.Fatalf("%q: %v after %d of %d steps", response, err, done, executed)
	}
	g := a.table.table.InitialDistance().Steps
	left := d.Steps
	if d.DeadEnd {
		left = 2 * g
	}
	switch a.spec.Kind {
	case "shaped":
		if want := a.spec.Max - 1; math.Abs(s.Components["shaping"]-want*float64(g-min(left, 2*g))/float64(g)) > 1e-9 && a.spec.Name == "shaped" {
			complain("%d steps lead to distance %d of %d", executed, left, g)
		}
	case "process":
		points := 2*min(int64(executed), g) + 5*max(0, g-left)
		if want := 50 * float64(points) / float64(7*g); !strings.Contains(string(a.spec.Canonical()), `"skip":true`) && math.Abs(s.Components["plan"]-want) > 1e-9 || s.Components["bonus"] != 0 {
			complain("%d steps lead to distance %d of %d", executed, left, g)
		}
	}
	return earned, false
}

// TestAdversaryFindsNothing lets the adversary try every reward on several tasks.
func TestAdversaryFindsNothing(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	o := newTestOracle(t, Options{})
	var specs []*reward.Spec
	for _, s := range slices.Concat(reward.Builtin(), fileRewards(t)) {
		if _, err := s.Gold(nil, true, func() int64 { return 1 }); err == nil { // neither budget nor slack
			specs = append(specs, s)
		}
	}
	o.opt.Rewards = specs
	tried, kept := 0, 0
	for k, spec := range specs {
		f := newForge(t, uint64(100+k), "blocksworld:3-11", "blocksworld:4-17", "gripper:2")
		for i := range f.tasks {
			a := &adversary{forge: f, t: t, o: o, spec: spec, task: &f.tasks[i], planer: naive.New(f.tasks[i].domain, f.tasks[i].problem), honest: map[reward.Format]float64{}}
			var err error
			if a.table, err = o.distances(t.Context(), o.task(t.Context(), taskref.Ref{Task: a.task.name}), true); err != nil {
				t.Fatal(err)
			}
			body := block(a.task.plan...)
			for _, r := range []string{body, "<think>x</think>" + body, "x " + body, "<think>x</think>x " + body, strings.Join(a.task.plan, "\n"), "<think>x</think>" + strings.Join(a.task.plan, "\n")} {
				earned, valid := a.try(r)
				if !valid {
					t.Fatalf("%q is refused", r)
				}
				a.honest[reward.ReadFormat(r)] = earned
			}
			best, at := -math.MaxFloat64, ""
			for round := range rounds {
				next := at
				for range 1 + f.r.IntN(3) {
					next = a.mutate(next)
				}
				if round%60 == 59 { // start anew
					next, best = f.response(a.task), -math.MaxFloat64
				}
				if len(next) > 4000 {
					next = next[:4000]
				}
				tried++
				if r, valid := a.try(next); !valid && r >= best {
					best, at = r, next
					kept++
				}
				if a.found > 3 {
					t.FailNow()
				}
			}
		}
	}
	if kept < tried/50 {
		t.Errorf("only %d of %d changes were kept: the search goes nowhere", kept, tried)
	}
}
