package domains

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A000262 counts the ways to put n labelled blocks into towers.
func TestBlocksworldStateCounts(t *testing.T) {
	for n, want := range []int64{1, 1, 3, 13, 73, 501, 4051, 37633, 394353, 4596553} {
		if got := BlocksworldStates(n); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("%d blocks: %s states, want %d", n, got, want)
		}
	}
}

// TestBlocksworldStatesComplete checks the enumeration against all possible
// choices of what is under each block.
func TestBlocksworldStatesComplete(t *testing.T) {
	for n := 1; n <= 5; n++ {
		legal := map[string]bool{}
		choice := make(Blocks, n)
		var try func(i int)
		try = func(i int) {
			if i < n {
				for choice[i] = Table; choice[i] < n; choice[i]++ {
					try(i + 1)
				}
				return
			}
			if isState(choice) {
				legal[fmt.Sprint(choice)] = true
			}
		}
		try(0)
		var previous Blocks
		for k, total := int64(0), BlocksworldStates(n).Int64(); k < total; k++ {
			s := BlocksworldState(n, big.NewInt(k))
			if !legal[fmt.Sprint(s)] {
				t.Fatalf("%d blocks, state %d is %v: illegal or seen before", n, k, s)
			}
			delete(legal, fmt.Sprint(s))
			if previous != nil && !before(previous, s) {
				t.Fatalf("%v comes before %v", previous, s)
			}
			previous = s
			if i, err := newBlocksCounter(len(s)).index(s); err != nil || i.Int64() != k {
				t.Fatalf("state %d of %d blocks has index %v, %v", k, n, i, err)
			}
		}
		if len(legal) != 0 {
			t.Errorf("%d blocks: %d states are missing", n, len(legal))
		}
	}
}

func isState(s Blocks) bool {
	on := map[int]bool{}
	for b, under := range s {
		if under != Table && on[under] {
			return false
		}
		on[under] = true
		for steps := 0; b != Table; b, steps = s[b], steps+1 {
			if steps > len(s) {
				return false
			}
		}
	}
	return true
}

func before(a, b Blocks) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func TestIndexRefusesNonStates(t *testing.T) {
	for _, s := range []Blocks{{0}, {1, 0}, {1, 2, 0}, {2, 2, Table}, {7, Table}, {-2, Table}} {
		if i, err := newBlocksCounter(len(s)).index(s); err == nil {
			t.Errorf("%v has index %s", s, i)
		}
	}
}

// TestBlocksworldPairsComplete shows that every ordered pair has exactly one
// number.
func TestBlocksworldPairsComplete(t *testing.T) {
	for n := 2; n <= 4; n++ {
		total := BlocksworldTasks(n).Int64()
		seen := map[string]bool{}
		for k := int64(1); k <= total; k++ {
			init, goal := BlocksworldPair(n, big.NewInt(k))
			pair := fmt.Sprint(init, goal)
			if fmt.Sprint(init) == fmt.Sprint(goal) || !isState(init) || !isState(goal) || seen[pair] {
				t.Fatalf("%d blocks, task %d: %s", n, k, pair)
			}
			seen[pair] = true
		}
	}
}

func TestBlocksworldPairRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "blocks")
		k := new(big.Int).SetUint64(rapid.Uint64().Draw(t, "k"))
		k.Mod(k, BlocksworldTasks(n))
		k.Add(k, big.NewInt(1))
		init, goal := BlocksworldPair(n, k)
		back, err := BlocksworldNumber(init, goal)
		if err != nil || back.Cmp(k) != 0 {
			t.Fatalf("task %s of %d blocks comes back as %v, %v", k, n, back, err)
		}
	})
}

// TestNamesAreStable pins a few tasks: names are promised to keep their meaning.
// The states come from a second program that follows the comment of BlocksworldPair.
func TestNamesAreStable(t *testing.T) {
	for _, c := range []struct {
		n    int
		k    int
		want string
	}{
		{2, 1, "[-1 0] [-1 -1]"},
		{3, 1, "[1 2 -1] [-1 -1 0]"},
		{4, 1, "[2 -1 -1 -1] [3 2 -1 1]"},
		{4, 17, "[-1 2 3 -1] [1 3 -1 2]"},
		{4, 5256, "[3 0 1 -1] [2 -1 3 -1]"},
		{5, 3, "[-1 -1 -1 1 0] [3 0 -1 4 -1]"},
		{5, 250500, "[-1 -1 1 0 3] [4 -1 1 0 -1]"},
		{6, 1000, "[-1 4 5 0 3 -1] [2 0 -1 5 3 1]"},
	} {
		init, goal := pair(c.n, c.k)
		if got := fmt.Sprint(init, goal); got != c.want {
			t.Errorf("blocksworld:%d-%d is %s, want %s", c.n, c.k, got, c.want)
		}
	}
	// The seeded kinds are pinned by the files in /testdata.
}

