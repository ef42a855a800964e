package oracle

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// judgedRow is a plan with the verdict of VAL, and what was done to the plan.
type judgedRow struct {
	ID       string `json:"id"`
	Domain   string `json:"domain_file"`
	Problem  string `json:"problem_file"`
	Mutation string `json:"mutation"`
	Plan     string `json:"plan"`
	Status   string `json:"val_status"`
	Valid    *bool  `json:"val_valid"`
	FirstBad int    `json:"first_bad_step"`
}

// lenient are the mutations on which VAL crashes or reads on (val-quirks.md 1 to 6): whatever
// it says, the plan is invalid.
var lenient = map[string]bool{
	"wrong_arity_more": true, "wrong_arity_fewer": true, "garbage_line": true, "unknown_object": true,
	"unknown_action": true, "replace_wrong_type": true, "missing_close_paren": true,
}

// Rule 12: what the oracle pays is what a trusted judge says, also of plans that were made wrong
// on purpose (steps dropped, doubled, swapped, moved, of other objects) and of domains with
// conditional effects twice, negative preconditions and numbers. The plan is read out of a
// response, so reading it is judged as well.
func TestRule12OracleAgainstTrustedVerdicts(t *testing.T) {
	data := testkit.Shared(t, "data")
	o := newTestOracle(t, Options{})
	judged, valid := 0, 0
	for file, base := range map[string]string{"cases-dev.jsonl": "bench", "handmade.jsonl": "validator"} {
		f, err := os.Open(filepath.Join(data, "validator", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var r judgedRow
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Mutation == "no_parens" {
				continue // a response may leave them out: it is read as the same steps
			}
			strict := lenient[r.Mutation] || strings.HasSuffix(r.ID, "unconstrained-parameter-untyped/2") || strings.HasSuffix(r.ID, "unconstrained-parameter-untyped/3")
			if r.Status != "ok" && !strict {
				continue // VAL has no verdict
			}
			want := !strict && *r.Valid
			s := o.Score(context.Background(), &rows.Item{
				Task:     taskref.Ref{Domain: filepath.Join(data, base, r.Domain), Problem: filepath.Join(data, base, r.Problem)},
				Response: "<think>so be it</think>\n<plan>\n" + r.Plan + "\n</plan>",
			}, "valid")
			judged++
			switch {
			case s.Reward == nil:
				t.Errorf("%s: no score: %s %s", r.ID, s.Status, s.Error)
			case (*s.Reward == 1) != want:
				t.Errorf("%s: reward %v of a plan that is valid: %v (%s)", r.ID, *s.Reward, want, s.Status)
			case want:
				valid++
			case !strict && r.FirstBad > 0 && s.Verdict.Failure.Step != r.FirstBad:
				t.Errorf("%s: fails at step %d, not %d", r.ID, s.Verdict.Failure.Step, r.FirstBad)
			}
		}
	}
	t.Logf("%d plans, %d of them valid", judged, valid)
	if judged < 2500 || valid < 900 {
		t.Error("too few plans to prove anything")
	}
}
