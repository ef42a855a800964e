package oracle

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/rows"

	"github.com/planproof/planproof/llmbridge/extract"
)

// The golden responses are 1,000 answers under ten rewards: requests.jsonl holds ten
// requests of 100 items, as POST /v1/score and the pipe take them, and scores.jsonl for
// each the SHA-256 of the list that is the answer's member "items", byte for byte, and the
// scores by themselves. Any client may send the one and compare with the other.
var goldenDir = filepath.Join("testdata", "golden")

// goldenSpecs are the rewards of the ten requests. Every second one asks for the strict reader.
var goldenSpecs = []string{
	`"valid"`, `"process"`, `"process-skip"`, `"multirobot"`, `"shaped"`, `"format"`, `"budget"`,
	`{"schema":"planproof.reward/1","name":"tight","kind":"budget","budget":"tight","measure":"cost_ratio"}`,
	`{"schema":"planproof.reward/1","name":"noisy","kind":"valid","noise":{"flip":0.1,"seed":7}}`,
	`{"schema":"planproof.reward/1","name":"mix","kind":"weighted","parts":{"v":"valid","f":"format","p":"process"},"reward":"0.7*v + 0.1*f + 0.2*min(1, p.plan_points/max(1, p.gold_points))"}`,
}

// goldenRequests makes the requests.
func goldenRequests(t *testing.T) []byte {
	f := newForge(t, 1, "blocksworld:3-1", "blocksworld:3-11", "blocksworld:4-17", "blocksworld:4-2500", "gripper:1", "gripper:2")
	var b bytes.Buffer
	for i, spec := range goldenSpecs {
		reader := extract.Kinds()[(i+1)%2]
		fmt.Fprintf(&b, `{"schema":"planproof.score/1","request_id":%d,"spec":%s,"reader":%q,"items":[`, i, spec, reader)
		for j := range 100 {
			if j > 0 {
				b.WriteByte(',')
			}
			task := &f.tasks[f.r.IntN(len(f.tasks))]
			response := f.response(task)
			text, err := json.Marshal(strings.ToValidUTF8(response, "?"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, `{"id":%d,"task":%q,"completion":%s`, 100*i+j, task.name, text)
			if f.r.IntN(10) == 0 {
				b.WriteString(`,"finish":"length"`)
			}
			if spec == `"budget"` && j%10 > 0 {
				fmt.Fprintf(&b, `,"budget":"%d"`, len(task.plan)+f.r.IntN(3)-1)
			}
			if spec == `"multirobot"` && j%2 == 0 {
				fmt.Fprintf(&b, `,"gold":{"steps":%d}`, len(task.plan)+f.r.IntN(2))
			}
			b.WriteByte('}')
		}
		b.WriteString("]}\n")
	}
	return b.Bytes()
}

// goldenScores is the line of an answer in scores.jsonl.
func goldenScores(t *testing.T, answer []byte) string {
	t.Helper()
	var a struct{ Items json.RawMessage }
	var items []struct {
		ID     int
		Score  *json.Number
		Status string
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(a.Items, &items); err != nil {
		t.Fatalf("%.300s: %v", answer, err)
	}
	scores := make([]*json.Number, len(items))
	for i, item := range items {
		if scores[i] = item.Score; item.Status == "unavailable" {
			t.Fatalf("item %d is %s", item.ID, item.Status)
		}
	}
	list, err := json.Marshal(scores)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"request_id":%d,"items_sha256":"%x","scores":%s}`, items[0].ID/100, sha256.Sum256(a.Items), list)
}

// TestGoldenResponses scores the golden responses in process and over a pipe, with one
// worker and with many. UPDATE=1 writes both files anew.
func TestGoldenResponses(t *testing.T) {
	requests := goldenRequests(t)
	sameFile(t, filepath.Join(goldenDir, "requests.jsonl"), requests)
	for _, workers := range []int{1, 4} {
		o := newTestOracle(t, Options{Workers: workers})
		var inProcess bytes.Buffer
		for line := range bytes.Lines(requests) {
			reply, fault := o.Call(context.Background(), OpScore, bytes.TrimSpace(line))
			if fault != nil {
				t.Fatal(fault)
			}
			fmt.Fprintln(&inProcess, goldenScores(t, reply.Body))
		}
		sameFile(t, filepath.Join(goldenDir, "scores.jsonl"), inProcess.Bytes())

		piped := newTestOracle(t, Options{Workers: workers})
		var out, overPipe bytes.Buffer
		if err := piped.ServeStdio(context.Background(), bytes.NewReader(requests), &out); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewScanner(&out)
		answers.Buffer(nil, 1<<24)
		for answers.Scan() {
			fmt.Fprintln(&overPipe, goldenScores(t, answers.Bytes()))
		}
		sameFile(t, filepath.Join(goldenDir, "scores.jsonl"), overPipe.Bytes())
	}
}

// sameFile compares with a file, or writes it.
func sameFile(t *testing.T, path string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d of %s: now\n%.2000s\nwas\n%.2000s", i+1, path, a[i], b[i])
		}
	}
	t.Fatalf("%d lines, %d in %s", len(a), len(b), path)
}

// TestGoldenRows scores the golden responses as rows, one by one: the same rewards as in
// batches.
func TestGoldenRows(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(goldenDir, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var golden [][]*float64
	scores, err := os.ReadFile(filepath.Join(goldenDir, "scores.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(scores) {
		var s struct{ Scores []*float64 }
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		golden = append(golden, s.Scores)
	}
	o := newTestOracle(t, Options{})
	i := 0
	for line := range bytes.Lines(data) {
		var request struct {
			Spec   json.RawMessage
			Reader string
			Items  []map[string]any
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatal(err)
		}
		spec, err := o.specOf(request.Spec)
		if err != nil {
			t.Fatal(err)
		}
		for j, item := range request.Items {
			item["reader"] = request.Reader
			row, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			r, err := rows.ParseRequest(row, 1)
			if err != nil {
				t.Fatal(err)
			}
			s := o.ScoreBy(context.Background(), &r.Items[0], spec)
			if want := golden[i][j]; (want == nil) != (s.Reward == nil) || want != nil && *want != *s.Reward {
				t.Errorf("%s: %s, in a batch %v", row, asJSON(s), want)
			}
		}
		i++
	}
	if i != len(golden) || i != 10 {
		t.Errorf("%d requests, %d answers", i, len(golden))
	}
}
