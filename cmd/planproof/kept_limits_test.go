package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/cmdline"
)

// slowStages are command lines whose time goes into one stage each, on the tasks of
// writeSlowTasks; without limits they run for seconds to days.
var slowStages = []struct {
	stage, line string
	// answered: what is printed all the same begins so, on standard output.
	answered string
	long     bool // left out of quick runs
}{
	{stage: "reading a long problem", line: "solve pairs-d huge-p"},
	{stage: "joining while it grounds", line: "ground wide-d wide-p"},
	{stage: "joining for the lifted successors", line: "mask wide-d wide-p"},
	{stage: "joining for a grammar", line: "grammar wide-d wide-p --ground", long: true},
	{stage: "one estimate of LM-cut", line: "solve chain-d chain-p --search astar(lmcut())"},
	{stage: "one estimate of LM-cut, from both ends", line: "solve chain-d chain-p --search nbs(lmcut())"},
	{stage: "search", line: "solve logistics:5-5-5-9 --search astar(blind())", long: true},
	{stage: "pattern databases", line: "solve logistics:9-9-9-40 --search astar(pdb(states=16000000,total=100000000))"},
	{stage: "cost partitionings", line: "solve logistics:9-9-9-40 --search astar(scp(work=100000,cartesian=16000000))", long: true},
	{stage: "one quantifier of a condition", line: "validate pairs-d pairs-p act.plan", answered: "no verdict: "},
	{stage: "one quantifier of an effect", line: "validate fill-d fill-p act.plan", answered: "no verdict: "},
	{stage: "one row of a batch", line: "validate --batch rows.jsonl"},
	{stage: "repair", line: "validate blocksworld:40-1 empty.plan --repair", answered: "invalid: "},
	{stage: "judging for a model", line: "feedback pairs-d pairs-p act.plan --style pddl", long: true},
	{stage: "the judge for every step", line: "mask pairs-d pairs-p --lifted"},
	{stage: "tables of a state space", line: "exhaust blocksworld:9-3"},
	{stage: "tables of goals", line: "exhaust blocksworld:9-3 --goals goals.txt", long: true},
	{stage: "export of a state space", line: "exhaust blocksworld:9-3 --export space", long: true},
	{stage: "making a certificate", line: "solve gripper:17 --search ucs() --certificate proof.cert"},
	{stage: "guided tree search", line: "ask blocksworld:40-1 --method best-first --expansions 100000000", long: true},
	{stage: "budgets", line: "cost budget logistics:5-5-5-9 --schedule *=1,load-truck=3", long: true},
	{stage: "cost shift", line: "cost shift logistics:5-5-5-9 --schedule *=1,load-truck=3", long: true},
	{stage: "restrictions", line: "restrict logistics:5-5-5-9 --sample 2", long: true},
	{stage: "a gold answer", line: "prompt logistics:5-5-5-9 --kind cost-optimal --json", answered: `{"error":`, long: true},
	{stage: "a data set", line: "export logistics:5-5-5-9 -o data", long: true},
}

// TestLimitsAreKept drives each stage of the commands over --time, and interrupts it: it
// ends within 0.3 s and a tenth of the limit, with code 3 and words that name the reason.
func TestLimitsAreKept(t *testing.T) {
	dir := t.TempDir()
	writeSlowTasks(t, dir)
	const limit = 600 * time.Millisecond
	for _, c := range slowStages {
		if c.long && testing.Short() {
			continue
		}
		t.Run(c.stage, func(t *testing.T) {
			p := startPlanproof(t, dir, c.line+" --time "+limit.String())
			p.endsWithin(t, limit, exitLimit)
			if !strings.HasPrefix(p.out.String(), c.answered) || c.answered == "" && !strings.Contains(p.errs.String(), "limit") && !strings.Contains(p.errs.String(), "time") {
				t.Errorf("output %.200q, errors %.200q", &p.out, &p.errs)
			}
			p = startPlanproof(t, dir, c.line)
			time.Sleep(limit)
			if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			p.endsWithin(t, limit, exitLimit)
			if !strings.HasPrefix(p.out.String(), c.answered) || c.answered == "" && !strings.Contains(p.errs.String(), cmdline.Interrupted) {
				t.Errorf("interrupted: output %.200q, errors %.200q", &p.out, &p.errs)
			}
		})
	}
}

// TestMemoryIsKept drives stages over --memory: the process never holds a tenth more, beside
// what the program takes to do nothing.
func TestMemoryIsKept(t *testing.T) {
	dir := t.TempDir()
	writeSlowTasks(t, dir)
	idle := startPlanproof(t, dir, "capabilities")
	idle.endsWithin(t, time.Minute, exitYes)
	const limit = 96 << 20
	for _, line := range []string{
		"ground cube-d cube-p",
		"solve cube-d cube-p",
		"solve gripper:17 --search ucs()",
		"solve gripper:17 --search ucs() --certificate proof.cert",
		"solve logistics:9-9-9-40 --search astar(pdb(states=16000000,total=100000000))",
		"solve logistics:9-9-9-40 --search astar(scp(work=100000,cartesian=16000000,total=100000000))",
		"validate fill-d fill-p act.plan",
		"exhaust blocksworld:9-3",
		"exhaust gripper:17 --export space",
	} {
		if testing.Short() && !strings.Contains(line, "ground") && !strings.Contains(line, "validate") {
			continue
		}
		p := startPlanproof(t, dir, fmt.Sprintf("%s --memory %d", line, limit))
		p.endsWithin(t, time.Minute, exitLimit)
		used := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		base := idle.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if most := base.Maxrss<<10 + limit + limit/10; used.Maxrss<<10 > most {
			t.Errorf("%s: %d MB, more than %d\n%s", line, used.Maxrss>>10, most>>20, &p.errs)
		}
	}
}

