package oracle

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// answer wraps a plan as a trained model would write it.
func answer(steps ...string) string {
	return "<think>\nLet me see.\n</think>\n[PLAN]\n" + strings.Join(steps, "\n") + "\n[PLAN END]\n"
}

func score(t testing.TB, o *Oracle, task, response, reward string) *rows.Score {
	t.Helper()
	return o.Score(context.Background(), &rows.Item{Task: taskref.Ref{Task: task}, Response: response}, reward)
}

// TestCasesScore gives every shared case its own optimal plan as an answer.
func TestCasesScore(t *testing.T) {
	o := newTestOracle(t, Options{})
	for _, c := range testkit.Cases(t) {
		item := &rows.Item{
			Task:     taskref.Ref{DomainText: c.Domain, ProblemText: c.Problem},
			Response: answer(strings.Split(strings.TrimSpace(c.Plan), "\n")...),
		}
		s := o.Score(context.Background(), item, "valid")
		if s.Status != rows.StatusValid || *s.Reward != 1 || s.Verdict.Cost.String() != c.Cost || s.Extracted != strings.TrimSpace(c.Plan) {
			t.Errorf("%s: %+v, verdict %+v", c.Name, s, s.Verdict)
		}
	}
}

func TestScoreStatuses(t *testing.T) {
	o := newTestOracle(t, Options{Limits: Limits{ResponseBytes: 2000, PlanSteps: 20}})
	good := []string{"(pick ball0 room0 left)", "(move room0 room1)", "(drop ball0 room1 left)"}
	for _, c := range []struct {
		name, response string
		status         rows.Status
		message        string // in the verdict
	}{
		{"valid", answer(good...), rows.StatusValid, ""},
		{"goal missed", answer(good[:2]...), rows.StatusInvalid, "goal"},
		{"empty plan", answer(), rows.StatusInvalid, "goal"},
		{"bad step", answer(good[0], good[0]), rows.StatusInvalid, "step 2"},
		{"unknown object", answer("(pick ball7 room0 left)"), rows.StatusInvalid, "ball7"},
		{"unknown action", answer("(fly room0 room1)"), rows.StatusInvalid, "fly"},
		{"no plan", "I cannot tell.", rows.StatusNoPlan, "no plan"},
		{"nothing", "", rows.StatusNoPlan, "no plan"},
		{"options", "Option 1:\n1. (move room0 room1)\n2. (move room1 room0)\n\nOption 2:\n1. (move room0 room1)\n", rows.StatusAmbiguous, "commits to none"},
		{"too long", strings.Repeat("x ", 1001), rows.StatusTooLong, "2002 bytes"},
		{"too many steps", answer(strings.Split(strings.Repeat("(move room0 room0)\n", 30), "\n")[:30]...), rows.StatusTooLong, "30 steps"},
	} {
		s := score(t, o, "gripper:1", c.response, "")
		message := ""
		if s.Verdict != nil && s.Verdict.Failure != nil {
			message = s.Verdict.Failure.Message
		}
		want := 0.0
		if c.status == rows.StatusValid {
			want = 1
		}
		if s.Status != c.status || s.Reward == nil || *s.Reward != want || !strings.Contains(message, c.message) {
			t.Errorf("%s: status %s, reward %v, message %q, extracted %q", c.name, s.Status, s.Reward, message, s.Extracted)
		}
		if s.Verdict.Valid != (c.status == rows.StatusValid) {
			t.Errorf("%s: verdict %+v", c.name, s.Verdict)
		}
	}
}

// TestTruncatedPlan tells a plan that was cut off from one that ends.
func TestTruncatedPlan(t *testing.T) {
	o := newTestOracle(t, Options{})
	cut := "[PLAN]\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n"
	item := &rows.Item{Task: taskref.Ref{Task: "gripper:1"}, Response: cut, Truncated: true}
	if s := o.Score(context.Background(), item, ""); s.Status != rows.StatusTruncated || *s.Reward != 0 {
		t.Errorf("cut off: %+v", s)
	}
	item.Response += "[PLAN END]\nand some more te"
	if s := o.Score(context.Background(), item, ""); s.Status != rows.StatusValid {
		t.Errorf("cut off after the plan: %+v", s)
	}
}

func mustDomain(t testing.TB, name string) string {
	t.Helper()
	d, err := domains.Domain(name)
	if err != nil {
		t.Fatal(err)
	}
	return d.Text
}

