package pddl

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

func TestParsePlan(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "(pick-up a)\n(stack a b)\n", "(pick-up a)\n(stack a b)\n"},
		{"empty", "", ""},
		{"comments only", "; cost = 0 (unit cost)\n\n", ""},
		{"spelling is kept", "(Pick-UP A)", "(Pick-UP A)\n"},
		{"several on a line", "(a)(b c) (d)", "(a)\n(b c)\n(d)\n"},
		{"blanks and comments inside", "(  stack ; the block\n\ta\n b )", "(stack a b)\n"},
		{"byte order mark, CRLF, no final newline", "\ufeff(a)\r\n(b)", "(a)\n(b)\n"},
		{"lone carriage returns", "(a) ; x\r(b)\r", "(a)\n(b)\n"},
		{"times", "0.000: (a b) [1.50]\n1: (c)\n2.5 : ( d ) [ 3 ]\n1e1: (e) [2.5e-1]", "0: (a b) [1.50]\n1: (c)\n2.5: (d) [3]\n10: (e) [0.25]\n"},
		{"unordered times", "5: (a)\n0: (b)", "5: (a)\n0: (b)\n"},
		{"durations without times", "(a) [2]\n(b)", "(a) [2]\n(b)\n"},
		{"names that look like numbers", "(move 1 2.5)", "(move 1 2.5)\n"},
	} {
		p, ds := ParsePlan(NewSource("plan.txt", c.in))
		if p == nil {
			t.Errorf("%s: %v", c.name, ds)
		} else if p.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, p, c.want)
		}
	}
}

