package reward

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/rewardtest"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

func evidence(f Format, gold, reached int64, executed, steps int, valid bool) Evidence {
	p := &Progress{Initial: gold, Reached: reached, Applied: int64(executed)}
	optimal, budget := pddl.Int(gold), pddl.Int(gold+2)
	return Evidence{
		Format: f, Progress: p, Skipping: p,
		Verdict:    &validator.Verdict{Valid: valid, Executed: executed, Steps: steps, GoalReached: reached == 0, Cost: pddl.Int(int64(executed)), CostDefined: true},
		Extraction: &extract.Extraction{Status: extract.StatusPlan},
		Gold:       Gold{Steps: gold, HasSteps: true, Cost: &optimal, Optimal: true, Slack: &optimal, Budget: &budget},
	}
}

// process evaluates the process reward.
// pay is the reward of some evidence.
func pay(spec *Spec, e Evidence) (float64, Components) { return spec.Eval(&e) }

func process(e Evidence) (float64, Components) { return evalProcess(&e, e.Progress, untaggedText) }

func TestProcessReward(t *testing.T) {
	full := Format{Plan: true, Think: true}
	for _, c := range []struct {
		name              string
		e                 Evidence
		plan, bonus, want float64
	}{
		{"optimal", evidence(full, 4, 0, 4, 4, true), 50, 30, 100},
		{"optimal without thoughts", evidence(Format{Plan: true}, 4, 0, 4, 4, true), 50, 30, 83},
		{"detour", evidence(full, 4, 0, 6, 6, true), 50, 20, 90},
		// A gold plan that is not the shortest: what the thesis pays 15 for.
		{"shorter than gold", evidence(full, 4, 0, 3, 3, true), 50 * 26.0 / 28, 35, 20 + 50*26.0/28 + 35},
		{"nothing valid", evidence(full, 4, 4, 0, 3, false), 0, 0, 20},
		{"no plan", evidence(Format{Text: true}, 4, 4, 0, 0, false), 0, 0, 0},
		{"half way", evidence(full, 4, 2, 2, 3, false), 25, 0, 45},
		{"one step in the wrong direction", evidence(full, 4, 5, 1, 2, false), 50 * 2.0 / 28, 0, 20 + 50*2.0/28},
		{"padding", evidence(full, 4, 4, 100, 101, false), 50 * 8.0 / 28, 0, 20 + 50*8.0/28},
		{"dead end", evidence(full, 4, -1, 2, 2, false), 50 * 4.0 / 28, 0, 20 + 50*4.0/28},
		{"garbage after the goal", evidence(full, 4, 0, 4, 5, false), 50, 0, 70},
		{"goal from the start, empty plan", evidence(full, 0, 0, 0, 0, true), 50, 30, 100},
		{"goal from the start, plan", evidence(full, 0, 0, 2, 2, true), 50, 20, 90},
		{"goal from the start, bad plan", evidence(full, 0, 1, 1, 2, false), 0, 0, 20},
	} {
		reward, parts := process(c.e)
		if math.Abs(reward-c.want) > 1e-9 || math.Abs(parts["plan"]-c.plan) > 1e-9 || parts["bonus"] != c.bonus {
			t.Errorf("%s: %v, %v; want %v (plan %v, bonus %v)", c.name, reward, parts, c.want, c.plan, c.bonus)
		}
		if parts["total"] != reward || parts["normalised"] != reward/105 {
			t.Errorf("%s: total %v, normalised %v", c.name, parts["total"], parts["normalised"])
		}
	}
	e := evidence(full, 4, 4, 0, 0, false)
	e.Refused = true
	if reward, _ := process(e); reward != 0 {
		t.Errorf("a response that was not read earns %v", reward)
	}
}

// drawEvidence draws what a judge and a table may say about one response: each step
// changes the distance by at most... anything, since actions may be undone at once
// or not at all; only the bounds that follow from distances are kept.
func drawEvidence(t *rapid.T, label string, gold int64, f Format) Evidence {
	executed := rapid.IntRange(0, 40).Draw(t, label+" executed")
	// A step brings the goal at most one step closer.
	reached := rapid.Int64Range(max(-1, gold-int64(executed)), gold+int64(executed)).Draw(t, label+" reached")
	valid := reached == 0 && rapid.Bool().Draw(t, label+" valid")
	steps := executed
	if !valid {
		steps += rapid.IntRange(0, 5).Draw(t, label+" unexecuted")
	}
	if executed == 0 {
		reached = gold
		valid = valid && gold == 0
	}
	return evidence(f, gold, reached, executed, steps, valid)
}

