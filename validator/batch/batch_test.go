package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/rowjson"
)

// line makes a row with inline texts.
func line(id any, domain, problem, plan string) string {
	b, err := json.Marshal(map[string]any{"id": id, "domain_text": domain, "problem_text": problem, "plan": plan})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func runBatch(t *testing.T, in string, opt Options) (string, Stats) {
	t.Helper()
	var out bytes.Buffer
	stats, err := Run(context.Background(), strings.NewReader(in), &out, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), stats
}

func TestBatchRows(t *testing.T) {
	dir := t.TempDir()
	d, p := filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")
	for path, text := range map[string]string{d: pddltest.BlocksDomain, p: pddltest.SixBlocksProblem} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := json.Marshal(map[string]any{"id": 7, "domain": d, "problem": p, "plan": pddltest.SixBlocksPlan})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"files and a number as id", string(files), `{"id":7,"valid":true,"cost":"14","steps":14,"executed":14,"goal_reached":true}`},
		{"inline text", line("a", pddltest.BlocksDomain, pddltest.SixBlocksProblem, "(unstack a b)\n(stack a b)"),
			`{"id":"a","valid":false,"cost":"2","steps":2,"executed":2,"goal_reached":false,"failure":{"kind":"goal","unsatisfied":["(on c a)","(on f c)","(on d f)"],"because":"(on c a) was never true: it is not in the initial state and no earlier step adds it","message":"goal: (on c a) and 2 more do not hold"}}`},
		{"unreadable plan", line("a", pddltest.BlocksDomain, pddltest.SixBlocksProblem, "(unstack a b)\nthen (stack a b)"),
			`{"id":"a","valid":false,"cost":"0","steps":0,"executed":0,"goal_reached":false,"failure":{"kind":"syntax","line":2,"column":1,`},
		{"no id", `{"domain_text":"x","plan":""}`, `{"id":null,"error":"the row has no problem"}`},
		{"unreadable domain", line("a", "(define", pddltest.SixBlocksProblem, ""), `{"id":"a","error":"domain.pddl:1:`},
		{"not JSON", "{", `{"id":null,"error":"row 1: `},
		{"an id of any kind", `{"id":[1,{"a":null}]}`, `{"id":[1,{"a":null}],"error":"no plan"}`},
		{"an id that is false", `{"id":false}`, `{"id":false,"error":"no plan"}`},
		{"a member of the wrong type", `{"id":{"a":1},"domain":5,"plan":""}`, `{"id":{"a":1},"error":"row 1: domain is a JSON number, not a string"}`},
		{"a plan of the wrong type", `{"plan":5,"id":7}`, `{"id":7,"error":"plan is neither a string nor a list of steps"}`},
		{"a task by name that nobody knows", `{"id":7,"task":"x:1","plan":[]}`, `{"id":7,"error":"unknown bundled domain \"x\": `},
		{"no object", `[1]`, `{"id":null,"error":"row 1: not a JSON object but a JSON array"}`},
		{"byte order mark", "\ufeff" + `{"id":1}`, `{"id":1,"error":"no plan"}`},
		{"no plan", `{"id":"x","domain":"d","problem":"p"}`, `{"id":"x","error":"no plan"}`},
		{"missing file", `{"id":"x","domain":"no/such","problem":"p","plan":""}`, `{"id":"x","error":"stat no/such`},
		{"bad epsilon", `{"id":"x","epsilon":"-1","plan":""}`, `{"id":"x","error":"epsilon \"-1\" is not a number >= 0"}`},
		{"unsupported", line("a", "(define (domain x) (:requirements :durative-actions) (:predicates (p)) (:durative-action f :parameters () :duration (= ?duration 1) :condition (and) :effect (when (at end (p)) (at start (p)))))", "(define (problem y) (:domain x) (:init) (:goal (p)))", ""),
			`{"id":"a","error":"domain.pddl:1:`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, stats := runBatch(t, tt.in, Options{Workers: 1})
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %swant %s", got, tt.want)
			}
			if stats.Rows != 1 || strings.Contains(got, `"error"`) != (stats.Errors == 1) {
				t.Errorf("stats %+v", stats)
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

// TestBatchIsOrdered runs many rows of several tasks, good and bad, and expects
// the same bytes from any number of workers and from a cache that holds nothing.
func TestBatchIsOrdered(t *testing.T) {
	var in strings.Builder
	for i := range 500 {
		problem := strings.Replace(pddltest.SixBlocksProblem, "problem six", fmt.Sprintf("problem p%d", i%7), 1)
		switch i % 5 {
		case 0:
			in.WriteString(line(i, pddltest.BlocksDomain, problem, pddltest.SixBlocksPlan))
		case 1:
			in.WriteString(line(i, pddltest.BlocksDomain, problem, strings.Repeat(pddltest.SixBlocksPlan, i%9)))
		case 2:
			in.WriteString("{\"id\": \"bad\n")
		case 3:
			in.WriteString("\n" + line(fmt.Sprint(i), pddltest.BlocksDomain, "", "(a)"))
		case 4:
			in.WriteString(line(i, pddltest.BlocksDomain, problem, "(unstack a c)"))
		}
	}
	want, stats := runBatch(t, in.String(), Options{Workers: 1})
	if stats.Rows != 500 || stats.Valid < 100 || stats.Errors != 200 {
		t.Errorf("stats %+v", stats)
	}
	for _, opt := range []Options{{Workers: 2}, {Workers: 8}, {Workers: 4, CacheBytes: 1}} {
		if got, _ := runBatch(t, in.String(), opt); got != want {
			t.Errorf("%d workers, cache %d: output differs", opt.Workers, opt.CacheBytes)
		}
	}
}

// TestBatchAnswersAsItReads checks that a row is answered before the next arrives.
func TestBatchAnswersAsItReads(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), inR, outW, Options{})
		outW.Close()
		done <- err
	}()
	answers := bufio.NewScanner(outR)
	for i := range 5 {
		if _, err := io.WriteString(inW, line(i, pddltest.BlocksDomain, pddltest.SixBlocksProblem, pddltest.SixBlocksPlan)); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.HasPrefix(answers.Text(), fmt.Sprintf(`{"id":%d,"valid":true`, i)) {
			t.Fatalf("answer %d: %s", i, answers.Text())
		}
	}
	inW.Close()
	if answers.Scan() {
		t.Errorf("surplus answer %s", answers.Text())
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBatchSkipsLongRows(t *testing.T) {
	in := line(1, pddltest.BlocksDomain, pddltest.SixBlocksProblem, pddltest.SixBlocksPlan)
	long := line(2, pddltest.BlocksDomain, pddltest.SixBlocksProblem, strings.Repeat(" ", 100000))
	got, _ := runBatch(t, in+long+in, Options{MaxRow: 50000})
	lines := strings.Split(got, "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], `"valid":true`) || lines[1] != `{"id":null,"error":"row 2: longer than 50000 bytes"}` || lines[2] != lines[0] {
		t.Errorf("got %s", got)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestBatchStopsOnErrors(t *testing.T) {
	in := strings.Repeat(line(1, pddltest.BlocksDomain, pddltest.SixBlocksProblem, pddltest.SixBlocksPlan), 2000)
	if _, err := Run(context.Background(), strings.NewReader(in), brokenWriter{}, Options{}); err == nil || err.Error() != "disk full" {
		t.Errorf("write error lost: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, strings.NewReader(in), io.Discard, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled batch: %v", err)
	}
	bad := io.MultiReader(strings.NewReader(in), iotestErr{})
	stats, err := Run(context.Background(), bad, io.Discard, Options{})
	if err == nil || err.Error() != "unplugged" || stats.Valid != 2000 {
		t.Errorf("read error: %v, %+v", err, stats)
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("unplugged") }

// TestSeesChangedFiles: a file is read again when it has changed, also within one run.
func TestSeesChangedFiles(t *testing.T) {
	dir := t.TempDir()
	d, p := filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(d, pddltest.BlocksDomain)
	write(p, pddltest.SixBlocksProblem)
	line, err := json.Marshal(map[string]any{"domain": d, "problem": p, "plan": pddltest.SixBlocksPlan})
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		_, err := Run(context.Background(), inR, outW, Options{Workers: 2})
		outW.CloseWithError(err)
	}()
	answers := bufio.NewScanner(outR)
	for i, want := range []string{`{"valid":true`, `{"valid":true`, `{"valid":false`} {
		if i == 2 {
			write(p, strings.Replace(pddltest.SixBlocksProblem, "(on d f)", "(ontable d) ", 1))
		}
		if _, err := inW.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.HasPrefix(answers.Text(), want) {
			t.Fatalf("answer %d: %s, want %s (%v)", i, answers.Text(), want, answers.Err())
		}
	}
	inW.Close()
	if answers.Scan() || answers.Err() != nil {
		t.Errorf("%s, %v", answers.Text(), answers.Err())
	}
}

// TestFastRowIsSlowRow: a row that is read in one pass says what encoding/json reads in it.
func TestFastRowIsSlowRow(t *testing.T) {
	for _, line := range []string{
		`{"id":[1, 2],"domain":"d\u0041","problem":null,"plan":["a","b"],"epsilon":0.5,"other":{"a":1}}`,
		`{"domain_text":"(d)\n","problem_text":"\ud83d\ude00","task":"x","plan":"(a)"}`,
		`{ "plan" : "" }`,
	} {
		var fast row
		var slow slowRow
		if !rowjson.ScanObject([]byte(line), fast.set) || json.Unmarshal([]byte(line), &slow) != nil {
			t.Fatalf("%s: not read in one pass", line)
		}
		for i, want := range [taskMembers]string{slow.Domain, slow.Problem, slow.DomainText, slow.ProblemText, slow.Task} {
			got := ""
			if raw := fast.task[i]; raw != nil {
				got, _ = rowjson.String(raw)
			}
			if got != want {
				t.Errorf("%s: member %d is %q, want %q", line, i, got, want)
			}
		}
		if string(fast.id) != string(slow.ID) || string(fast.plan) != string(slow.Plan) || string(fast.epsilon) != string(slow.Epsilon) || string(fast.tolerance) != string(slow.Tolerance) {
			t.Errorf("%s: %s, %s, %s", line, fast.id, fast.plan, fast.epsilon)
		}
	}
	for _, line := range []string{`{"id":1,"plan":"","plan":"(a)"}`, `{"domain":5,"plan":""}`, `{"id":1,"plan":"a`} {
		if err := new(row).read([]byte(line), new(longTexts).find); err == nil {
			t.Errorf("%s is read without an error", line)
		}
	}
}

// TestManyTexts: rows with more texts than are compared, of one length and with a long common beginning, are answered
// as each is alone.
func TestManyTexts(t *testing.T) {
	const tasks = 11
	var rows, want []string
	for round := range 5 {
		for i := range tasks {
			k := (i * (round + 1)) % tasks // a prime number: all of them in another order
			goal := fmt.Sprintf("(p o%02d)", k)
			domain := "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :effect (p ?x)))" + strings.Repeat(" ", 300)
			problem := "(define (problem p) (:domain d) (:objects"
			for o := range tasks {
				problem += fmt.Sprintf(" o%02d", o)
			}
			problem += ")" + strings.Repeat(" ", 300) + "(:init) (:goal " + goal + "))"
			rows = append(rows, line(len(rows), domain, problem, fmt.Sprintf("(a o%02d)", (k+round%2)%tasks)))
			alone, _ := runBatch(t, rows[len(rows)-1], Options{Workers: 1})
			if got := strings.Contains(alone, `"valid":true`); got != (round%2 == 0) {
				t.Fatalf("round %d: %s", round, alone)
			}
			want = append(want, alone)
		}
	}
	for _, workers := range []int{1, 3} {
		if got, _ := runBatch(t, strings.Join(rows, ""), Options{Workers: workers}); got != strings.Join(want, "") {
			t.Errorf("%d workers: %s", workers, got)
		}
	}
}

// BenchmarkBatch judges rows of one task; bytes are those of the rows.
func BenchmarkBatch(b *testing.B) {
	dir := b.TempDir()
	d, p := filepath.Join(dir, "d.pddl"), filepath.Join(dir, "p.pddl")
	for path, text := range map[string]string{d: pddltest.BlocksDomain, p: pddltest.SixBlocksProblem} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for name, plan := range map[string]string{"valid": pddltest.SixBlocksPlan, "invalid": "(unstack a b)\n(put-down a)\n(unstack b d)\n"} {
		one, err := json.Marshal(map[string]any{"id": "row", "domain": d, "problem": p, "plan": plan})
		if err != nil {
			b.Fatal(err)
		}
		in := strings.Repeat(string(one)+"\n", 1000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if s, err := Run(context.Background(), strings.NewReader(in), io.Discard, Options{Workers: 1}); err != nil || s.Errors > 0 {
					b.Fatal(err, s)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
		})
	}
}
