package prompt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/extract"
)

// TestRestrictedPrompts: prompts of a restricted task of every bundled domain, in each
// style and under other names, tell each thing that is forbidden in a constraint span,
// and without these spans are the prompts of the unrestricted task, byte for byte.
func TestRestrictedPrompts(t *testing.T) {
	for name, p := range restrictedTasks(t) {
		for _, style := range []Style{StyleNL, StylePDDL, StyleCompact} {
			for _, rename := range []RenameStyle{"", RenameMystery, RenameRandom} {
				for _, kind := range []Kind{KindGeneration, KindExecution} {
					o := Options{Kind: kind, Style: style, Rename: rename, NoGold: true, Seed: 3}
					want, err := Make(context.Background(), Task{ID: name, Problem: p[0]}, o)
					if err != nil {
						t.Fatal(err)
					}
					rec, err := Make(context.Background(), Task{ID: name, Problem: p[1]}, o)
					if err != nil {
						t.Fatal(err)
					}
					checkSpans(t, &rec.Prompt)
					if strings.Contains(rec.Prompt.Text, "forbidden") || want.Forbidden != nil {
						t.Errorf("%s, %s: tells the predicate\n%s", name, style, rec.Prompt.Text)
					}
					m := Mask{TaskConstraints: true, Percent: 100}
					if style == StyleCompact {
						m = Mask{Constraints: true, Percent: 100}
					}
					got, masked := m.Apply(&rec.Prompt)
					if kind == KindGeneration && (got.Text != want.Prompt.Text || !slices.Equal(got.Spans, want.Prompt.Spans)) {
						t.Errorf("%s, %s, %s: without constraints\n%s\nwant\n%s", name, style, rename, got.Text, want.Prompt.Text)
					}
					_, judged := pddltest.Parse(t, rec.Domain, rec.Problem)
					list := domains.Restrictions(judged)
					if len(masked) != len(list) || len(list) != len(rec.Forbidden) || len(list) != len(domains.Restrictions(p[1])) {
						t.Fatalf("%s, %s: %d constraints told of %v", name, style, len(masked), list)
					}
					r, _ := NewRenderer(judged, "")
					for i, s := range masked {
						checkNever(t, r, style, list[i], rec.Prompt.Text[s.Start:s.End])
					}
				}
			}
		}
	}
}

// checkNever checks that a constraint names the action it forbids: the sentence about a
// ground action is read as that action.
func checkNever(t *testing.T, r *Renderer, style Style, f domains.Forbidden, text string) {
	t.Helper()
	if style != StyleNL {
		if !strings.Contains(text, f.String()) {
			t.Errorf("%q does not tell %s", text, f)
		}
		return
	}
	said, ok := strings.CutPrefix(strings.TrimSpace(text), "Never ")
	if !ok || !strings.HasSuffix(said, ".") {
		t.Errorf("%q tells %s", text, f)
	}
	if strings.Contains(f.String(), domains.AnyObject) {
		if !strings.Contains(said, "any") {
			t.Errorf("%q tells %s", text, f)
		}
		return
	}
	x := r.PlanReader().Extract("[PLAN]\n" + strings.TrimSuffix(said, ".") + "\n[PLAN END]")
	if !slices.Equal(x.Plan, []string{f.String()}) {
		t.Errorf("%q is read as %v, want %s", text, x.Plan, f)
	}
}

// TestNeverSentences: the words for what is forbidden.
func TestNeverSentences(t *testing.T) {
	for _, c := range []struct{ task, forbidden, want string }{
		{"blocksworld:3-5", "(stack a b)", "Never stack the red block on top of the blue block."},
		{"blocksworld:3-5", "(stack ? b)", "Never stack any block on top of the blue block."},
		{"blocksworld:3-5", "(put-down a)", "Never put down the red block."},
		{"blocksworld:3-5", "(unstack ? ?)", "Never unstack any block from on top of any block."},
		{"logistics:2-2-2-1", "(load-truck ? t0 l0-1)", "Never load any package into truck_0 at location_0_1."},
	} {
		prob := pddltest.Forbid(t, pddltest.Load(t, c.task), c.forbidden)
		r, _ := NewRenderer(prob, "")
		if got := r.never(domains.Restrictions(prob)[0]); got != c.want {
			t.Errorf("%s: %q, want %q", c.forbidden, got, c.want)
		}
	}
	_, plain := pddltest.Parse(t, plainTask, plainTaskProblem)
	r, _ := NewRenderer(plain, "")
	if got := r.never(domains.Forbidden{Action: "take", Args: []string{"k1", "?"}}); got != "Never take k1 any spot." {
		t.Error(got)
	}
}

