package prompt_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/prompt"
	"github.com/planproof/planproof/internal/seeded"
)

var (
	canReach   = regexp.MustCompile(`\(base \[(\S+), (\S+)\]\) can reach \[(\S+), (\S+)\], since`)
	couldMove  = regexp.MustCompile(`(?m)^Wait, could (.+) already move (\[.+\]) -> (\[.+\]) in this step\? No: (.+)\.$`)
	checkedFor = regexp.MustCompile(`Collision check: `)
)

// TestTraces: the answer that is written is read as the plan that it is about; every sentence about reach
// is true, and what is said to collide does.
func TestTraces(t *testing.T) {
	r := seeded.Rand(6, "boxnet traces")
	reach, collisions, waits := 0, 0, 0
	for n := range 12 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 2 + n%3, Height: 3, Objects: 1 + n%4, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		res, err := joint.Solve(context.Background(), in, joint.Options{Reading: boxnet.Default, Second: joint.Moves})
		if err != nil || res.Status != joint.Solved {
			t.Fatalf("%v %+v", err, res)
		}
		j := boxnet.NewJudge(in, boxnet.Default)
		trace, err := prompt.TracePlan(j, res.Plan, prompt.TraceOptions{Optimal: true, Lower: res.Lower.Steps})
		if err != nil {
			t.Fatal(err)
		}
		a := prompt.ReadPlan(prompt.FullAnswer(trace, res.Plan))
		if a.Err != nil || !a.Think || a.Plan.Text() != res.Plan.Text() {
			t.Fatalf("%+v", a)
		}
		for _, m := range canReach.FindAllStringSubmatch(trace.Text, -1) {
			var v [4]float64
			for i := range v {
				if _, err := fmt.Sscan(m[i+1], &v[i]); err != nil {
					t.Fatal(err)
				}
			}
			if d, e := v[2]-v[0], v[3]-v[1]; d <= -1 || d >= 1 || e <= -1 || e >= 1 {
				t.Errorf("not true: %s", m[0])
			}
		}
		if got := len(checkedFor.FindAllString(trace.Text, -1)); got > trace.Collision {
			t.Errorf("%d collision checks, counted %d", got, trace.Collision)
		}
		reach += trace.Reach
		collisions += trace.Collision
		waits += len(couldMove.FindAllString(trace.Text, -1))
		for _, want := range []string{"Let me look at the state first.", "Step 1:", "Can it be done in fewer?"} {
			if !strings.Contains(trace.Text, want) {
				t.Errorf("no %q in\n%s", want, trace.Text)
			}
		}
		st := j.Start()
		for k, step := range res.Plan {
			b := prompt.ReadStep(prompt.StepAnswer(prompt.TraceStep(j, st, res.Plan, k), step))
			if b.Err != nil || b.Plan[0].Text() != step.Text() {
				t.Errorf("%+v", b)
			}
			if f := j.Step(st, step, new(boxnet.Scratch)); f != nil {
				t.Fatal(f.Words(step))
			}
		}
		if _, err := prompt.TracePlan(j, res.Plan[1:], prompt.TraceOptions{}); err == nil {
			t.Error("a trace of a plan that is not valid")
		}
	}
	if reach == 0 || collisions == 0 || waits == 0 {
		t.Errorf("%d reach checks, %d collision checks, %d robots that wait", reach, collisions, waits)
	}
}

// TestTraces3D: what is said of reach, of ways that pass over no object, and of what collides is so.
func TestTraces3D(t *testing.T) {
	reach := regexp.MustCompile(`check: (.+) \(base .+\) can reach (\[.+\]), since its distance`)
	r := seeded.Rand(7, "boxnet 3D traces")
	swept, waits := 0, 0
	for n := range 10 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Dimensions: 3, Width: 2 + n%2, Height: 3, Objects: 2 + n%3, Obstacles: n % 2, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		rd := boxnet.Readings3D()[n%3]
		res, err := joint.Solve(context.Background(), in, joint.Options{Reading: rd, MaxSteps: 14})
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != joint.Solved {
			continue
		}
		j := boxnet.NewJudge(in, rd)
		trace, err := prompt.TracePlan(j, res.Plan, prompt.TraceOptions{Optimal: true, Lower: res.Lower.Steps})
		if err != nil {
			t.Fatal(err)
		}
		if a := prompt.ReadPlan(prompt.FullAnswer(trace, res.Plan)); a.Err != nil || a.Plan.Text() != res.Plan.Text() {
			t.Fatalf("%+v", a)
		}
		moves := 0
		for _, step := range res.Plan {
			moves += len(step)
		}
		if got := len(reach.FindAllString(trace.Text, -1)); got != moves {
			t.Errorf("%d reach checks of %d moves", got, moves)
		}
		swept += strings.Count(trace.Text, "passes over none of the objects")
		waits += len(couldMove.FindAllString(trace.Text, -1))
		if arms := strings.Contains(trace.Text, "resting arm"); arms && rd != boxnet.Arms {
			t.Errorf("%s speaks of arms:\n%s", rd, trace.Text)
		}
	}
	if swept == 0 || waits == 0 {
		t.Errorf("%d ways over no object, %d robots that wait", swept, waits)
	}
}