// process is a planproof of its own.
type process struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	began     time.Time
}

func startPlanproof(t *testing.T, dir, line string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self), began: time.Now()}
	p.cmd.Args = append([]string{"planproof"}, strings.Fields(line)...)
	for i, arg := range p.cmd.Args {
		if strings.HasSuffix(arg, "-d") || strings.HasSuffix(arg, "-p") {
			p.cmd.Args[i] = arg + ".pddl"
		}
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.out, &p.errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// endsWithin waits for the end. The time counts from the start, or from the signal. On a
// loaded machine a process gets little of the time that passes: then its processor time counts.
func (p *process) endsWithin(t *testing.T, limit time.Duration, code int) {
	t.Helper()
	waited := time.Now()
	if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState == nil {
		t.Fatal(err)
	}
	most := limit + limit/10 + 300*time.Millisecond
	took, used := time.Since(p.began), p.cmd.ProcessState.UserTime()+p.cmd.ProcessState.SystemTime()
	if waited.Sub(p.began) > limit { // interrupted at limit
		took -= limit
	}
	if took > most && used > 2*most || took > 10*most {
		t.Errorf("%v: took %v, %v of the processors, more than %v", p.cmd.Args, took, used, most)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code && !(code == exitLimit && strings.HasPrefix(p.out.String(), "invalid: ") && got == exitNo) {
		t.Errorf("%v: code %d, want %d\n%.300s\n%.300s", p.cmd.Args, got, code, &p.out, &p.errs)
	}
}

// writeSlowTasks writes tasks that are small in words and large for one stage.
func writeSlowTasks(t *testing.T, dir string) {
	t.Helper()
	put := func(name, text string) { writeTestFile(t, filepath.Join(dir, name), text) }
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	problem := func(domain, objects, init, goal string) string {
		return fmt.Sprintf("(define (problem x) (:domain %s) (:objects %s) (:init %s) (:goal %s))", domain, objects, init, goal)
	}
	const names = " o%[1]d"
	// LM-cut makes 10,000 cuts in the first state, of up to 10,000 operators each.
	put("chain-d.pddl", `(define (domain chain) (:predicates (at ?n) (next ?a ?b))
  (:action move :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b)) :effect (and (at ?b) (not (at ?a)))))`)
	put("chain-p.pddl", problem("chain", each(10_001, names), "(at o0)"+each(10_000, "(next o%d o%d)\n"), "(at o10000)"))
	// 24 to the sixth instances, and 300 cubed.
	domain, wide := wideTask(24)
	put("wide-d.pddl", domain)
	put("wide-p.pddl", wide)
	put("cube-d.pddl", `(define (domain cube) (:predicates (p ?a) (q ?a ?b ?c))
  (:action a :parameters (?a ?b ?c) :precondition (and (p ?a) (p ?b) (p ?c)) :effect (q ?a ?b ?c)))`)
	put("cube-p.pddl", problem("cube", each(300, names), each(300, "(p o%[1]d)"), "(q o0 o1 o2)"))
	// Bindings of four variables: to be looked at, and to be made true.
	pairs := `(define (domain pairs) (:requirements :adl :fluents) (:predicates (q ?a ?b) (done)) (:functions (w ?a))
  (:action act :parameters () :precondition (forall (?a ?b ?c ?d) (> (+ (+ (w ?a) (w ?b)) (+ (w ?c) (w ?d))) 0)) :effect (done))
  (:action cut :parameters (?a ?b) :precondition (q ?a ?b) :effect (and (decrease (w ?a) 1) (not (q ?a ?b)))))`
	put("pairs-d.pddl", pairs)
	square := func(n int) string {
		var b strings.Builder
		for i := range n * n {
			fmt.Fprintf(&b, "(q o%d o%d)\n", i/n, i%n)
		}
		return b.String()
	}
	pairsProblem := problem("pairs", each(150, names), square(150)+each(150, "(= (w o%[1]d) 1)"), "(done)")
	put("pairs-p.pddl", pairsProblem)
	put("huge-p.pddl", problem("pairs", each(2000, names), square(2000), "(done)"))
	put("fill-d.pddl", `(define (domain fill) (:requirements :adl) (:predicates (q ?a ?b ?c ?d) (done))
  (:action act :parameters () :effect (and (done) (forall (?a ?b ?c ?d) (q ?a ?b ?c ?d)))))`)
	put("fill-p.pddl", problem("fill", each(300, names), "", "(done)"))
	put("act.plan", "(act)\n")
	put("empty.plan", "\n")
	put("goals.txt", "(on a b)\n")
	put("rows.jsonl", fmt.Sprintf(`{"id":1,"domain_text":%q,"problem_text":%q,"plan":"(act)"}`+"\n", pairs, pairsProblem))
}
