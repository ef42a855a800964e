package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// manyObjects writes n objects.
func manyObjects(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " o%d", i)
	}
	return b.String()
}

// endlessTask has so many ground effects that grounding it ends with a limit only.
// The names make it another task.
func endlessTask(name string) taskref.Ref {
	return taskref.Ref{
		DomainText: `(define (domain d) (:requirements :adl) (:predicates (p ?a ?b) (q ?a ?b ?c ?d ?e ?f))
		  (:action mk :parameters (?x ?y) :effect (p ?x ?y))
		  (:action a :parameters () :effect (forall (?a ?b ?c ?d ?e ?f) (when (p ?a ?b) (q ?a ?b ?c ?d ?e ?f)))))`,
		ProblemText: "(define (problem " + name + ") (:domain d) (:objects" + manyObjects(50) + ") (:init) (:goal (q o1 o1 o1 o1 o1 o1)))",
	}
}

// largeTask fills memory when it is grounded.
func largeTask(name string) taskref.Ref {
	return taskref.Ref{
		DomainText: `(define (domain d) (:requirements :adl) (:predicates (p ?a ?b) (q ?a ?b ?c ?d))
		  (:action mk :parameters (?a ?b ?c ?d) :effect (q ?a ?b ?c ?d)))`,
		ProblemText: "(define (problem " + name + ") (:domain d) (:objects" + manyObjects(30) + ") (:init) (:goal (forall (?a ?b ?c ?d) (q ?a ?b ?c ?d))))",
	}
}

func TestTableTime(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process", Limits: Limits{TableTime: 200 * time.Millisecond}})
	item := &rows.Item{Task: endlessTask("x"), Response: "(mk o1 o2)"}
	start := testkit.CPUTime()
	first := o.Score(context.Background(), item, "")
	if first.Status != rows.StatusTimeout || first.Reward != nil || !strings.Contains(first.Error, "more than 200ms") {
		t.Errorf("%s", asJSON(first))
	}
	if d := testkit.CPUTime() - start; d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	start = testkit.CPUTime()
	for range 1000 {
		if s := o.Score(context.Background(), item, ""); asJSON(s) != asJSON(first) {
			t.Fatalf("%s", asJSON(s))
		}
	}
	if d := testkit.CPUTime() - start; d > 20*time.Second {
		t.Errorf("the time is spent on each row: %v", d)
	}
	if s := o.Score(context.Background(), item, "valid"); s.Status != rows.StatusInvalid {
		t.Errorf("the task itself is fine: %s", asJSON(s))
	}
}

// TestTableMemory scores rows of tasks that do not fit and of one that does, at the
// same time.
func TestTableMemory(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process", Workers: 2, Limits: Limits{TableBytes: 16 << 20}})
	var items []rows.Item
	for i := range 8 {
		if i%8 == 0 {
			items = append(items, rows.Item{Task: largeTask(fmt.Sprint("x", i)), Response: "(mk o1 o1 o1 o1)"})
		} else {
			items = append(items, rows.Item{Task: taskref.Ref{Task: fmt.Sprint("blocksworld:4-", i)}, Response: "(pick-up a)"})
		}
	}
	for i, s := range o.ScoreAll(context.Background(), items, "") {
		if i%8 == 0 && (s.Status != rows.StatusNoTable || s.Reward != nil || !strings.Contains(s.Error, "more than 16777216 bytes")) || i%8 > 0 && s.Reward == nil {
			t.Errorf("row %d: %s", i, asJSON(s))
		}
	}
}

// TestShutdown ends the service while tables are being made.
func TestShutdown(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process", Workers: 2})
	inR, inW := io.Pipe()
	defer inW.Close()
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.ServeStdio(ctx, inR, &out) }()
	for i := range 4 {
		ref := endlessTask(fmt.Sprint("x", i))
		io.WriteString(inW, fmt.Sprintf("{\"id\":%d,\"domain_text\":%s,\"problem_text\":%s,\"response\":\"no\"}\n", i, jsonText(ref.DomainText), jsonText(ref.ProblemText)))
	}
	time.Sleep(200 * time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(15 * time.Second): // half of the time that a table may take
		t.Fatal("the service goes on")
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if line == "" { // a slow machine: nothing had been read yet
			continue
		}
		if !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"reward":null,`, i)) || !strings.Contains(line, `"status":"timeout","error":"interrupted`) {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

// jsonText quotes a text.
func jsonText(s string) string {
	return `"` + strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(s) + `"`
}

// TestInterruptedMakerIsReplaced lets the one who makes a table give up while
// another waits for it.
func TestInterruptedMakerIsReplaced(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process", Limits: Limits{TableTime: time.Second}})
	item := &rows.Item{Task: endlessTask("x"), Response: "no"}
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan *rows.Score, 1)
	go func() { first <- o.Score(ctx, item, "") }()
	time.AfterFunc(100*time.Millisecond, cancel)
	time.Sleep(20 * time.Millisecond)
	if s := o.Score(context.Background(), item, ""); !strings.Contains(s.Error, "more than 1s") {
		t.Errorf("%s", asJSON(s))
	}
	if s := <-first; !strings.Contains(s.Error, "interrupted") {
		t.Errorf("%s", asJSON(s))
	}
	if err := o.Prepare(ctx, taskref.Ref{Task: "blocksworld:4-1"}, "process"); !errors.Is(err, context.Canceled) {
		t.Errorf("prepared after the end: %v", err)
	}
}

