package search

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
)

// bundledTask loads a task of package domains; costs replaces those of action schemas.
func bundledTask(tb testing.TB, name string, costs map[string]int64) *grounder.Task {
	tb.Helper()
	d, p, err := domains.Load(name)
	if err != nil {
		tb.Fatal(err)
	}
	dom, ds := pddl.ParseDomain(d, pddl.Options{})
	if dom == nil {
		tb.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(p, dom, pddl.Options{})
	if prob == nil {
		tb.Fatal(ds)
	}
	task := groundKeeping(tb, prob)
	for o := range task.Operators.Len() {
		if c, ok := costs[task.SchemaNames[task.Operators.Schema(o)]]; ok {
			task.Operators.SetCost(o, c)
		}
	}
	return task
}

// groundKeeping grounds a problem, and where that decides it, again as a whole, as solve
// --certificate does.
func groundKeeping(tb testing.TB, prob *pddl.Problem) *grounder.Task {
	tb.Helper()
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err == nil && (task.Unsolvable || task.Trivial) {
		task, err = grounder.Ground(context.Background(), prob, grounder.Options{KeepIrrelevant: true})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return task
}

// certifiedTasks lists tasks of several domains, with costs, costs of 0, conditional effects,
// axioms; all of them only if full.
func certifiedTasks(tb testing.TB, full bool) (names []string, tasks []*grounder.Task) {
	add := func(name string, task *grounder.Task) {
		names, tasks = append(names, name), append(tasks, task)
	}
	many := func(few, all int) int {
		if full {
			return all
		}
		return few
	}
	for k := range many(2, 12) {
		for n := 3; n <= 6; n++ {
			add(fmt.Sprintf("blocksworld:%d-%d", n, 7*k+3), bundledTask(tb, fmt.Sprintf("blocksworld:%d-%d", n, 7*k+3), nil))
		}
	}
	for k := range many(1, 8) {
		for i, costs := range []map[string]int64{{"put-down": 20}, {"pick-up": 0, "put-down": 0, "stack": 3}} {
			name := fmt.Sprintf("budget-blocksworld:1-%d", 100*k+50+i)
			add(fmt.Sprint(name, " at ", costs), bundledTask(tb, name, costs))
		}
	}
	for k := range many(1, 8) {
		for _, kind := range []string{"logistics:2-2-2-%d", "elevator:5-4-2-%d", "elevator:4-3-1-%d", "powergrid:5-1-2-%d", "powergrid:6-2-2-%d"} {
			name := fmt.Sprintf(kind, k+1)
			add(name, bundledTask(tb, name, nil))
		}
	}
	for n := 1; n <= many(3, 7); n++ {
		add(fmt.Sprintf("gripper:%d", n), bundledTask(tb, fmt.Sprintf("gripper:%d", n), nil))
	}
	return names, tasks
}

// unsolvableTasks are random tasks from whose reachable states, at least least, no goal state
// can be reached, and two where grounding sees it.
func unsolvableTasks(tb testing.TB, n, least int) (tasks []*grounder.Task) {
	rng := rand.New(rand.NewSource(3))
	for len(tasks) < n {
		opt := randomsas.Options{Axioms: rng.Intn(2) == 0, ConditionalEffects: rng.Intn(2) == 0, MaxCost: rng.Intn(4)}
		task, err := grounder.ReadSAS(strings.NewReader(randomsas.Text(func(lo, hi int) int { return lo + rng.Intn(hi-lo+1) }, opt)))
		if err != nil {
			tb.Fatal(err)
		}
		if task.Operators.Len() < 5 {
			continue
		}
		if sp := tasktest.Enumerate(task); sp.Cost[0] == tasktest.NoPlan && len(sp.States) >= least {
			tasks = append(tasks, task)
		}
	}
	d, p, err := domains.Load("blocksworld:4-17")
	if err != nil {
		tb.Fatal(err)
	}
	for _, goal := range []string{"(:goal (and (on a b) (on b a)))", "(:goal (and (holding a) (holding b)))"} {
		text := p.Text[:strings.Index(p.Text, "(:goal")] + goal + ")"
		dom, _ := pddl.ParseDomain(d, pddl.Options{})
		prob, ds := pddl.ParseProblem(pddl.NewSource("p", text), dom, pddl.Options{})
		if prob == nil {
			tb.Fatal(ds)
		}
		tasks = append(tasks, groundKeeping(tb, prob))
	}
	return tasks
}

// TestCertificates certifies solved and unsolvable tasks and checks what was written. With
// PLANPROOF_CERTIFICATES set, at least 100 and 10 of them, the corpus of benchmarks included.
func TestCertificates(t *testing.T) {
	full := os.Getenv("PLANPROOF_CERTIFICATES") != ""
	solved, unsolvable := 0, 0
	var searching, certifying, checking time.Duration
	run := func(name string, task *grounder.Task, s string) {
		start := time.Now()
		r, err := Run(context.Background(), task, Config{Search: s, Limits: Limits{CPU: 60 * time.Second}})
		if err != nil || r.Status != SolvedOptimally && r.Status != Unsolvable {
			t.Errorf("%s: %v %v", name, r, err)
			return
		}
		found := time.Now()
		c, err := Certify(context.Background(), task, r, Limits{CPU: 60 * time.Second}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		made := time.Now()
		n, report, err := tasktest.CheckCertificate(t, task, c.Certificate)
		if err != nil {
			t.Errorf("%s, %s: %v", name, s, err)
			return
		}
		done := time.Now()
		if r.Status == Unsolvable {
			unsolvable++
		} else {
			solved++
		}
		searching, certifying, checking = searching+found.Sub(start), certifying+made.Sub(found), checking+done.Sub(made)
		if full {
			t.Logf("%s, %s: %s, search %v, certificate %v, %d bytes, check %v %+v", name, s, r.Status, found.Sub(start), made.Sub(found), n, done.Sub(made), *report)
		}
	}
	names, tasks := certifiedTasks(t, full)
	searches := []string{"auto()", "astar(blind())", "astar(pdb(states=500))"}
	for i, task := range tasks {
		run(names[i], task, searches[i%len(searches)])
	}
	for i, task := range unsolvableTasks(t, 10, 20) {
		run(fmt.Sprintf("unsolvable task %d", i), task, searches[i%len(searches)])
	}
	if full {
		dir, rows := corpus(t)
		for _, row := range rows {
			if row.seconds() < 0.5 && row["translate_cpu_s"] < "3" {
				run(row["domain"]+"/"+row["problem_file"], row.ground(t, dir), "auto()")
			}
		}
	}
	t.Logf("%d solved and %d unsolvable tasks: search %v, certificates %v, checks %v", solved, unsolvable, searching, certifying, checking)
	if unsolvable < 10 || full && solved < 100 || solved < 15 {
		t.Errorf("only %d solved and %d unsolvable tasks", solved, unsolvable)
	}
}