// TestTaskErrorsAreNoScores covers what can be wrong with a task.
func TestTaskErrorsAreNoScores(t *testing.T) {
	dir := t.TempDir()
	domain, err := domains.Domain("gripper")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("domain.pddl", domain.Text)
	write("broken.pddl", "(define (problem p)\n (:domain gripper)\n (:goal (at nothing)))")
	write("large.pddl", strings.Repeat(";", 5000))
	o := newTestOracle(t, Options{Dir: dir, Limits: Limits{TaskBytes: 4000}})
	for _, c := range []struct {
		ref  taskref.Ref
		want string
	}{
		{taskref.Ref{}, "no task"},
		{taskref.Ref{Task: "griper:1"}, `did you mean "gripper"`},
		{taskref.Ref{Domain: "gripper:0"}, "from 1 to"},
		{taskref.Ref{Domain: "domain.pddl"}, "no problem"},
		{taskref.Ref{Problem: "broken.pddl"}, "no domain"},
		{taskref.Ref{Domain: "domain.pddl", Problem: "missing.pddl"}, "missing.pddl: no such file"},
		{taskref.Ref{Domain: "domain.pddl", Problem: "."}, "not a regular file"},
		{taskref.Ref{Domain: "domain.pddl", Problem: "large.pddl"}, "5000 bytes, more than 4000"},
		{taskref.Ref{Domain: "domain.pddl", Problem: "broken.pddl"}, "broken.pddl:3:"},
		{taskref.Ref{DomainText: "(define", ProblemText: "x"}, "domain_text:1:"},
	} {
		item := &rows.Item{Task: c.ref, Response: answer()}
		for range 2 { // the second time from the cache
			s := o.Score(context.Background(), item, "")
			if s.Status != rows.StatusTaskError || s.Reward != nil || s.Verdict != nil || !strings.Contains(s.Error, c.want) {
				t.Errorf("%+v: %+v, want %q", c.ref, s, c.want)
			}
		}
	}
	if s := o.Score(context.Background(), &rows.Item{Response: "x"}, "nonsense"); s.Status != rows.StatusBadRow || !strings.Contains(s.Error, "unknown reward") {
		t.Errorf("%+v", s)
	}
}

