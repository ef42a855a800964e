package contract

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
)

// shown writes a reading in one line: the steps, and the bad parts with their lines and places.
func shown(x Reading) string {
	if !x.Found {
		return "no plan"
	}
	out := strings.Join(x.Steps, "")
	for _, b := range x.Bad {
		out += fmt.Sprintf(" !%d/%d", b.Line, b.Step)
	}
	return out
}

func TestRead(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p)
	for _, c := range []struct{ name, answer, want string }{
		{"no pair", "(unstack b c)", "no plan"},
		{"unclosed", "<plan>\n(unstack b c)", "no plan"},
		{"pddl", "<plan>\n(unstack b c)\n( PUT-DOWN  B )\n</plan>", "(unstack b c)(put-down b)"},
		{"call", "[PLAN]\nunstack(b, c)\nput-down( b )\n[PLAN END]", "(unstack b c)(put-down b)"},
		{"words", "```plan\nunstack b c\nput-down b\n```", "(unstack b c)(put-down b)"},
		{"sentences", "```pddl\nunstack the blue block from on top of the orange block\nPut down the blue block\n```", "(unstack b c)(put-down b)"},
		{"one line", "<plan>(unstack b c)</plan>", "(unstack b c)"},
		{"empty", "<plan></plan>", ""},
		{"the last pair", "<plan>(a)</plan> no: <plan>(b)</plan> and then (c)", "(b)"},
		{"thoughts", "<think><plan>(a)</plan></think>\n<plan>(b)</plan>", "(b)"},
		{"thoughts that the prompt began", "<plan>(a)</plan></think>", "no plan"},
		{"thoughts that do not end", "<plan>(b)</plan><think><plan>(a)</plan>", "(b)"},
		{"thoughts between markers", "<plan>\n<think>(a)</think>\n</plan>", "no plan"},
		{"numbers", "<plan>\n1. unstack b c\n2) put-down b\n3: (a)\nStep 4: a(b)\n</plan>", "(unstack b c)(put-down b)(a)(a b)"},
		{"a number again", "<plan>\n1. (a)\n1. (b)\n</plan>", "(a) !3/2"},
		{"a number left out", "<plan>\n1. (a)\n3. (b)\n</plan>", "(a) !3/2"},
		{"a number counts lines that cannot be read", "<plan>\n(a)\n?\n3. (b)\n</plan>", "(a)(b) !3/2"},
		{"comments", "<plan>\n; first\n(a) ; so\n  ; (b)\n</plan>", "(a)"},
		{"decorated lines", "<plan>\n- (a)\n* **b c**\n1. `d(e)`\n</plan>", "(a)(b c) !4/3"},
		{"ticks", "<plan>\n1. `d(e)`\n`2. f`\n</plan>", "(d e)(f)"},
		{"two on a line", "<plan>\n(a) (b)\na; b\na, b\na(b) c(d)\n</plan>", "(a) !2/1 !4/3 !5/4"},
		{"a remark", "<plan>\n(a) - so that b\n(a): b\n(a) (again)\n</plan>", " !2/1 !3/2 !4/3"},
		{"a heading", "<plan>\n## Plan\nPlan:\n(a)\n</plan>", "(a) !2/1 !3/2"},
		{"struck out", "<plan>\n~~(a)~~ (b)\n<del>a</del>\n</plan>", " !2/1 !3/2"},
		{"an alternative", "<plan>\nstack b on c/a\n(a) or (b)\n</plan>", " !2/1 !3/2"},
		{"invisible", "<plan>\n(a b\u200b)\n(a b\u2010c)\n(a \u00e4)\n</plan>", "(a \u00e4) !2/1 !3/2"},
		{"JSON of steps", "<plan>\n[\"(unstack b c)\",\n \"put-down(b)\", \"put down the blue block\", {\"action\": \"stack\", \"args\": [\"b\", \"c\"]}, {\"action\": \"rest\", \"args\": []}]\n</plan>", "(unstack b c)(put-down b)(put-down b)(stack b c)(rest)"},
		{"JSON of others", "<plan>[\"a\", null, 7, [\"a\"], \"1. a\", \"a; b\", {\"action\": \"a\"}, {\"action\": \"a\", \"args\": [], \"skip\": true}, {\"action\": \"a\", \"action\": \"b\", \"args\": []}, {\"action\": \"a b\", \"args\": []}]</plan>", "(a) !1/2 !1/3 !1/4 !1/5 !1/6 !1/7 !1/8 !1/9 !1/10"},
		{"JSON and more", "<plan>[\"a\"] [\"b\"]</plan>", "(a) !1/2"},
		{"JSON cut off", "<plan>[\"a\",</plan>", "(a) !1/2"},
		{"CRLF", "<plan>\r\n(a)\r\n\r\n(b)\r\n</plan>\r\n", "(a)(b)"},
		{"a fence with another name", "```python\n(a)\n```", "no plan"},
		{"a condition", "<plan>\nif b is clear then pick-up b\n</plan>", "(if b is clear then pick-up b)"},
	} {
		if got := shown(r.Read(c.answer)); got != c.want {
			t.Errorf("%s: read as %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTimedAndOddNames(t *testing.T) {
	dom := "(define (domain d) (:requirements :durative-actions) (:durative-action go :parameters (?a) :duration (= ?duration 1) :condition () :effect ()))"
	_, p := pddltest.Parse(t, dom, "(define (problem p) (:domain d) (:objects f-0- l*1) (:goal (and)))")
	x := NewReader(p.Domain, p).Read("<plan>\n0.5: (go F-0-) [1] ; so\n 2:(go l*1)\n1. go l*1\n-1: (go a)\n</plan>")
	if got := strings.Join(x.Steps, "|"); got != "0.5: (go f-0-) [1]|2: (go l*1)" || len(x.Bad) != 2 {
		t.Errorf("read as %s, bad %v", got, x.Bad)
	}
}

// byRegexp are the lines of the contract, written down once more.
var byRegexp = func() *regexp.Regexp {
	name := `[A-Za-z0-9_\x80-\xff][A-Za-z0-9_\x80-\xff-]*`
	form := fmt.Sprintf(`(?:\( *%[1]s(?: +%[1]s)* *\)|%[1]s\( *(?:%[1]s *(?:, *%[1]s *)*)?\)|%[1]s(?: +%[1]s)*)`, name)
	count := `(?:[0-9]+[.):][ \t]*|(?i:step)[ \t]+[0-9]+:[ \t]*)?`
	counted := fmt.Sprintf("%s(?:%s|\\*\\*%s\\*\\*|`%s`)", count, form, form, form)
	return regexp.MustCompile(fmt.Sprintf("^(?:[ \t]*(?:;[^\r\n]*)?|[ \t]*(?:[-*+][ \t]+)?(?:%[1]s|\\*\\*%[1]s\\*\\*|`%[1]s`)[ \t]*(?:;[^\r\n]*)?)$", counted))
}()

// latin1 maps each byte to a character, since package regexp matches characters.
func latin1(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}

// TestLines: a second description of the contract agrees on which lines follow it, among lines of the grammar and
// lines that differ from them in a byte.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Sampler{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
		line := s.Text("line")
		if plainLines().match(line) == tagNone {
			t.Fatalf("%q is not read", line)
		}
		b := []byte(line)
		if len(b) > 0 && rapid.Bool().Draw(t, "altered") {
			i := rapid.IntRange(0, len(b)-1).Draw(t, "byte")
			b[i] = rapid.SampledFrom([]byte("(),.:;-*`1a \xc3")).Draw(t, "by")
		}
		line = string(b)
		if got, want := plainLines().match(line) != tagNone, byRegexp.MatchString(latin1(line)); got != want {
			t.Fatalf("%q is a line: %v, want %v", line, got, want)
		}
	})
}