// TestKindsOfRestrictedTasks: every kind of prompt of a restricted task has a right gold
// answer, and no example, plan or event in it does what is forbidden.
func TestKindsOfRestrictedTasks(t *testing.T) {
	prob := pddltest.Forbid(t, pddltest.Load(t, "blocksworld:4-17"), "(stack b a) (stack c d)")
	made := 0
	for _, kind := range Kinds() {
		for _, style := range []Style{StyleNL, StyleCompact} {
			for _, reasoning := range []Reasoning{ReasonNone, ReasonState} {
				o := Options{Kind: kind, Style: style, Shots: 1, Seed: 5, Reasoning: reasoning}
				rec, err := Make(context.Background(), Task{ID: "t", Problem: prob}, o)
				if err != nil {
					continue // a kind that does not suit the task, or state tracking
				}
				made++
				checkSpans(t, &rec.Prompt)
				checkGold(t, "restricted", rec)
				_, judged := pddltest.Parse(t, rec.Domain, rec.Problem)
				if len(domains.Restrictions(judged)) != 2 {
					t.Errorf("%s: the judged task forbids %v", kind, domains.Restrictions(judged))
				}
				for _, s := range slices.Concat(rec.Gold.Plan, rec.Gold.Candidate) {
					if (s == "(stack b a)" || s == "(stack c d)") && (rec.Gold.Verdict == nil || rec.Gold.Verdict.Valid) {
						t.Errorf("%s: %v does what is forbidden", kind, s)
					}
				}
				if strings.Contains(rec.Prompt.Text+rec.Gold.Text, "forbidden") && kind != KindVerification {
					t.Errorf("%s tells the predicate:\n%s%s", kind, rec.Prompt.Text, rec.Gold.Text)
				}
			}
		}
	}
	if made < 16 {
		t.Errorf("only %d prompts were made", made)
	}
}

// TestForbiddenVerification: a plan that is valid but for what is forbidden is told to be
// so, in each style, and read back.
func TestForbiddenVerification(t *testing.T) {
	prob := pddltest.Forbid(t, pddltest.Load(t, "blocksworld:4-17"), "(stack b a)")
	for _, style := range []Style{StyleNL, StylePDDL, StyleCompact} {
		for _, rename := range []RenameStyle{"", RenameMystery} {
			rec, err := Make(context.Background(), Task{ID: "t", Problem: prob}, Options{Kind: KindVerification, Style: style, Candidate: "forbidden", Rename: rename})
			if err != nil {
				t.Fatal(err)
			}
			checkGold(t, "forbidden", rec)
			v := rec.Gold.Verdict
			if v.Valid || !v.Forbidden || v.Step != 2 || len(v.Unmet) > 0 || !strings.Contains(rec.Gold.Text, "it is forbidden here") || strings.Contains(rec.Gold.Text+rec.Prompt.Text, "forbidden-") {
				t.Errorf("%s: %s %+v", style, rec.Gold.Text, v)
			}
			_, judged := pddltest.Parse(t, rec.Domain, rec.Problem)
			reader := extract.NewVerdictReader(judged.Domain, judged)
			x := reader.Read(rec.Gold.Text)
			if s := x.Score(v); !s.Exact || !s.Explanation {
				t.Errorf("%s: %q is read as %+v: %+v", style, rec.Gold.Text, x, s)
			}
			x = reader.Read("The above plan is invalid. Step 2 cannot be executed.")
			if s := x.Score(v); s.Exact || s.Explanation || !s.Type {
				t.Errorf("%s: an answer without the reason is %+v", style, s)
			}
		}
	}
	if _, err := Make(context.Background(), Task{ID: "t", Problem: unrestricted(prob)}, Options{Kind: KindVerification, Candidate: "forbidden"}); err == nil {
		t.Error("a task that forbids nothing has a forbidden candidate")
	}
}

// TestConsequent: what an unmet implication asks for is its last operand.
func TestConsequent(t *testing.T) {
	for in, want := range map[string]string{
		"(p a)": "(p a)", "(imply (q a) (p a b))": "(p a b)", "(imply (q a) (not (p a)))": "(not (p a))",
		"(imply (and (q) (r)) (imply (q) (or (p) (r))))": "(or (p) (r))", "(imply a b)": "(imply a b)", "(imply ": "(imply ",
	} {
		if got := consequent(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