// TestFileChangesAreSeen rewrites a problem between two rows.
func TestFileChangesAreSeen(t *testing.T) {
	dir := t.TempDir()
	d, one, _ := domains.Load("gripper:1")
	_, two, _ := domains.Load("gripper:2")
	for name, text := range map[string]string{"d": d.Text, "p": one.Text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := newTestOracle(t, Options{Dir: dir})
	item := &rows.Item{Task: taskref.Ref{Domain: "d", Problem: "p"}, Response: answer("(pick ball0 room0 left)", "(move room0 room1)", "(drop ball0 room1 left)")}
	if s := o.Score(context.Background(), item, ""); s.Status != rows.StatusValid {
		t.Fatalf("%+v", s)
	}
	if err := os.WriteFile(filepath.Join(dir, "p"), []byte(two.Text), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := o.Score(context.Background(), item, ""); s.Status != rows.StatusInvalid {
		t.Errorf("the old file is judged: %+v", s)
	}
}

// TestCacheIsBounded scores more tasks than the cache holds.
func TestCacheIsBounded(t *testing.T) {
	o := newTestOracle(t, Options{Limits: Limits{CacheBytes: 400_000}})
	for round := range 2 {
		for k := 1; k <= 40; k++ {
			s := score(t, o, fmt.Sprintf("blocksworld:3-%d", k), answer("(pick-up a)"), "")
			if s.Status != rows.StatusInvalid {
				t.Fatalf("round %d, task %d: %+v", round, k, s)
			}
		}
	}
	if n := o.tasks.Count(); n > 12 || o.tasks.Held() > 400_000 {
		t.Errorf("%d tasks, %d bytes are kept", n, o.tasks.Held())
	}
}

// TestScheduleReplacesCosts scores under other prices.
func TestScheduleReplacesCosts(t *testing.T) {
	schedule, err := costmodel.ParseSchedule("move=2.5,pick=1/3,drop=1/3")
	if err != nil {
		t.Fatal(err)
	}
	o := newTestOracle(t, Options{Schedule: schedule})
	s := score(t, o, "gripper:1", answer("(pick ball0 room0 left)", "(move room0 room1)", "(drop ball0 room1 left)"), "")
	if s.Status != rows.StatusValid || s.Verdict.Cost.String() != "19/6" {
		t.Errorf("%+v %+v", s, s.Verdict)
	}
	if s := score(t, o, "blocksworld:3-1", answer(), ""); s.Status != rows.StatusTaskError || !strings.Contains(s.Error, "no action") {
		t.Errorf("%+v", s)
	}
}

// TestMutantsAgreeWithNaive judges random plans and compares with the planner for
// tests, which shares no code with the judge, the extraction or the domains.
func TestMutantsAgreeWithNaive(t *testing.T) {
	o := newTestOracle(t, Options{})
	cases := testkit.Cases(t)
	rapid.Check(t, func(t *rapid.T) {
		c := cases[rapid.IntRange(0, len(cases)-1).Draw(t, "case")]
		plan := strings.Split(strings.TrimSpace(c.Plan), "\n")
		for range rapid.IntRange(0, 3).Draw(t, "mutations") {
			i := rapid.IntRange(0, len(plan)-1).Draw(t, "i")
			j := rapid.IntRange(0, len(plan)-1).Draw(t, "j")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				plan[i], plan[j] = plan[j], plan[i]
			case 1:
				plan = append(plan[:i:i], plan[i+1:]...)
			case 2:
				plan = append(plan[:i:i], append([]string{plan[j]}, plan[i:]...)...)
			}
			if len(plan) == 0 {
				plan = []string{"(nothing)"}
			}
		}
		s := o.Score(context.Background(), &rows.Item{Task: taskref.Ref{DomainText: c.Domain, ProblemText: c.Problem}, Response: answer(plan...)}, "valid")
		executed, cost, goal, _ := naive.New(c.Domain, c.Problem).Run(plan)
		valid := goal && executed == len(plan)
		if s.Verdict == nil || s.Verdict.Valid != valid || s.Verdict.Executed != executed || s.Verdict.Cost.String() != fmt.Sprint(cost) || s.Verdict.GoalReached != goal {
			t.Fatalf("%s %v: %+v; naive: valid %v, executed %d, cost %d, goal %v", c.Name, plan, s.Verdict, valid, executed, cost, goal)
		}
	})
}

// sixBlocks is a six-block task with an answer, for benchmarks.
func sixBlocks(b *testing.B) (taskref.Ref, string) {
	name := "blocksworld:6-1"
	task, problem, err := domains.Load(name)
	if err != nil {
		b.Fatal(err)
	}
	init, goal := domains.BlocksworldPair(6, big.NewInt(1))
	steps := stackAll(init, goal)
	if _, _, reached, _ := naive.New(task.Text, problem.Text).Run(steps); !reached {
		b.Fatalf("%v is no plan", steps)
	}
	return taskref.Ref{Task: name}, answer(steps...)
}

// stackAll puts every block on the table and then builds the goal.
func stackAll(init, goal domains.Blocks) []string {
	names := domains.BlockNames(len(init))
	height := func(s domains.Blocks, b int) (h int) {
		for ; s[b] != domains.Table; b = s[b] {
			h++
		}
		return h
	}
	var steps []string
	for h := len(init); h > 0; h-- {
		for b := range init {
			if height(init, b) == h {
				steps = append(steps, fmt.Sprintf("(unstack %s %s)", names[b], names[init[b]]), fmt.Sprintf("(put-down %s)", names[b]))
			}
		}
	}
	for h := 1; h < len(goal); h++ {
		for b := range goal {
			if height(goal, b) == h {
				steps = append(steps, fmt.Sprintf("(pick-up %s)", names[b]), fmt.Sprintf("(stack %s %s)", names[b], names[goal[b]]))
			}
		}
	}
	return steps
}

// BenchmarkScore scores answers to a task that is in the cache, on one core.
func BenchmarkScore(b *testing.B) {
	o := newTestOracle(b, Options{Rewards: fileRewards(b, "mix", "tight")})
	ref, text := sixBlocks(b)
	for _, reward := range []string{"valid", "process", "multirobot", "shaped", "tight", "mix"} {
		b.Run(reward, func(b *testing.B) {
			item := &rows.Item{Task: ref, Response: text}
			b.ReportAllocs()
			for b.Loop() {
				if s := o.Score(context.Background(), item, reward); s.Reward == nil || s.Status != rows.StatusValid {
					b.Fatalf("%+v", s)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "responses/s")
		})
	}
}

// BenchmarkStream is the same from JSON line to JSON line.
func BenchmarkStream(b *testing.B) {
	o := newTestOracle(b, Options{Workers: 1})
	ref, text := sixBlocks(b)
	line := fmt.Sprintf(`{"id":7,"task":%q,"response":%q}`, ref.Task, text) + "\n"
	in := strings.NewReader(strings.Repeat(line, b.N))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := o.ScoreStream(context.Background(), in, discard{}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "responses/s")
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
