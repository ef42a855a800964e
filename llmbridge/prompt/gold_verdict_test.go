package prompt

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/extract"
)

// TestGoldVerdicts: the gold answer of every verification prompt is read as its
// verdict, in every bundled domain, in sentences and in PDDL.
func TestGoldVerdicts(t *testing.T) {
	kinds := map[string]int{}
	for _, name := range []string{"blocksworld:3-5", "blocksworld:4-9", "gripper:3", "elevator:4-2-1-1"} {
		prob := pddltest.Load(t, name)
		v := extract.NewVerdictReader(prob.Domain, prob)
		for seed := range uint64(6) {
			style := []Style{StyleNL, StylePDDL}[seed%2]
			rec, err := Make(context.Background(), Task{ID: name, Problem: prob, Bundled: name},
				Options{Kind: KindVerification, Style: style, Seed: seed})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := rec.Gold.Verdict
			kinds[want.Kind]++
			x := v.Read(rec.Gold.Text)
			if !x.Found || x.Valid != want.Valid || x.Kind != want.Kind || x.Step != want.Step {
				t.Errorf("%s: %q\nread as %+v\nwant %+v", name, rec.Gold.Text, x, want)
			}
			simple := true
			for _, u := range want.Unmet {
				simple = simple && strings.Count(u, "(") == 1
			}
			if s := x.Score(want); simple && !s.Exact || !s.Type {
				t.Errorf("%s: %q\nread as %+v\nwant %+v: score %+v", name, rec.Gold.Text, x, want, s)
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("kinds of verdicts: %v", kinds)
	}
}
