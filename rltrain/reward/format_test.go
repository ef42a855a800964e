package reward

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
	"pgregory.net/rapid"
)

func TestReadFormat(t *testing.T) {
	for _, c := range []struct {
		name, response, want string // want as (text, plan, think)
		points               int64
	}{
		{"nothing", "", "nnn", 0},
		{"white space", " \n\t", "nnn", 0},
		{"text only", "I cannot do that.", "ynn", 0},
		{"plan only", "[PLAN]\n(pick-up a)\n[PLAN END]", "nyn", 3},
		{"plan in angle brackets", "<plan>\n(pick-up a)\n</plan>", "nyn", 3},
		{"text and plan", "Here: [PLAN] x [PLAN END]", "yyn", 2},
		{"text after plan", "[PLAN] x [PLAN END] done", "yyn", 2},
		{"thoughts only", "<think>hm</think>", "nny", 7},
		{"thoughts and text", "<think>hm</think> so", "yny", 5},
		{"all there is", "<think>hm</think>\n[PLAN]\nx\n[PLAN END]\n", "nyy", 20},
		{"and more", "<think>hm</think> so [PLAN] x [PLAN END]", "yyy", 15},
		{"prefilled opening tag", "hm </think>\n<plan>x</plan>", "nyy", 20},
		{"open thoughts", "<think>hm [PLAN] x [PLAN END]", "yyn", 2},
		{"open plan", "<think>hm</think> [PLAN] x", "yny", 5},
		{"draft inside thoughts", "<think>[PLAN] y [PLAN END]</think>[PLAN] x [PLAN END]", "nyy", 20},
		{"two plans", "<think>hm</think>[PLAN] y [PLAN END][PLAN] x [PLAN END]", "yyy", 15},
		{"two thoughts", "<think>a</think><think>b</think><plan>x</plan>", "yyy", 15},
		{"thoughts after the plan", "<plan>x</plan><think>hm</think>", "yyy", 15},
		{"case", "<THINK>hm</Think><Plan>x</PLAN>", "nyy", 20},
		{"closing tag first", "[PLAN END] [PLAN]", "ynn", 0},
		{"mixed tags", "<plan>x[PLAN END]", "ynn", 0},
		{"not ASCII", "<think>дум\u212a</think><plan>x</plan>", "nyy", 20},
	} {
		f := ReadFormat(c.response)
		got := ""
		for _, b := range []bool{f.Text, f.Plan, f.Think} {
			got += map[bool]string{false: "n", true: "y"}[b]
		}
		if got != c.want || f.Points() != c.points {
			t.Errorf("%s: %s, %d points; want %s, %d", c.name, got, f.Points(), c.want, c.points)
		}
	}
}

// TestFormatComposed reads back what is put together from parts.
func TestFormatComposed(t *testing.T) {
	word := rapid.StringOf(rapid.RuneFrom([]rune("ab (),.\n")))
	rapid.Check(t, func(t *rapid.T) {
		before, thoughts, between := word.Draw(t, "before"), word.Draw(t, "thoughts"), word.Draw(t, "between")
		plan, after := word.Draw(t, "plan"), word.Draw(t, "after")
		tags := planTags[rapid.IntRange(0, 1).Draw(t, "tags")]
		want := Format{
			Think: rapid.Bool().Draw(t, "think"), Plan: rapid.Bool().Draw(t, "planned"),
		}
		s := before
		if want.Think {
			s += "<think>" + thoughts + "</think>"
		}
		s += between
		if want.Plan {
			s += strings.ToUpper(tags[0]) + plan + strings.ToUpper(tags[1])
		}
		s += after
		want.Text = strings.TrimSpace(before+between+after) != ""
		got := ReadFormat(s)
		if got.Lines = 0; got != want { // TestUntagged looks at the lines
			t.Fatalf("%q reads %+v, want %+v", s, got, want)
		}
	})
}

func FuzzReadFormat(f *testing.F) {
	f.Add("<think>a</think>[PLAN]b[PLAN END]")
	f.Add("</think><plan></think></plan>\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if p := ReadFormat(s).Points(); p < 0 || p > 20 {
			t.Fatal(p)
		}
		if utf8.ValidString(s) && ReadFormat(s) != ReadFormat(strings.Map(func(r rune) rune {
			if r < 128 {
				return rune(strings.ToUpper(string(r))[0])
			}
			return r
		}, s)) {
			t.Fatalf("%q reads differently in capitals", s)
		}
	})
}

// TestUntagged: a plan without tags is other text, or with the option a plan that only lacks its tags. Prose is text
// under both.
func TestUntagged(t *testing.T) {
	const thoughts = "<think>hm</think>\n"
	for _, c := range []struct {
		response   string
		plan       []string
		text, bare float64
	}{
		{thoughts + "(pick-up a)\n\n(stack a b)\n", []string{"(pick-up a)", "(stack a b)"}, 5, 7},
		{thoughts + "pick up block a", []string{"(pick-up a)"}, 5, 7},
		{thoughts + "I would do this:\n(pick-up a)", []string{"(pick-up a)"}, 5, 5},
		{thoughts, nil, 7, 7},
		{"(pick-up a)", []string{"(pick-up a)"}, 0, 0},
		{thoughts + "[PLAN]\n(pick-up a)\n[PLAN END]", []string{"(pick-up a)"}, 20, 20},
		{thoughts + "so [PLAN]\n(pick-up a)\n[PLAN END]", []string{"(pick-up a)"}, 15, 15},
	} {
		e := &Evidence{Format: ReadFormat(c.response), Response: c.response, Extraction: &extract.Extraction{Status: extract.StatusPlan, Plan: c.plan}, Verdict: &validator.Verdict{}, Progress: &Progress{Initial: 4, Reached: 4}}
		for untagged, want := range map[string]float64{"text": c.text, "plan": c.bare} {
			for _, kind := range []string{"format", "process"} {
				spec, diags := Read(pddl.NewSource("r.json", `{"schema": "planproof.reward/1", "name": "r", "kind": "`+kind+`", "untagged": "`+untagged+`"}`))
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				r, parts := spec.Eval(e)
				got := parts["points"]
				if kind == "process" {
					got = parts["format"]
				}
				if got != want || kind == "format" && r != want/20 {
					t.Errorf("%q, %s, %s: %v, %v, want %v", c.response, kind, untagged, r, parts, want)
				}
			}
		}
	}
}