// TestNewOracleRefuses shows that what no row could be scored with is refused at the
// start.
func TestNewOracleRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("(define (domain d) (:predicates (p ?x - undeclared)))"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]Options{
		"unknown reward":         {Reward: "best"},
		"unknown bundled task":   {Task: taskref.Ref{Task: "griper:1"}},
		"missing file":           {Task: taskref.Ref{Domain: filepath.Join(dir, "none"), Problem: file}},
		"bad domain":             {Task: taskref.Ref{Domain: file, Problem: file}},
		"domain without problem": {Task: taskref.Ref{Domain: file}},
		"bad text":               {Task: taskref.Ref{DomainText: "(", ProblemText: "("}},
		"table folder is a file": {TableDir: file},
		"table folder in a file": {TableDir: filepath.Join(file, "x")},
	} {
		if o, err := New(opt); err == nil || o != nil {
			t.Errorf("%s: accepted", name)
		}
	}
	tables := filepath.Join(dir, "new", "tables")
	if _, err := New(Options{TableDir: tables, Task: taskref.Ref{Task: "gripper:1"}}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tables); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestSkippingIsBounded skips steps each of which takes much work to refuse.
func TestSkippingIsBounded(t *testing.T) {
	var values []string
	for _, o := range strings.Fields(manyObjects(40)) {
		values = append(values, "(= (x "+o+") 1)")
	}
	o := newTestOracle(t, Options{Reward: "process-skip", Limits: Limits{JudgeWork: 100_000}})
	ref := taskref.Ref{
		DomainText: `(define (domain d) (:requirements :adl :fluents) (:types thing many - object) (:predicates (p ?x - thing)) (:functions (x ?m - many))
		  (:action ok :parameters (?x - thing) :effect (p ?x))
		  (:action hard :parameters () :precondition (exists (?a ?b - many) (< (+ (x ?a) (x ?b)) 0))))`,
		ProblemText: "(define (problem x) (:domain d) (:objects t1 t2 t3 - thing" + manyObjects(40) + " - many) (:init" +
			strings.Join(values, " ") + ") (:goal (forall (?x - thing) (p ?x))))",
	}
	few := o.Score(context.Background(), &rows.Item{Task: ref, Response: answer("(ok t1)", "(hard)", "(ok t2)")}, "")
	if few.Reward == nil || few.Status != rows.StatusInvalid {
		t.Errorf("%s", asJSON(few))
	}
	many := o.Score(context.Background(), &rows.Item{Task: ref, Response: answer(append(repeat("(ok t1)", 40), repeat("(hard)", 150)...)...)}, "")
	if many.Reward != nil || many.Status != rows.StatusTimeout || !strings.Contains(many.Error, "skipping") {
		t.Errorf("%s", asJSON(many))
	}
}

// quantifiedTask has a step whose condition takes seconds to evaluate, and one whose effect
// fills gigabytes.
func quantifiedTask() taskref.Ref {
	var objects, init strings.Builder
	for i := range 300 {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&init, "(= (w o%d) 1)", i)
	}
	return taskref.Ref{
		DomainText: `(define (domain d) (:requirements :adl :fluents) (:predicates (q ?a ?b ?c ?d) (done)) (:functions (w ?a))
 (:action read :parameters () :precondition (forall (?a ?b ?c ?d) (> (+ (+ (w ?a) (w ?b)) (+ (w ?c) (w ?d))) 0)) :effect (done))
 (:action change :parameters () :effect (and (done) (forall (?a ?b ?c ?d) (q ?a ?b ?c ?d))))
 (:action spend :parameters (?a) :effect (decrease (w ?a) 1)))`,
		ProblemText: "(define (problem p) (:domain d) (:objects" + objects.String() + ") (:init " + init.String() + ") (:goal (done)))",
	}
}

// TestDeadlineWithinAStep: a deadline ends the judging of one step, in every operation that
// judges. That is a status, and no score.
func TestDeadlineWithinAStep(t *testing.T) {
	o := newTestOracle(t, Options{Workers: 1})
	ref := quantifiedTask()
	task := fmt.Sprintf(`{"domain":%s,"problem":%s}`, jsonText(ref.DomainText), jsonText(ref.ProblemText))
	for op, members := range map[Op]string{
		OpScore:    `"completion":"<plan>\n(%s)\n</plan>"`,
		OpValidate: `"plan":"(%s)"`,
		OpMask:     `"prefix":["(%s)"]`,
		OpStep:     `"prefix":[],"action":"(%s)"`,
	} {
		for _, step := range []string{"read", "change"} {
			body := fmt.Sprintf(`{"schema":%q,"deadline_ms":150,"items":[{"id":1,"task":%s,%s}]}`, op.Schema(), task, fmt.Sprintf(members, step))
			if _, fault := o.Call(context.Background(), "", []byte(strings.Replace(body, `"deadline_ms":150`, `"deadline_ms":1`, 1))); fault != nil {
				t.Fatal(fault.Message)
			}
			start := testkit.CPUTime()
			r, fault := o.Call(context.Background(), "", []byte(body))
			used := testkit.CPUTime() - start
			if fault != nil {
				t.Fatal(fault.Message)
			}
			if text := string(r.Body); !strings.Contains(text, `"status":"unavailable"`) ||
				strings.Contains(text, `"score":0`) || used > 1500*time.Millisecond {
				t.Errorf("%s, %s: %v\n%s", op, step, used, text)
			}
		}
	}
}