func TestLoad(t *testing.T) {
	for _, info := range List() {
		d, p, err := Load(info.Example)
		if err != nil {
			t.Fatalf("%s: %v", info.Example, err)
		}
		for _, name := range []string{info.Example, info.Name} {
			if !IsName(name) {
				t.Errorf("%s is not taken for a name", name)
			}
		}
		domain := strings.TrimPrefix(info.Name, "budget-") // a set of tasks of another kind's domain
		if info.Name == "invented" {                       // each domain has a name of its own
			_, rest, _ := strings.Cut(d.Text, "(domain ")
			domain, _, _ = strings.Cut(rest, ")")
		}
		if !strings.Contains(p.Text, "(:domain "+domain+")") || !strings.Contains(d.Text, "(domain "+domain+")") {
			t.Errorf("%s: domain names differ", info.Name)
		}
		if _, _, err := Load(info.Name); err != nil {
			t.Errorf("defaults of %s: %v", info.Name, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := []struct {
		name string
		err  error
		hint string
	}{
		{"blockworld:4-1", ErrUnknown, `did you mean "blocksworld"?`},
		{"nonsense:4-1", ErrUnknown, "there are blocksworld, budget-blocksworld, logistics"},
		{"", ErrUnknown, ""},
		{strings.Repeat("x", 1000), ErrUnknown, "1000 characters"},
		{"blocksworld:4-0", ErrParameter, "from 1 to 5256"},
		{"blocksworld:4-5257", ErrParameter, "from 1 to 5256"},
		{"blocksworld:1-1", ErrParameter, "from 2 to 100"},
		{"blocksworld:4-1-1", ErrParameter, "too many numbers; the form is blocksworld:BLOCKS-TASK"},
		{"blocksworld:4x-1", ErrParameter, `"4x"`},
		{"blocksworld:", ErrParameter, `""`},
		{"blocksworld:+4", ErrParameter, ""},
		{"blocksworld:99999999999999999999", ErrParameter, ""},
		{"gripper:2-2-1", ErrParameter, "too many"},
		{"logistics:2-3-4-18446744073709551616", ErrParameter, "18446744073709551615"},
		{"elevator:1", ErrParameter, "floors"},
		{"budget-blocksworld:1-1009", ErrParameter, "from 1 to 1008"},
		{"budget-blocksworld:0", ErrParameter, "from 1 to 1000000000"},
	}
	for _, c := range cases {
		_, _, err := Load(c.name)
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%.40s: error %v, want %v with %q", c.name, err, c.err, c.hint)
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"gripper": true, "gripper:6": true, "griper:6": true, "domain.pddl": false, "dir/gripper": false,
		"C:\\d": false, "c:4": false, "-": false, "": false, ":4": false, "grid": false, "a b:4": false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("IsName(%q) = %v", name, got)
		}
	}
}

// TestGenerateIsLoad shows that Load of a generated task's name gives the same task.
func TestGenerateIsLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		infos := List()
		info := infos[rapid.IntRange(0, len(infos)-1).Draw(t, "kind")]
		params := map[string]int{}
		for _, p := range info.Params {
			params[p.Name] = rapid.IntRange(p.Min, min(p.Max, p.Min+6)).Draw(t, p.Name)
		}
		opt := GenerateOptions{Params: params}
		if info.Last != "" {
			opt.Count = rapid.IntRange(1, 3).Draw(t, "count")
		}
		tasks, err := Generate(info.Name, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i, task := range tasks {
			_, p, err := Load(task.Name)
			if err != nil || p.Text != task.Problem.Text {
				t.Fatalf("%s: loads something else (%v)", task.Name, err)
			}
			if i > 0 && p.Text == tasks[0].Problem.Text {
				t.Fatalf("%s and %s are the same", task.Name, tasks[0].Name)
			}
		}
	})
}

func TestGenerateRefuses(t *testing.T) {
	for _, c := range []struct {
		kind string
		opt  GenerateOptions
		hint string
	}{
		{"grippers", GenerateOptions{}, "did you mean"},
		{"gripper", GenerateOptions{Count: 2}, "single task"},
		{"gripper", GenerateOptions{Params: map[string]int{"balls": 0}}, "balls is 0"},
		{"gripper", GenerateOptions{Params: map[string]int{"ball": 1, "cats": 1}}, "no ball, cats"},
		{"blocksworld", GenerateOptions{Params: map[string]int{"blocks": 2}, Seed: 6, Count: 2}, "numbers from 1 to 6"},
		{"logistics", GenerateOptions{Count: -1}, "count is -1"},
	} {
		if _, err := Generate(c.kind, c.opt); err == nil || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%s %+v: error %v, want %q", c.kind, c.opt, err, c.hint)
		}
	}
}

func TestWrite(t *testing.T) {
	tasks, err := Generate("logistics", GenerateOptions{Count: 3, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := Write(dir, tasks); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"domain.pddl": tasks[0].Domain.Text, "logistics-2-2-2-8.pddl": tasks[1].Problem.Text,
		"names.txt": "logistics:2-2-2-7\nlogistics:2-2-2-8\nlogistics:2-2-2-9\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

func pair(n, k int) (init, goal Blocks) { return BlocksworldPair(n, big.NewInt(int64(k))) }
