package reward

import (
	"strings"
	"testing"
	"unicode/utf8"

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
		if got := ReadFormat(s); got != want {
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
