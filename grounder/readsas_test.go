package grounder

import (
	"errors"
	"strings"
	"testing"
)

// sasLamp has a switch that any robot position may flip, a derived variable for
// "lit", and one conditional effect.
const sasLamp = `begin_version
3
end_version
begin_metric
1
end_metric
3
begin_variable
var0
-1
3
Atom at(r, a)
Atom at(r, b)
<none of those>
end_variable
begin_variable
var1
-1
2
Atom on(s)
NegatedAtom on(s)
end_variable
begin_variable
var2
0
2
Atom lit()
NegatedAtom lit()
end_variable
1
begin_mutex_group
2
0 0
0 1
end_mutex_group
begin_state
0
1
1
end_state
begin_goal
2
2 0
0 0
end_goal
2
begin_operator
go b a
1
2 1
1
0 0 1 0
4294967296
end_operator
begin_operator
flip s
0
2
0 1 1 0
2 1 1 0 0 0 -1 1
7
end_operator
1
begin_rule
1
1 0
2 1 0
end_rule
`

func TestReadSAS(t *testing.T) {
	task, err := ReadSAS(strings.NewReader(sasLamp))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := task.Stats(), (Stats{Facts: 7, Variables: 3, Operators: 2, Axioms: 1, MutexGroups: 1}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	if got := dumpTask(task); got != strings.TrimPrefix(`
var 0 layer -1: Atom at(r, a) | Atom at(r, b) | <none of those>
var 1 layer -1: Atom on(s) | NegatedAtom on(s)
var 2 layer 0 default 1: Atom lit() | NegatedAtom lit()
mutex [{0 0} {0 1}]
init [0 1 1]
goal [{0 0} {2 0}]
(go b a) cost 4294967296 pre [{0 1} {2 1}]
  [] -> {0 0}
(flip s) cost 7 pre [{1 1}]
  [] -> {1 0}
  [{0 0} {1 1}] -> {0 1}
axiom [{1 0}] -> {2 0}
`, "\n") {
		t.Errorf("read as\n%s", got)
	}
}

func TestReadSASErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"\n3\nend_version", "\n4\nend_version", "line 2: the format version is 4"},
		{"begin_metric\n1", "begin_metric\nx", `line 5: expected an integer, found "x"`},
		{"end_metric\n3\n", "end_metric\n99999999\n", "line 7: the number of variables is 99999999, but"},
		{"end_metric\n3\n", "end_metric\n99999999999999999999\n", "line 7: expected an integer of at most 63 bits"},
		{"end_metric\n3\n", "end_metric\n-1\n", "line 7: the number of variables is -1"},
		{"var2\n0\n2", "var2\n0\n1", "line 26: a variable with 1 values"},
		{"0 1\nend_mutex", "0 3\nend_mutex", "line 34: value 3 of variable 0 does not exist: it has 3"},
		{"2 0\n0 0\nend_goal", "2 0\n2 1\nend_goal", "line 44: a condition requires two values of variable 2"},
		{"1\n2 1\n1\n0 0 1 0", "1\n0 0\n1\n0 0 1 0", "line 52: a condition requires two values of variable 0"},
		{"0 1 1 0\n2 1 1", "0 2 1 0\n2 1 1", "line 59: an operator changes variable 2, which is derived"},
		{"2 1 1 0 0 0 -1 1", "9 1 1 0 0 0 -1 1", "line 60: value -1 of variable 0 does not exist"},
		{"2 1 1 0 0 0 -1 1", "99 1 1 0 0 0 -1 1", "line 60: 99 effect conditions do not fit"},
		{"2 1 1 0 0 0 -1 1", "2 1 1 0 0 0 -1 1 5", `line 60: unexpected " 5"`},
		{"4294967296", "-1", "line 53: the operator's cost is -1"},
		{"1\n1 0\n2 1 0", "1\n2 1\n2 1 0", "line 67: an axiom of layer 0 reads variable 2 of layer 0 too early"},
		{"1\n1 0\n2 1 0", "1\n2 0\n1 1 0", "line 67: an axiom changes variable 1, which is not derived"},
		{"1\n1 0\n2 1 0", "1\n1 0\n2 0 1", "line 67: an axiom must change variable 2 from its default 1"},
		{"end_rule\n", "", "line 68: unexpected end of file"},
		{"end_rule\n", "end_rule\nmore\n", `line 69: unexpected "more"`},
	} {
		if strings.Count(sasLamp, c.old) != 1 {
			t.Fatalf("%q is not unique", c.old)
		}
		_, err := ReadSAS(strings.NewReader(strings.Replace(sasLamp, c.old, c.new, 1)))
		var sas *SASError
		if !errors.As(err, &sas) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func FuzzReadSAS(f *testing.F) {
	f.Add(sasLamp)
	f.Add(strings.ReplaceAll(sasLamp, "\n", "\r\n"))
	f.Fuzz(func(t *testing.T, text string) {
		task, err := ReadSAS(strings.NewReader(text))
		if err != nil {
			return
		}
		checkTask(t, task)
	})
}
