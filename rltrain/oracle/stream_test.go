package oracle

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/rows"
)

// newTestOracle makes an oracle that reads naturally unless the options say otherwise, since the answers
// of most tests have no markers.
func newTestOracle(t testing.TB, opt Options) *Oracle {
	t.Helper()
	opt.Reader = cmp.Or(opt.Reader, extract.Natural)
	o, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// run scores lines and returns the answers.
func run(t testing.TB, o *Oracle, in string) []string {
	t.Helper()
	var out bytes.Buffer
	if _, err := o.ScoreStream(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// mixedRows is a stream with everything in it.
func mixedRows() string {
	var b strings.Builder
	for i := range 60 {
		switch i % 9 {
		case 0:
			fmt.Fprintf(&b, `{"id":%d,"task":"gripper:1","response":"<plan>\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n</plan>"}`, i)
		case 1:
			fmt.Fprintf(&b, `{"id":%d,"task":"gripper:1","response":"<plan>\n(move room0 room1)\n</plan>"}`, i)
		case 2:
			fmt.Fprintf(&b, `{"id":%d,"task":"gripper:1","response":"I do not know."}`, i)
		case 3:
			fmt.Fprintf(&b, `{"id":%d,"task":"griper:1","response":"<plan></plan>"}`, i)
		case 4:
			fmt.Fprintf(&b, `{"id":%d,"task":"gripper:1"}`, i)
		case 5:
			b.WriteString(`{"id":`)
		case 6:
			fmt.Fprintf(&b, `{"id":%d,"task":"gripper:2","response":["<plan></plan>","<plan>\n(fly)\n</plan>"]}`, i)
		case 7:
			fmt.Fprintf(&b, `{"id":%d,"task":"blocksworld:4-%d","reward":"process","response":"<think>x</think><plan>\n(pick-up a)\n</plan>"}`, i, i+1)
		case 8:
			fmt.Fprintf(&b, `{"ping":%d}`, i)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestStreamStatuses(t *testing.T) {
	answers := run(t, newTestOracle(t, Options{}), mixedRows())
	if len(answers) != 60 {
		t.Fatalf("%d answers to 60 lines", len(answers))
	}
	want := []rows.Status{rows.StatusValid, rows.StatusInvalid, rows.StatusNoPlan, rows.StatusTaskError, rows.StatusBadRow, rows.StatusBadRow, "", "", ""}
	for i, a := range answers {
		var s struct {
			ID       *int
			Reward   *float64
			Status   rows.Status
			Statuses []rows.Status
			Rewards  []float64
			Pong     *int
			Error    string
		}
		if err := json.Unmarshal([]byte(a), &s); err != nil {
			t.Fatalf("%v: %s", err, a)
		}
		switch k := i % 9; {
		case k == 5:
			if s.ID != nil || !strings.Contains(s.Error, fmt.Sprintf("line %d", i+1)) {
				t.Errorf("line %d: %s", i+1, a)
			}
		case k == 6:
			if len(s.Rewards) != 2 || s.Statuses[0] != rows.StatusInvalid || *s.ID != i {
				t.Errorf("line %d: %s", i+1, a)
			}
		case k == 8:
			if s.Pong == nil || *s.Pong != i {
				t.Errorf("line %d: %s", i+1, a)
			}
		default:
			if *s.ID != i || want[k] != "" && s.Status != want[k] || (s.Reward != nil) != s.Status.Scored() {
				t.Errorf("line %d: %s", i+1, a)
			}
		}
	}
}

// TestStreamIsDeterministic compares the bytes of different numbers of workers.
func TestStreamIsDeterministic(t *testing.T) {
	rows := mixedRows()
	want := run(t, newTestOracle(t, Options{Workers: 1}), rows)
	for range 3 {
		for _, workers := range []int{2, 7} {
			got := run(t, newTestOracle(t, Options{Workers: workers}), rows)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%d workers, line %d:\n%s\nwith one:\n%s", workers, i+1, got[i], want[i])
				}
			}
		}
	}
}

func TestStreamLongLines(t *testing.T) {
	o := newTestOracle(t, Options{Limits: Limits{LineBytes: 200}})
	long := `{"id":1,"response":"` + strings.Repeat("x", 100_000) + `"}`
	answers := run(t, o, long+"\n{\"ping\":1}\n\n  \n"+long+"\r\n{\"ping\":2}")
	if len(answers) != 4 || !strings.Contains(answers[0], "line 1 has 100023 bytes, more than 200") || !strings.Contains(answers[2], "line 5") {
		t.Errorf("%q", answers)
	}
	if answers[1] != `{"pong":1}` || answers[3] != `{"pong":2}` {
		t.Errorf("%q", answers)
	}
}

func TestStreamGroups(t *testing.T) {
	good := `<plan>\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n</plan>`
	row := func(id int, group, response string) string {
		return fmt.Sprintf(`{"id":%d,"task":"gripper:1","group":%q,"response":"%s"}`, id, group, response) + "\n"
	}
	in := row(0, "", good) + row(1, "a", good) + row(2, "b", good) + row(3, "a", "no") + row(4, "", "no") + row(5, "b", good) +
		`{"id":6,"task":"nothing","group":"a","response":"x"}` + "\n"
	answers := run(t, newTestOracle(t, Options{}), in)
	want := []any{nil, 1.0, 0.0, -1.0, nil, 0.0, 0.0}
	for i, a := range answers {
		var s struct {
			ID        int
			Advantage any
			Group     string
		}
		if err := json.Unmarshal([]byte(a), &s); err != nil || s.ID != i || s.Advantage != want[i] {
			t.Errorf("row %d: %v, %s", i, err, a)
		}
	}
	if len(answers) != 7 {
		t.Errorf("%d answers", len(answers))
	}
}

// TestBatchGroups shows which members of a line are compared with each other.
func TestBatchGroups(t *testing.T) {
	good := `"<plan>\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n</plan>"`
	in := `{"task":"gripper:1","response":[` + good + `,"no"]}` + "\n" +
		`{"task":"gripper:1","items":[{"completion":` + good + `},{"completion":"no"}]}` + "\n" +
		`{"task":"gripper:1","items":[{"completion":` + good + `,"group":"a"},{"completion":` + good + `,"group":"b"},{"completion":"no","group":"b"}]}` + "\n"
	want := [][]any{{1.0, -1.0}, {nil, nil}, {0.0, 1.0, -1.0}}
	for i, a := range run(t, newTestOracle(t, Options{}), in) {
		var s struct{ Items []struct{ Advantage any } }
		if err := json.Unmarshal([]byte(a), &s); err != nil || len(s.Items) != len(want[i]) {
			t.Fatalf("%v: %s", err, a)
		}
		for k, w := range want[i] {
			if s.Items[k].Advantage != w {
				t.Errorf("line %d, item %d: advantage %v, want %v", i+1, k, s.Items[k].Advantage, w)
			}
		}
	}
}

// TestLargeBatches scores lines of many responses, larger than the room for lines
// allows at once.
func TestLargeBatches(t *testing.T) {
	o := newTestOracle(t, Options{Workers: 4, Limits: Limits{LineBytes: 5000}})
	line := `{"task":"gripper:1","response":["` + strings.Repeat(`no","`, 400) + `<plan>\n(fly)\n</plan>"]}` + "\n"
	for i, a := range run(t, o, strings.Repeat(line, 20)) {
		var s struct{ Statuses []rows.Status }
		if err := json.Unmarshal([]byte(a), &s); err != nil || len(s.Statuses) != 401 || s.Statuses[399] != rows.StatusNoPlan || s.Statuses[400] != rows.StatusInvalid {
			t.Fatalf("line %d: %v, %d statuses", i+1, err, len(s.Statuses))
		}
	}
}

// TestServeAnswersAtOnce talks to the oracle as a trainer does: one line, one
// answer, before the next line.
func TestServeAnswersAtOnce(t *testing.T) {
	o := newTestOracle(t, Options{})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := o.ServeStdio(context.Background(), inR, outW)
		outW.Close()
		ended <- err
	}()
	answers := bufio.NewScanner(outR)
	for i := range 5 {
		fmt.Fprintf(inW, `{"id":%d,"task":"gripper:1","group":"g","response":"no"}`+"\n", i)
		if !answers.Scan() || !strings.HasPrefix(answers.Text(), fmt.Sprintf(`{"id":%d,"reward":0,`, i)) {
			t.Fatalf("answer %d: %s", i, answers.Text())
		}
	}
	io.WriteString(inW, `{"id":"last","task":"gripper:1","response":"no"}`) // no line end
	inW.Close()
	if !answers.Scan() || !strings.Contains(answers.Text(), `"last"`) {
		t.Errorf("last answer: %s", answers.Text())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestServeSeesChangedFiles shows that a row is about its files as they were when it was
// sent, or later.
func TestServeSeesChangedFiles(t *testing.T) {
	dir := t.TempDir()
	d, p, err := domains.Load("gripper:1")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("d.pddl", d.Text)
	o := newTestOracle(t, Options{Dir: dir})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		o.ServeStdio(context.Background(), inR, outW)
		outW.Close()
	}()
	answers := bufio.NewScanner(outR)
	row := `{"domain":"d.pddl","problem":"p.pddl","response":"[PLAN]\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n[PLAN END]"}` + "\n"
	unsolved := strings.Replace(p.Text, "(at ball0 room1)", "(at ball0 room0)", 1)
	for i := range 20 {
		want := rows.StatusValid
		if i%2 == 0 {
			write("p.pddl", p.Text)
		} else {
			want = rows.StatusInvalid
			write("p.pddl", unsolved+strings.Repeat(" ", i))
		}
		io.WriteString(inW, row+row)
		for range 2 {
			if !answers.Scan() || !strings.Contains(answers.Text(), `"status":"`+string(want)+`"`) {
				t.Fatalf("row %d: %s", i, answers.Text())
			}
		}
	}
	inW.Close()
}

// TestBlankLines: a blank line is no request and has no answer (docs/ORACLE.md); the numbers of
// lines in errors count it.
func TestBlankLines(t *testing.T) {
	o := newTestOracle(t, Options{})
	var out bytes.Buffer
	if err := o.ServeStdio(context.Background(), strings.NewReader("\n{\"ping\":1}\n \t\r\n{\"ping\":2}\n\n\n{}\n\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || lines[0] != `{"pong":1}` || lines[1] != `{"pong":2}` || !strings.Contains(lines[2], `"line":7,`) {
		t.Errorf("%q", lines)
	}
}

// TestServeEndsWithContext ends the service while it waits for input.
func TestServeEndsWithContext(t *testing.T) {
	o := newTestOracle(t, Options{})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- o.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	io.WriteString(inW, "{\"ping\":1}\n")
	answers := bufio.NewScanner(outR)
	if !answers.Scan() {
		t.Fatal("no answer")
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the service goes on")
	}
	inW.Close()
}

type brokenWriter struct{ left int }

var errBroken = errors.New("broken pipe")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// TestStreamEndsWithItsReader ends when nobody reads the answers, though the input
// goes on for ever.
func TestStreamEndsWithItsReader(t *testing.T) {
	o := newTestOracle(t, Options{Workers: 2})
	err := o.ServeStdio(context.Background(), endless{}, &brokenWriter{left: 200_000})
	if !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "{\"ping\":1}\n"), nil }

// failing gives some input and then an error.
type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = errBroken
	}
	return n, err
}

func TestStreamReportsReadErrors(t *testing.T) {
	o := newTestOracle(t, Options{})
	var out bytes.Buffer
	s, err := o.ScoreStream(context.Background(), failing{strings.NewReader("{\"ping\":1}\n{\"pi")}, &out)
	if !errors.Is(err, errBroken) || out.String() != "{\"pong\":1}\n" || s.Lines != 1 {
		t.Errorf("%v, %q, %+v", err, out.String(), s)
	}
}

// TestStreamCountsBadLines shows that a line that is no request is a response
// without a reward: who counts rewards sees that some are missing.
func TestStreamCountsBadLines(t *testing.T) {
	for name, in := range map[string]string{
		"no JSON":        "{bad\n",
		"PDDL":           "(define (domain d)\n(:predicates (p)))\n",
		"binary":         "\x00\x01\xff\n",
		"a list":         "[]\n",
		"wrong type":     `{"id":7,"domain":5,"response":"x"}`,
		"no response":    `{"id":7}`,
		"too many items": `{"items":[{},{},{}]}`,
		"too long":       strings.Repeat(" ", 5000),
	} {
		var out bytes.Buffer
		o := newTestOracle(t, Options{Limits: Limits{Items: 2, LineBytes: 1000}})
		s, err := o.ScoreStream(context.Background(), strings.NewReader(in), &out)
		if err != nil || s.Responses == 0 || s.Scored != 0 || s.ByStatus[rows.StatusBadRow] != s.Responses {
			t.Errorf("%s: %v, %+v", name, err, s)
		}
	}
}

// TestStreamKeepsIDs shows that an answer has the id of its row whenever that has one.
func TestStreamKeepsIDs(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":7,"domain":5,"response":"x"}`:                     `{"id":7,`,
		`{"response":"x","finish":[],"id":{"a":[1]}}`:            `{"id":{"a":[1]},`,
		`{"request_id":"r","reward":1}`:                          `{"id":"r",`,
		`{"id":7}`:                                               `{"id":7,`,
		`{"id":7,"task":7,"response":"x"}`:                       `{"id":7,`,
		`{"id":7,"items":{}}`:                                    `{"id":7,`,
		`{"id":1,"items":[{"id":"i","domain":5,"response":""}]}`: `"items":[{"id":"i",`,
		`{"id":1,"items":[{"id":"i","task":5,"response":""}]}`:   `"items":[{"id":"i",`,
		`{"id":1,"items":[{"id":"i"}]}`:                          `"items":[{"id":"i",`,
	} {
		if got := run(t, newTestOracle(t, Options{}), line); len(got) != 1 || !strings.Contains(got[0], want) || !strings.Contains(got[0], "bad-row") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// TestAnswersAreUTF8: what a row is answered with is JSON whatever bytes it echoes.
func TestAnswersAreUTF8(t *testing.T) {
	for line, want := range map[string]string{
		"{\"id\":\"a\xff\xfe\",\"response\":5}":                      "{\"id\":\"a\ufffd\ufffd\",",
		"{\"id\":[\"\xe2\x80\"],\"domain\":5}":                       "{\"id\":[\"\ufffd\ufffd\"],",
		"{\"ping\":{\"\xff\": 1}}":                                   "{\"pong\":{\"\ufffd\":1}}",
		"{\"items\":[{\"id\":\"\xff\",\"response\":\"\"}]}":          "[{\"id\":\"\ufffd\",",
		"{\"schema\":\"planproof.score/1\",\"request_id\":\"\xff\"}": "\"request_id\":\"\ufffd\"",
	} {
		got := run(t, newTestOracle(t, Options{}), line)
		if len(got) != 1 || !strings.Contains(got[0], want) || !utf8.ValidString(got[0]) {
			t.Errorf("%q: %q, want %s", line, got, want)
		}
	}
}
