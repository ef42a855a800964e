package retime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// judgeOf compiles a task from what its domain declares and what its problem says.
func judgeOf(t *testing.T, decl, task string) *validator.Judge {
	t.Helper()
	_, prob := pddltest.Parse(t, "(define (domain d) "+decl+")", "(define (problem p) (:domain d) "+task+")")
	j, err := validator.NewJudge(prob, validator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func planOf(t *testing.T, text string) *pddl.Plan {
	t.Helper()
	p, diags := pddl.ParsePlan(pddl.NewSource("plan", text))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return p
}

const (
	match = `(:predicates (lit) (fixed) (wet)) (:durative-action strike :parameters () :duration (= ?duration 5)
		:effect (and (at start (lit)) (at end (not (lit)))))
		(:durative-action mend :parameters () :duration (and (>= ?duration 3) (< ?duration 8)) :condition (over all (lit)) :effect (at end (fixed)))
		(:action soak :parameters () :precondition (fixed) :effect (wet))`
	third = `(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration (/ 10 3)) :effect (at end (p)))`
	open  = `(:predicates (p)) (:durative-action a :parameters () :duration (and (> ?duration 2) (< ?duration 4)) :effect (at end (p)))`
	pool  = `(:predicates (done)) (:functions (level)) (:durative-action fill :parameters () :duration (>= ?duration 1)
		:condition (over all (< (level) 10)) :effect (and (increase (level) (* #t 2)) (at end (done))))`
	light = `(:predicates (day) (seen)) (:durative-action look :parameters () :duration (= ?duration 2) :condition (over all (day)) :effect (at end (seen)))`
	twice = `(:predicates (p) (q)) (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (p) :effect (q))
		(:durative-action wait :parameters () :duration (= ?duration 1) :effect (at end (not (p))))`
	when = `(:predicates (p) (q) (r)) (:action a :parameters () :effect (and (when (q) (r)) (p))) (:action b :parameters () :effect (q))
		(:action c :parameters () :effect (when (p) (not (q)))) (:durative-action idle :parameters () :duration (= ?duration 1) :effect (at end (p)))`
	pref = `(:predicates (p) (q)) (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (p) :effect (q)) (:constraints (within 3 (q)))`
)

// words are a proposal in one line.
func (p *Proposal) words() string {
	out := string(p.Status)
	if p.Proven {
		out = "proven " + out
	}
	if p.Change != "" {
		out += " " + p.Change
	}
	for _, c := range p.Changes {
		out += fmt.Sprintf("; %s %s %s", c.What, c.Action, c.By+c.atWords())
	}
	return out
}

func (c *Change) atWords() string {
	switch c.What {
	case "insert":
		return "at " + c.To
	case "delete":
		return "at " + c.From
	}
	return ""
}

func TestPropose(t *testing.T) {
	for _, c := range []struct{ name, decl, task, plan, epsilon, shift, edit string }{
		{"valid", match, `(:init) (:goal (fixed))`, "0: (strike) [5]\n1: (mend) [4]", "", "unasked", "unasked"},
		{"an invariant", match, `(:init) (:goal (fixed))`, "0: (strike) [5]\n2: (mend) [4]", "", "proven found 1; start (mend) -1", "none"},
		{"an invariant, in the middle of others", match, `(:init) (:goal (wet))`, "0: (strike) [5]\n2.5: (mend) [4]\n6.5: (soak)", "",
			"proven found 1.5; start (mend) -1.5", "none"},
		{"what interferes", match, `(:init (fixed)) (:goal (wet))`, "0: (strike) [5]\n1: (mend) [3]\n4: (soak)", "", "proven found 0.001; start (mend) -0.001", "found; delete (mend) at 1"},
		{"a gap of more than epsilon", twice, `(:init) (:goal (q))`, "0: (a)\n0.05: (b)", "0.1", "proven found 0.051; start (b) 0.051", "none"},
		{"times with more decimals", twice, `(:init) (:goal (q))`, "0: (a)\n0.00004: (b)", "0.0001", "proven found 0.00007; start (b) 0.00007", "none"},
		{"a duration that is rounded", third, `(:init) (:goal (p))`, "0: (a) [3.4]", "", "proven found 0.067; duration (a) -0.067", "none"},
		{"a missing duration", third, `(:init) (:goal (p))`, "0: (a)", "", "proven found 3.333; duration (a) 3.333", "none"},
		{"an open bound from above", open, `(:init) (:goal (p))`, "0: (a) [4]", "", "proven found 0.001; duration (a) -0.001", "none"},
		{"an open bound from below", open, `(:init) (:goal (p))`, "0: (a) [1.5]", "", "proven found 0.501; duration (a) 0.501", "none"},
		{"a timed literal", light, `(:init (day) (at 10 (not (day)))) (:goal (seen))`, "9: (look) [2]", "", "proven found 1; start (look) -1", "none"},
		{"no timing", light, `(:init) (:goal (seen))`, "9: (look) [2]", "", "proven none", "none"},
		{"a step is missing", twice, `(:init) (:goal (q))`, "1: (b)", "", "proven none", "found; insert (a) at 0"},
		{"a step is too much", twice, `(:init) (:goal (and (p) (q)))`, "0: (a)\n1: (wait) [1]\n3: (b)", "", "proven found 2.001; start (a) 2.001", "found; delete (wait) at 1"},
		{"a duration that is too long while a value moves", pool, `(:init (= (level) 0)) (:goal (done))`, "0: (fill) [7]", "", "found 2; duration (fill) -2", "none"},
		{"an action that does not exist", twice, `(:init) (:goal (q))`, "0: (a)\n1: (c)\n2: (b)", "", "proven none", "found; delete (c) at 1"},
		{"a deadline", pref, `(:init) (:goal (q))`, "0: (a)\n5: (b)", "", "found 2; start (b) -2", "found; insert (b) at 0.001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{}
			if c.epsilon != "" {
				o.Epsilon, _ = pddl.ParseNumber(c.epsilon)
			}
			j := judgeOf(t, c.decl, c.task)
			r, err := Propose(j, planOf(t, c.plan), o)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Shift.words(); got != c.shift {
				t.Errorf("shift: %s, want %s", got, c.shift)
			}
			if got := r.Edit.words(); got != c.edit {
				t.Errorf("edit: %s, want %s", got, c.edit)
			}
			for _, p := range []*Proposal{&r.Shift, &r.Edit} {
				if p.Status != Found {
					continue
				}
				s := j.NewScratch()
				s.Epsilon = o.Epsilon
				if v := j.ValidateWith(planOf(t, strings.Join(p.Plan, "\n")), s); !v.Valid {
					t.Errorf("%v is not valid: %s", p.Plan, v.Failure.Message)
				}
			}
		})
	}
}

// TestSmallest compares with all timings of small random plans on whole numbers.
func TestSmallest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds, found := 150, 0
	if testing.Short() {
		rounds = 25
	}
	tasks := []struct {
		decl, task string
		steps      []string
	}{
		{match, `(:init) (:goal (wet))`, []string{"(strike) [5]", "(mend) [3]", "(mend) [9]", "(soak)"}},
		{twice, `(:init) (:goal (and (q) (p)))`, []string{"(a)", "(b)", "(wait) [1]", "(wait) [2]"}},
		{light, `(:init (at 3 (day)) (at 6 (not (day))) (at 9 (day))) (:goal (seen))`, []string{"(look) [2]", "(look) [1]", "(look) [4]"}},
		{when, `(:init) (:goal (and (r) (not (q))))`, []string{"(a)", "(b)", "(c)", "(a)"}},
	}
	for range rounds {
		x := tasks[rng.IntN(len(tasks))]
		j := judgeOf(t, x.decl, x.task)
		text := ""
		for range 2 + rng.IntN(2) {
			text += fmt.Sprintf("%d: %s\n", rng.IntN(6), x.steps[rng.IntN(len(x.steps))])
		}
		p := &proposer{judge: j, opt: Options{coarse: true, Candidates: 1e6, Context: context.Background()}, scratch: j.NewScratch()}
		plan := planOf(t, text)
		if p.judge.Judge(plan, p.scratch).Valid {
			continue
		}
		want := everyTiming(p, plan, false)
		if want < 0 && len(plan.Steps) > 2 {
			continue // too many timings
		}
		if want < 0 {
			want = everyTiming(p, plan, true)
		}
		var got Proposal
		if err := p.shift(plan, &got); err != nil {
			t.Fatal(err)
		}
		if want >= 0 {
			found++
		}
		if (want < 0) != (got.Status == None) || want >= 0 && got.Change != fmt.Sprint(want) || !got.Proven {
			t.Fatalf("%s in %s\n%s: got %s %q, want %d", text, x.task, x.decl, got.words(), got.Reason, want)
		}
	}
	if found < rounds/5 {
		t.Errorf("only %d plans can be mended", found)
	}
}

