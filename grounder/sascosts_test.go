package grounder

import (
	"bytes"
	"strings"
	"testing"
)

// TestWriteSASCosts: costs keep their ratios, and the file says by which factor they differ
// from the problem's.
func TestWriteSASCosts(t *testing.T) {
	for _, c := range []struct{ a, b, factor, wantA, wantB string }{
		{"1.5", "3", "2", "3", "6"},
		{"0.25", "1", "4", "1", "4"},
		{"2", "4", "1", "2", "4"},
		{"(/ 1 3)", "1", "3", "1", "3"},
		{"3000000000", "6000000000", "1/3000000000", "1", "2"},
	} {
		task, err := groundText(t, `(:predicates (p) (q)) (:functions (total-cost)) (:action a :effect (and (p) (increase (total-cost) `+c.a+`))) (:action b :effect (and (q) (increase (total-cost) `+c.b+`)))`,
			`(:init) (:goal (and (p) (q))) (:metric minimize (total-cost))`, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out, again bytes.Buffer
		if err := WriteSAS(&out, task); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for op, cost := range map[string]string{"a": c.wantA, "b": c.wantB} {
			_, entry, _ := strings.Cut(text, "begin_operator\n"+op+"\n")
			if entry, _, _ = strings.Cut(entry, "\nend_operator"); !strings.HasSuffix(entry, "\n"+cost) {
				t.Errorf("%s, %s: operator %s costs\n%s\nwant %s", c.a, c.b, op, entry, cost)
			}
		}
		if got := SASFactor(task).String(); got != c.factor || strings.Contains(text, sasFactorMark) != (c.factor != "1") {
			t.Errorf("%s, %s: factor %s, want %s\n%s", c.a, c.b, got, c.factor, text)
		}
		read, err := ReadSAS(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteSAS(&again, read); err != nil || again.String() != text {
			t.Errorf("%s, %s: read and written again: %v\n%s", c.a, c.b, err, again.String())
		}
		for i := range task.Operators.Len() {
			if a, b := task.PlanCost(task.Operators.Cost(i)), read.PlanCost(read.Operators.Cost(i)); !a.Equal(b) {
				t.Errorf("%s, %s: operator %d costs %s in the file, %s in the problem", c.a, c.b, i, b, a)
			}
		}
	}
	for _, bad := range []string{"0", "-1", "x", "1/0", ""} {
		in := "begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n1\nbegin_variable\nvar0" + sasFactorMark + bad + "\n-1\n1\na\nend_variable\n"
		if _, err := ReadSAS(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), "factor") {
			t.Errorf("factor %q: %v", bad, err)
		}
	}
}