// TestBlocks: what the grammar allows is read without a bad part, but for numbers that do not count.
func TestBlocks(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p)
	rapid.Check(t, func(t *rapid.T) {
		s := &Sampler{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), Names: []string{"stack", "a", "b", "pick-up"}}
		text := s.Text("block")
		if strings.Contains(text, "````") {
			t.Skip() // a code tick before the fence that ends the block
		}
		x := r.Read("So:\n" + text + "\nDone.")
		if !x.Found {
			if strings.Contains(text, ";") { // a comment may hold markers
				t.Skip()
			}
			t.Fatalf("%q is no plan", text)
		}
		for _, b := range x.Bad {
			if !strings.Contains(b.Why, "count up") && !strings.Contains(text, ";") {
				t.Fatalf("%q: %+v", text, b)
			}
		}
	})
}

func TestGrammarErrors(t *testing.T) {
	for text, want := range map[string]string{
		`a = "b"`: "line 1", "a ::=": `no rule "a"`, "a ::= \n\"b": "line 2", "a ::= b": `no rule "b"`, "a ::= a": "contains itself", "| a ::= b": "before the first rule",
		"a ::= b\nb ::= a": "contains itself", "a ::= [b": "line 1", `a ::= ("b"`: "missing closing", "a ::= #xZZ": "line 1", "a ::= \"b\"\na ::= \"c\"": "twice",
	} {
		if _, err := parseGrammar(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// TestWords: the contract in words names the markers and the forms of the task, and leaves no slot open.
func TestWords(t *testing.T) {
	plain, timed := Words("<plan>", "</plan>", "pick up the red block", false), Words("[PLAN]", "[PLAN END]", "", true)
	for _, want := range []string{"<plan> and </plan>", "pick up the red block", "JSON array"} {
		if !strings.Contains(plain, want) || strings.Contains(timed, want) {
			t.Errorf("%q is in\n%s\nor in\n%s", want, plain, timed)
		}
	}
	if !strings.Contains(timed, "0.5: (action object object) [2]") || strings.ContainsAny(strings.ReplaceAll(plain, `{"action"`, "")+timed, "{") {
		t.Errorf("%s\n%s", plain, timed)
	}
}

// TestEveryRuleIsUsed: each rule is reached from "block" or "timed", so the file says nothing that is not read.
func TestEveryRuleIsUsed(t *testing.T) {
	g, used := rules(), map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		if g.rules[name] != nil && !used[name] {
			used[name] = true
			for _, s := range g.rules[name] {
				walk(s)
			}
		}
	}
	walk("block")
	walk("timed")
	for _, name := range g.order {
		if !used[name] {
			t.Errorf("rule %q is not used", name)
		}
	}
}

// TestLinear: hostile answers of a megabyte are read in time that grows with their length only.
func TestLinear(t *testing.T) {
	testkit.Long(t)
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p)
	for _, unit := range []string{"<plan>", "[PLAN]\n", "```plan", "```plan\n", "<think>", "</think>", "[", "\"a\",", "<plan>\n[\"a\",\n", "pick up the ", "(", "1. ", "`", "<plan>a b c\n", "; ", "stack the red block on top of the "} {
		cpu := func(n int) time.Duration {
			text := "<plan>\n" + strings.Repeat(unit, n/len(unit)) + "\n</plan>"
			at := testkit.CPUTime()
			r.Read(text)
			r.Read(text[len("<plan>"):])
			return testkit.CPUTime() - at
		}
		const size = 1 << 16
		small, large := min(cpu(size), cpu(size)), min(cpu(16*size), cpu(16*size))
		if large > 48*small && large > 400*time.Millisecond {
			t.Errorf("%q: 16 times the text takes %v after %v", unit, large, small)
		}
	}
}

func FuzzRead(f *testing.F) {
	p := pddltest.Load(f, "blocksworld:3-5")
	r := NewReader(p.Domain, p)
	for seed := range uint64(20) {
		s := &Sampler{Rand: rand.New(rand.NewPCG(seed, 2))}
		f.Add(s.Text("block"))
	}
	f.Fuzz(func(t *testing.T, answer string) {
		x := r.Read(answer)
		if len(x.Steps) != len(x.Lines) || !x.Found && len(x.Steps)+len(x.Bad) > 0 || !slices.IsSorted(x.Lines) {
			t.Fatalf("%q: %+v", answer, x)
		}
		if len(x.Bad) > 0 || !x.Found {
			return
		}
		again := r.Read("<plan>\n" + strings.Join(x.Steps, "\n") + "\n</plan>")
		if !slices.Equal(again.Steps, x.Steps) || len(again.Bad) > 0 {
			t.Fatalf("%q is read as %q, and that as %+v", answer, x.Steps, again)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	p := pddltest.Load(b, "blocksworld:3-5")
	r := NewReader(p.Domain, p)
	for name, line := range map[string]string{"pddl": "(unstack b c)\n", "sentence": "unstack the blue block from on top of the orange block\n"} {
		text := "<plan>\n" + strings.Repeat(line, 100<<10/len(line)) + "</plan>"
		b.Run(name+"-100KB", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Read(text)
			}
		})
	}
}
