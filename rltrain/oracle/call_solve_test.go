package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/planproof/planproof/search/certificate/proof"
)

// TestCallSolve: what solve and its certificates offer, over HTTP; the checker that links nothing else accepts them.
func TestCallSolve(t *testing.T) {
	o, err := New(Options{Task: blocks})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"task": map[string]string{"domain": blocks.DomainText, "problem": blocks.ProblemText},
		"items": []any{
			map[string]any{"id": "best", "question": map[string]any{"certificate": true}},
			map[string]any{"id": "goal", "question": map[string]any{"certificate": true, "goal": "(and (on a b) (on b a))"}},
			map[string]any{"id": "step", "question": map[string]any{"certificate": true, "step": "(stack a a)"}},
			map[string]any{"id": "plain"},
			map[string]any{"id": "limit", "question": map[string]any{"nodes": 1, "search": "ucs()", "certificate": true}},
			map[string]any{"id": "unknown", "question": map[string]any{"gaol": "(on a b)"}},
			map[string]any{"id": "negative", "question": map[string]any{"nodes": -1}},
			map[string]any{"id": "bad goal", "question": map[string]any{"goal": "(on a z)"}},
			map[string]any{"id": "bad step", "question": map[string]any{"step": "(fly)"}},
			map[string]any{"id": "no task", "task": "nothing"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, fault := o.Call(context.Background(), OpSolve, body)
	if fault != nil {
		t.Fatal(fault)
	}
	var got struct {
		Schema string
		Items  []struct {
			ID, Status, Message string
			Solution            *struct {
				Status, Cost, Goal, Step string
				Plan                     []string
				Bounds                   *struct{ Lower string }
				Certificate              []byte
				Error                    string `json:"certificate_error"`
			}
		}
	}
	if err := json.Unmarshal(r.Body, &got); err != nil || got.Schema != "planproof.solve/1" || len(got.Items) != 10 {
		t.Fatalf("%s %v", r.Body, err)
	}
	for _, x := range got.Items {
		s := x.Solution
		switch x.ID {
		case "best", "goal", "step":
			if x.Status != "ok" || s == nil || len(s.Certificate) == 0 || s.Error != "" {
				t.Errorf("%s: %+v %+v", x.ID, x, s)
				continue
			}
			if (x.ID == "best") != (s.Status == "solved-optimally" && s.Cost == "4") || (x.ID != "best") != (s.Status == "unsolvable") {
				t.Errorf("%s: %+v", x.ID, s)
			}
			h := checkAlone(t, s.Certificate)
			want := proof.Header{Claim: proof.Unsolvable, Bound: proof.Infinite, Goal: s.Goal, Step: s.Step}
			if x.ID == "best" {
				want = proof.Header{Claim: proof.Optimal, Bound: 4}
			}
			if h.Claim != want.Claim || h.Bound != want.Bound || h.Goal != want.Goal || h.Step != want.Step || (x.ID != "best") != (s.Goal != "") {
				t.Errorf("%s: proved %+v, said %+v", x.ID, h, s)
			}
		case "plain":
			if x.Status != "ok" || s.Cost != "4" || len(s.Plan) != 4 || s.Certificate != nil {
				t.Errorf("%+v %+v", x, s)
			}
		case "limit":
			if x.Status != "timeout" || s == nil || s.Bounds == nil || s.Certificate != nil || len(s.Plan) != 0 {
				t.Errorf("%+v %+v", x, s)
			}
		default:
			if x.Status != "bad_request" || s != nil || x.Message == "" {
				t.Errorf("%+v", x)
			}
		}
	}
}

// checkAlone checks a certificate as planproof-check does, and returns what it proves.
func checkAlone(t *testing.T, file []byte) proof.Header {
	t.Helper()
	ctx := context.Background()
	r, err := proof.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	task, err := r.ReadTask(ctx, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := r.Read(ctx, task, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proof.Check(ctx, task, cert, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	return r.Header
}

// TestCallCheck: the certificates that solve gives hold, others do not, and what is no certificate is no verdict.
func TestCallCheck(t *testing.T) {
	o, err := New(Options{Task: blocks})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Items []struct {
			ID, Status, Message string
			Solution            *struct{ Certificate []byte }
			Check               *struct {
				Holds         bool
				Claim, Reason string
				Bytes         int
			}
		}
	}
	ask := func(op Op, items ...any) (got answer) {
		t.Helper()
		body, _ := json.Marshal(map[string]any{"items": items})
		r, fault := o.Call(context.Background(), op, body)
		if fault != nil {
			t.Fatal(fault)
		}
		if err := json.Unmarshal(r.Body, &got); err != nil {
			t.Fatalf("%s %v", r.Body, err)
		}
		return got
	}
	cert := ask(OpSolve, map[string]any{"task": "blocksworld:3-5", "question": map[string]any{"certificate": true}}).Items[0].Solution.Certificate
	spoilt := bytes.Clone(cert)
	spoilt[len(spoilt)/2] ^= 1
	got := ask(OpCheck,
		map[string]any{"id": "good", "task": "blocksworld:3-5", "certificate": cert},
		map[string]any{"id": "other task", "task": "blocksworld:3-6", "certificate": cert},
		map[string]any{"id": "spoilt", "task": "blocksworld:3-5", "certificate": spoilt},
		map[string]any{"id": "cut", "task": "blocksworld:3-5", "certificate": cert[:len(cert)-5]},
		map[string]any{"id": "text", "task": "blocksworld:3-5", "certificate": "not base64!"},
		map[string]any{"id": "none", "task": "blocksworld:3-5"},
		map[string]any{"id": "no task", "task": "blocksworld:99999", "certificate": cert},
	)
	for _, x := range got.Items {
		switch c := x.Check; x.ID {
		case "good":
			if x.Status != "ok" || !c.Holds || c.Claim != "optimal" || c.Bytes != len(cert) {
				t.Errorf("%+v %+v", x, c)
			}
		case "other task":
			if x.Status != "ok" || c.Holds || c.Reason == "" {
				t.Errorf("%+v %+v", x, c)
			}
		default:
			if c != nil && c.Holds || c == nil && x.Status != "bad_request" {
				t.Errorf("%+v %+v", x, c)
			}
		}
	}
}