// everyTiming returns the least change of all valid timings, -1 if there are none. Durations change
// if they are outside their bounds, or if elastic is true.
func everyTiming(p *proposer, plan *pddl.Plan, elastic bool) int64 {
	best := int64(-1)
	q := timed(p.judge, plan)
	bad := make([]bool, len(q.Steps))
	for i := range q.Steps {
		one := &pddl.Plan{Steps: q.Steps[i : i+1], Timed: true}
		bad[i] = p.judge.Durative(&q.Steps[i]) && (elastic || p.judge.Cause(one, p.scratch).Bound)
	}
	var place func(i int, change int64)
	place = func(i int, change int64) {
		if best >= 0 && change >= best {
			return
		}
		if i == len(q.Steps) {
			if p.judge.Judge(q, p.scratch).Valid {
				best = change
			}
			return
		}
		st, start, duration := &q.Steps[i], q.Steps[i].Time, q.Steps[i].Duration
		for d := range int64(12) {
			if st.Duration = pddl.Int(d); !bad[i] && !st.Duration.Equal(duration) {
				continue
			}
			for at := range int64(15) {
				st.Time = pddl.Int(at)
				place(i+1, change+size(st.Time.Sub(start))+size(st.Duration.Sub(duration)))
			}
		}
		st.Time, st.Duration = start, duration
	}
	place(0, 0)
	return best
}

func size(n pddl.Number) int64 {
	i, _ := n.Int64()
	return max(i, -i)
}
