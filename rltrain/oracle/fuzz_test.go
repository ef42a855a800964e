package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/groups"
	"github.com/planproof/planproof/rltrain/rows"
)

// FuzzScore sends any response through extraction, judge and reward: it is always
// scored, the same way twice, and never valid by accident: a valid verdict's plan,
// given again as a plain plan, is valid again.
func FuzzScore(f *testing.F) {
	o := newTestOracle(f, Options{})
	for _, s := range []string{
		"", "[PLAN]\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n[PLAN END]",
		"<think>[PLAN]</think>1. (pick ball0 room0 left)\n2. (move room0 room1)\n3. (drop ball0 room1 left)", "```\n(move room0\n```", "\\boxed{(move room0 room1)}", "\xff\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, response string) {
		a, b := score(t, o, "gripper:1", response, ""), score(t, o, "gripper:1", response, "")
		one, err1 := json.Marshal(a)
		two, err2 := json.Marshal(b)
		if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Fatalf("%s, then %s (%v, %v)", one, two, err1, err2)
		}
		if a.Reward == nil || !a.Status.Scored() || a.Verdict == nil || (a.Status == rows.StatusValid) != a.Verdict.Valid {
			t.Fatalf("%s", one)
		}
		if a.Status == rows.StatusValid {
			if again := score(t, o, "gripper:1", answer(strings.Split(a.Extracted, "\n")...), ""); again.Status != rows.StatusValid {
				t.Fatalf("%q is valid, its plan %q is not", response, a.Extracted)
			}
		}
	})
}

// FuzzStream shows that any bytes are answered line by line with JSON.
func FuzzStream(f *testing.F) {
	o := newTestOracle(f, Options{Workers: 2, Limits: Limits{LineBytes: 300}})
	f.Add([]byte(mixedRows()[:1500]))
	f.Add([]byte("{\"ping\":1}\n\xef\xbb\xbf\n{}\r\n[]\n\"\""))
	f.Add([]byte(strings.Repeat("x", 1000) + "\n{\"response\":\"\",\"task\":\"gripper:1\",\"group\":1}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		s, err := o.ScoreStream(context.Background(), bytes.NewReader(in), &out)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range bytes.Lines(bytes.TrimPrefix(in, []byte("\xef\xbb\xbf"))) {
			if len(bytes.TrimSpace(line)) > 0 || len(line) > 300 {
				lines++
			}
		}
		answers := 0
		for line := range bytes.Lines(out.Bytes()) {
			answers++
			if !json.Valid(line) {
				t.Fatalf("answer %q", line)
			}
		}
		if answers != lines || s.Lines != lines {
			t.Fatalf("%d answers to %d lines", answers, lines)
		}
	})
}

// FuzzPairRows: pairs are JSON whose chosen response is judged valid, or there is an
// error and nothing.
func FuzzPairRows(f *testing.F) {
	o := newTestOracle(f, Options{})
	good := `"task":"gripper:1","prompt":"p","response":"(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)"`
	f.Add(`{"group":"g",`+good+"}\n"+`{"group":"g","unconstrained":true,"task":"gripper:1","response":"x"}`, true)
	f.Add("{"+good+"}\n"+`{"task":"gripper:1","prompt":"p","response":["x",{"role":"assistant","content":"y"}]}`, false)
	f.Add("{"+good+`,"group":1}`+"\n"+`{"task":"gripper:1","group":1,"prompt":{"system":"s","text":"p"},"response":"z"}`, false)
	f.Fuzz(func(t *testing.T, in string, ca bool) {
		opt := groups.PairOptions{Rule: groups.DPO, Seed: 1}
		if ca {
			opt.Rule = groups.ConstraintAwareDPO
		}
		var out bytes.Buffer
		n, _, err := o.PairRows(context.Background(), strings.NewReader(in), &out, opt)
		if err != nil && out.Len() > 0 {
			t.Fatalf("%v, and %q", err, out.String())
		}
		lines := 0
		for line := range bytes.Lines(out.Bytes()) {
			lines++
			var p struct{ Prompt, Chosen, Rejected any }
			if json.Unmarshal(line, &p) != nil || p.Prompt == nil || p.Chosen == nil || p.Rejected == nil {
				t.Fatalf("%s", line)
			}
		}
		if lines != n {
			t.Fatalf("%d pairs in %d lines", n, lines)
		}
	})
}