// TestRewardProperties checks what every spec promises.
func TestRewardProperties(t *testing.T) {
	for _, spec := range allRewards(t) {
		t.Run(spec.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				gold := rapid.Int64Range(0, 20).Draw(t, "gold")
				f := Format{Text: rapid.Bool().Draw(t, "text"), Plan: rapid.Bool().Draw(t, "plan"), Think: rapid.Bool().Draw(t, "think")}
				a, b := drawEvidence(t, "a", gold, f), drawEvidence(t, "b", gold, f)
				ra, pa := spec.Eval(&a)
				rb, pb := spec.Eval(&b)
				if again, _ := spec.Eval(&a); again != ra {
					t.Fatalf("%v, then %v", ra, again)
				}
				if ra < spec.Min || ra > spec.Max || math.IsNaN(ra) {
					t.Fatalf("reward %v outside %v..%v", ra, spec.Min, spec.Max)
				}
				checkBounds(t, spec, a.Verdict.Valid, ra, pa)
				if within, judged := pa["within"]; judged && within == 0 {
					return // a valid plan beyond the budget is no plan for the task
				}
				if spec.ValidWins && a.Verdict.Valid && !b.Verdict.Valid && ra <= rb {
					t.Fatalf("valid earns %v, invalid %v", ra, rb)
				}
				if len(pa) != len(pb) {
					t.Fatalf("components %v and %v", pa, pb)
				}
				for name := range pa {
					if _, ok := pb[name]; !ok {
						t.Fatalf("components %v and %v", pa, pb)
					}
				}
			})
		})
	}
}

// allRewards are the rewards without a file and those of the tests.
func allRewards(t testing.TB) []*Spec {
	all := slices.Clone(Builtin())
	for _, text := range rewardtest.Mixes {
		all = append(all, readReward(t, text))
	}
	return all
}

// checkBounds compares what an evaluation gave with what the spec says it can give.
func checkBounds(t *rapid.T, spec *Spec, valid bool, reward float64, parts Components) {
	b := spec.bounds(valid)
	if len(b) != len(parts)+1 {
		t.Fatalf("bounds of %d components and the reward, %d components", len(b)-1, len(parts))
	}
	if i := b[""]; reward < i.lo || reward > i.hi {
		t.Fatalf("reward %v outside %v", reward, i)
	}
	for name, x := range parts {
		if i, ok := b[name]; !ok || x < i.lo || x > i.hi {
			t.Fatalf("%s = %v outside %v (%v)", name, x, i, ok)
		}
	}
}

// TestPaddingGainsLittle bounds what steps that lead nowhere can earn under the
// process reward: less than a sixth of its reward for a plan of gold length, never
// more for more of them, and nothing beside a plan that reaches the goal.
func TestPaddingGainsLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gold := rapid.Int64Range(1, 30).Draw(t, "gold")
		f := Format{Plan: true, Think: true}
		n := rapid.IntRange(0, 100).Draw(t, "padding")
		more := n + rapid.IntRange(1, 100).Draw(t, "more")
		away := gold + rapid.Int64Range(0, 5).Draw(t, "away")
		_, little := process(evidence(f, gold, away, n, n+1, false))
		_, much := process(evidence(f, gold, away, more, more+1, false))
		if little["plan"] > 100.0/7+1e-9 || much["plan"] > 100.0/7+1e-9 {
			t.Fatalf("%d steps earn %v, %d earn %v", n, little["plan"], more, much["plan"])
		}
		if n >= int(gold) && much["plan"] != little["plan"] {
			t.Fatalf("padding beyond the gold plan's length pays: %v, then %v", little["plan"], much["plan"])
		}
		direct, _ := process(evidence(f, gold, 0, int(gold), int(gold), true))
		padded, _ := process(evidence(f, gold, 0, int(gold)+n, int(gold)+n, true))
		if padded > direct || n > 0 && padded != direct-optimalBonus {
			t.Fatalf("direct %v, with %d more steps %v", direct, n, padded)
		}
	})
}

// TestFormatIsReadWhenNeeded shows that a reward that does not say so does not look at the
// layout of responses.
func TestFormatIsReadWhenNeeded(t *testing.T) {
	needed := 0
	for _, s := range allRewards(t) {
		if s.need&needFormat != 0 {
			needed++
			continue
		}
		for _, valid := range []bool{true, false} {
			want, parts := pay(s, evidence(Format{}, 4, 0, 4, 4, valid))
			for f := range formatPoints {
				if got, c := pay(s, evidence(Format{Text: f[0], Plan: f[1], Think: f[2]}, 4, 0, 4, 4, valid)); got != want || !maps.Equal(c, parts) {
					t.Errorf("%s: %g for %+v, %g without", s.Name, got, f, want)
				}
			}
		}
	}
	if needed < 4 {
		t.Errorf("%d rewards look at the layout", needed)
	}
}