func TestPlanFaults(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"unclosed at the end", "(pick-up a)\n(stack a b\n", "2:1 unclosed-parenthesis"},
		{"unclosed before the next", "(pick-up a\n(stack a b)\n", "1:1 unclosed-parenthesis"},
		{"garbage between", "(a)\nand then we undo it: (b)\n(c)", "2:1 malformed-step"},
		{"garbage after", "(a) done", "1:5 malformed-step"},
		{"words without parentheses", "pick-up a", "1:1 malformed-step"},
		{"a number alone", "(a)\n1.\n", "2:1 malformed-step"},
		{"a list number", "1. (a)", "1:1 malformed-step"},
		{"an extra closing parenthesis", "(a))", "1:4 malformed-step"},
		{"nothing in the step", "(a)\n()\n( )", "2:1 empty-step|3:1 empty-step"},
		{"mixed", "0: (a)\n(b)\n1: (c)", "2:1 mixed-time-stamps"},
		{"mixed the other way", "(a)\n1: (b)", "2:1 mixed-time-stamps"},
		{"negative time", "-1: (a)", "1:1 negative-time"},
		{"negative duration", "1: (a) [-0.5]", "1:9 negative-duration"},
		{"huge time", "1e999999999: (a)", "1:1 bad-number"},
		{"no number in the duration", "1: (a) [x]", "1:8 malformed-duration"},
		{"unclosed duration", "1: (a) [2", "1:8 malformed-duration"},
		{"time without a step", "1: ", "1:1 malformed-step"},
		{"colon without a time", ": (a)", "1:1 malformed-step"},
		{"illegal character", "(bake éclair) (b)", "1:7 illegal-character"},
		{"colon inside a step", "(a :b)", "1:4 malformed-step"},
		{"variable", "(a ?x)", "1:4 illegal-character"},
		{"a nested list", "(pick (a))", "1:7 malformed-step"},
		{"a nested list, and more", "1: (pick (a) b) [2] 2: (c)", "1:10 malformed-step"},
		{"unclosed on one line", "(a b (c d)", "1:1 unclosed-parenthesis"},
		{"unclosed before a stamp", "1: (a b\n2: (c d)", "2:2 malformed-step"},
		{"brackets inside", "(a [b])", "1:4 malformed-step"},
		{"NUL", "(a\x00)", "1:3 not-text"},
		{"long name", "(" + strings.Repeat("x", MaxNameLength+1) + ")", "1:2 name-too-long"},
	} {
		p, ds := ParsePlan(NewSource("plan.txt", c.in))
		if p != nil {
			t.Errorf("%s: a plan in spite of errors", c.name)
		}
		if got := codesAt(ds); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPlanStep(t *testing.T) {
	p, ds := ParsePlan(NewSource("plan.txt", "; x\n 1.250: ( Stack  a b) [ 3.333 ]"))
	if p == nil {
		t.Fatal(ds)
	}
	s := p.Steps[0]
	if !p.Timed || s.Name != "Stack" || s.Pos != 12 || s.NamePos != 14 || s.ArgPos[0] != 21 || s.ArgPos[1] != 23 ||
		!s.Time.Equal(Fraction(5, 4)) || !s.Duration.Equal(Fraction(3333, 1000)) || s.Decimals != 3 || !s.HasDuration {
		t.Errorf("%+v", s)
	}
	for in, want := range map[string]int{"3": 0, "3.": 0, "3.50": 2, "1.5e1": 0, "1.25e1": 1, "1e-3": 3, "2.5E-2": 3} {
		if got := decimals(in); got != want {
			t.Errorf("decimals(%s) = %d, want %d", in, got, want)
		}
	}
}

// TestPlanReaderAllocations proves that reading plans one after another with the same
// reader costs no allocation.
func TestPlanReaderAllocations(t *testing.T) {
	a := NewSource("a", "0.5: (stack a b) [1.25]\n2: (unstack b c)\n; done\n")
	b := NewSource("b", strings.Repeat("(move x y z)\n", 50))
	var r PlanReader
	var p Plan
	plans := []*Source{a, b}
	run := func() {
		for _, s := range plans {
			if ds := r.Read(s, &p); ds != nil {
				t.Fatal(ds)
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(p.Steps) != 50 || p.Timed || p.Steps[49].Args[2] != "z" {
		t.Errorf("%d steps, the last %s", len(p.Steps), &p.Steps[len(p.Steps)-1])
	}
	if ds := r.Read(NewSource("c", "(a"), &p); !ds.HasErrors() {
		t.Error("a fault is not reported after a good plan")
	}
	if ds := r.Read(a, &p); ds != nil || len(p.Steps) != 2 || !p.Timed {
		t.Errorf("a good plan after a fault: %v", ds)
	}
}

func BenchmarkPlanReader(b *testing.B) {
	src := NewSource("plan", strings.Repeat("(unstack block1 block2)\n(stack block1 block3)\n", 6))
	var r PlanReader
	var p Plan
	b.SetBytes(int64(len(src.Text)))
	b.ReportAllocs()
	for b.Loop() {
		if r.Read(src, &p) != nil {
			b.Fatal("unread")
		}
	}
}

func TestLineCol(t *testing.T) {
	s := NewSource("f", "\ufeffab\r\né;c\rd\n\n")
	for _, c := range []struct{ pos, line, col int }{
		{0, 1, 1}, {3, 1, 1}, {4, 1, 2}, {5, 1, 3}, {7, 2, 1}, {9, 2, 2}, {10, 2, 3}, {12, 3, 1}, {13, 3, 2}, {14, 4, 1}, {15, 5, 1}, {99, 5, 1},
	} {
		if l, col := s.LineCol(Pos(c.pos)); l != c.line || col != c.col {
			t.Errorf("LineCol(%d) = %d:%d, want %d:%d", c.pos, l, col, c.line, c.col)
		}
	}
}

// TestLongLines prints many messages of one line of megabytes, whose characters must
// not be counted from its beginning each time.
func TestLongLines(t *testing.T) {
	testkit.Long(t)
	text := "(define (domain d) (:predicates (p)) (:action a :effect (and " + strings.Repeat("(p) ", 8<<20) + strings.Repeat("(é) ", 300) + ")))"
	_, ds := ParseDomain(NewSource("d", text), Options{})
	start := testkit.CPUTime()
	out := ds.Error()
	if took := testkit.CPUTime() - start; took > 2*time.Second {
		t.Errorf("printing took %v", took)
	}
	last := ds[MaxDiagnostics-1]
	if _, col := last.LineCol(); len(ds) != MaxDiagnostics+1 || col != 62+4*(8<<20)+4*(MaxDiagnostics-1)+1 || !strings.Contains(out, "^\n") {
		t.Errorf("column %d", col)
	}
	// Positions in any order.
	for _, i := range []int{150, 3, 199, 0, 150} {
		if _, col := ds[i].LineCol(); col != 62+4*(8<<20)+4*i+1 {
			t.Errorf("message %d: column %d", i, col)
		}
	}
}

func TestDiagnosticForms(t *testing.T) {
	_, ds := ParseDomain(NewSource("dir/my domain.pddl", "(define (domain d)\n\t(:predicates (p))\n(:action a :effect (q é)))"), Options{})
	b, err := json.Marshal(ds)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"severity":"error","code":"undeclared-predicate","file":"dir/my domain.pddl","line":3,"column":21,"message":"undeclared predicate 'q'"},` +
		`{"severity":"error","code":"illegal-character","file":"dir/my domain.pddl","line":3,"column":23,"message":"illegal character 'é' in a name"}]`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if ds.Err() == nil || Diagnostics(nil).Err() != nil || !ds.HasErrors() || len(ds.Errors()) != 2 {
		t.Error("HasErrors, Errors or Err")
	}
	// A line of megabytes is cut around the place.
	_, ds = ParseDomain(NewSource("d", "(define (domain d) (:predicates "+strings.Repeat("(p) ", 100000)+"))"), Options{})
	if n := len(ds.Error()); n > 300*MaxDiagnostics {
		t.Errorf("%d bytes of messages", n)
	}
	if len(ds) != MaxDiagnostics+1 || ds[MaxDiagnostics].Code != TooManyErrors || !strings.Contains(ds[MaxDiagnostics].Message, "99799 more") {
		t.Errorf("%d messages, the last %s", len(ds), ds[len(ds)-1].String())
	}
}
