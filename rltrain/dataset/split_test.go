package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// Held-out data is held out by structure: no structure is in two splits, but for the contaminated half of
// the test, all of whose structures are in train, under other names.
func TestNoStructureInTwoSplits(t *testing.T) {
	for name, o := range sets(t) {
		for _, seed := range []uint64{o.Seed, 77} {
			rows := rowsOf(t, name)
			if seed != o.Seed {
				if name != "words" && name != "small list" {
					continue // two are enough
				}
				o.Seed = seed
				rows = all(t, prepare(t, o))
			}
			splits := map[string]map[string]bool{}
			tasks := map[string]map[string]bool{}
			base := map[string]string{} // of the task without constraints
			for _, r := range rows {
				if splits[r.Split] == nil {
					splits[r.Split], tasks[r.Split] = map[string]bool{}, map[string]bool{}
				}
				splits[r.Split][r.Structure] = true
				tasks[r.Split][r.Task] = true
				free, err := domains.Unrestricted(parseTask(t, r.DomainText, r.ProblemText))
				if err != nil {
					t.Fatal(err)
				}
				st := StructureOf(free)
				key := st.String()
				if at, ok := base[key]; ok && at != r.Split && r.Split != TestContaminated {
					t.Errorf("%s: %s is in %s and, with other constraints, in %s", name, r.ID, r.Split, at)
				} else if !ok && r.Split != TestContaminated {
					base[key] = r.Split
				}
			}
			for st := range splits[TestContaminated] {
				if !splits[Train][st] || splits[Val][st] || splits[TestClean][st] {
					t.Errorf("%s, seed %d: the contaminated %s is not in train alone", name, seed, st)
				}
			}
			for task := range tasks[TestContaminated] {
				if o.Dedup != DedupNone && tasks[Train][task] {
					t.Errorf("%s, seed %d: a contaminated task is in train under the same names", name, seed)
				}
			}
			for _, pair := range [][2]string{{Train, Val}, {Train, TestClean}, {Val, TestClean}} {
				for st := range splits[pair[0]] {
					if splits[pair[1]][st] {
						t.Errorf("%s, seed %d: %s is in %s and in %s", name, seed, st, pair[0], pair[1])
					}
				}
			}
		}
	}
}

// Where structures are not found within bounds, tasks that are the same but for names stay
// together all the same.
func TestInexactStructuresStayTogether(t *testing.T) {
	o := Options{Settings: Settings{Dedup: DedupNone, Style: "compact", Split: Ratio{40, 30, 30, 0}}, Sources: []Source{exhaust(t, 3, false), Sample(exhaust(t, 4, false), 40, 1)}, structureWork: 120}
	s := prepare(t, o)
	if n := s.Manifest().Inexact; n < 20 || n == s.Manifest().Structures {
		t.Fatalf("%d of %d structures are inexact: the test shows nothing", n, s.Manifest().Structures)
	}
	split, splits := map[[32]byte]string{}, map[string]bool{}
	for _, r := range all(t, s) {
		exact := StructureOf(parseTask(t, r.DomainText, r.ProblemText))
		if at, ok := split[exact.Hash]; ok && at != r.Split {
			t.Errorf("%s is in %s, and a task that differs in names only in %s", r.ID, r.Split, at)
		}
		split[exact.Hash], splits[r.Split] = r.Split, true
	}
	if len(splits) != 3 {
		t.Errorf("splits %v", splits)
	}
}

// What another data set has is left out, with or without constraints and whatever it is called.
func TestExclude(t *testing.T) {
	rows := rowsOf(t, "constrained")
	var entries []Entry
	theirs := map[string]bool{}
	base := func(r *Record) string {
		free, err := domains.Unrestricted(parseTask(t, r.DomainText, r.ProblemText))
		if err != nil {
			t.Fatal(err)
		}
		st := StructureOf(free)
		return st.String()
	}
	for _, r := range rows {
		theirs[base(r)] = true
		entries = append(entries, Entry{ID: r.ID, Load: func() (*pddl.Source, *pddl.Source, error) {
			return pddl.NewSource("d", r.DomainText), pddl.NewSource("p", r.ProblemText), nil
		}})
	}
	o := Options{Settings: Settings{Style: "compact", Names: "colours"}, Sources: []Source{exhaust(t, 4, true)}, Exclude: []Source{NewList("theirs", entries)}}
	s := prepare(t, o)
	for _, r := range all(t, s) {
		if theirs[base(r)] {
			t.Errorf("%s is there", r.ID)
		}
	}
	if m := s.Manifest(); m.Dropped[DropExcluded] != len(theirs) || m.Options.Excluded != len(theirs) || m.Structures != 223-len(theirs) {
		t.Errorf("%d structures of theirs; %+v", len(theirs), m.Dropped)
	}
	// Where exact structures are not found, too much is left out rather than too little.
	o.structureWork = 120
	o.Sources = []Source{Sample(exhaust(t, 4, false), 200, 4)}
	o.Dedup = DedupNone
	for _, r := range all(t, prepare(t, o)) {
		if theirs[base(r)] {
			t.Errorf("within bounds, %s is there", r.ID)
		}
	}
}

// A contaminated task is never in train as it is, even where all tasks of its structure are.
func TestContaminatedTasksHaveOtherNames(t *testing.T) {
	for _, names := range []string{NamesOwn, NamesColourSets} {
		train, contaminated := map[string]bool{}, 0
		for _, r := range all(t, prepare(t, Options{Settings: Settings{Dedup: DedupNone, Names: names, Style: "compact", Split: Ratio{50, 0, 0, 50}}, Sources: []Source{exhaust(t, 3, false)}})) {
			switch r.Split {
			case Train:
				train[r.ProblemText[strings.Index(r.ProblemText, "(:init"):]] = true
			case TestContaminated:
				contaminated++
				if train[r.ProblemText[strings.Index(r.ProblemText, "(:init"):]] {
					t.Errorf("%s, %s is in train", names, r.ID)
				}
			}
		}
		if contaminated != 78 || len(train) != 156 {
			t.Errorf("%s: %d contaminated tasks, %d in train", names, contaminated, len(train))
		}
	}
}

// Split by domain, no domain is in two splits but the contaminated one, whichever sources it is in.
func TestSplitByDomain(t *testing.T) {
	var sources []Source
	for d := 1; d <= 10; d++ {
		for _, seed := range []uint64{1, 5} { // two sources of each domain
			src, err := NewBundled("invented", domains.GenerateOptions{Params: map[string]int{"domain": d, "objects": 2}, Seed: seed, Count: 3}, fmt.Sprint(d, " ", seed))
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, src)
		}
	}
	o := Options{Settings: Settings{Dedup: DedupNone, Style: "compact", Split: Ratio{60, 20, 20, 0}, SplitBy: SplitByDomain}, Sources: sources}
	split, domainsOf := map[string]string{}, map[string]map[string]bool{}
	for _, r := range all(t, prepare(t, o)) {
		if was, ok := split[r.DomainText]; ok && was != r.Split {
			t.Errorf("%s is in %s, others of its domain in %s", r.ID, r.Split, was)
		}
		split[r.DomainText] = r.Split
		if domainsOf[r.Split] == nil {
			domainsOf[r.Split] = map[string]bool{}
		}
		domainsOf[r.Split][r.DomainText] = true
	}
	if len(domainsOf[Train]) != 6 || len(domainsOf[Val]) != 2 || len(domainsOf[TestClean]) != 2 {
		t.Errorf("domains by split: %d, %d, %d, want 6, 2, 2", len(domainsOf[Train]), len(domainsOf[Val]), len(domainsOf[TestClean]))
	}
	o.Shots = 1
	if _, err := Prepare(context.Background(), o); err == nil || !strings.Contains(err.Error(), "held out") {
		t.Errorf("examples of domains that are held out: %v", err)
	}
}

// Splits have the sizes that were asked for, in every source by itself.
func TestApportion(t *testing.T) {
	for _, c := range []struct {
		n    int
		r    Ratio
		want [4]int
	}{
		{10, DefaultRatio, [4]int{7, 1, 1, 1}}, {26, DefaultRatio, [4]int{18, 3, 3, 2}}, {0, DefaultRatio, [4]int{}},
		{1, DefaultRatio, [4]int{1, 0, 0, 0}}, {3, Ratio{50, 50, 0, 0}, [4]int{2, 1, 0, 0}}, {1000, Ratio{33.4, 33.3, 33.3, 0}, [4]int{334, 333, 333, 0}},
	} {
		if got := apportion(c.n, c.r); got != c.want {
			t.Errorf("%d by %v: %v, want %v", c.n, c.r, got, c.want)
		}
	}
}

// Tasks that differ in names only may become one task under the names that rows get. None
// is then in two rows, and above all none that is tested was trained on, whatever the
// order of its objects and facts.
func TestNoTaskTwiceUnderDrawnNames(t *testing.T) {
	for _, c := range []struct {
		names, dedup string
		same         bool // left out within a split, too
	}{{"a,b,c,d,e,f,g", DedupExact, true}, {"a,b,c", DedupExact, true}, {NamesColourSets, DedupNone, false}} {
		o := Options{Settings: Settings{Dedup: c.dedup, Names: c.names, Seed: 1, Style: "compact", Goals: 1, Split: Ratio{60, 5, 10, 25}}, Sources: []Source{exhaust(t, 3, false)}}
		s := prepare(t, o)
		rows := all(t, s)
		first := map[string]*Record{}
		twice := 0
		for _, r := range rows { // train comes first
			lines := strings.Split(r.ProblemText, "\n")[1:] // all but the problem's name
			slices.Sort(lines)
			key := strings.Join(lines, "\n")
			before := first[key]
			switch {
			case before == nil:
				first[key] = r
			case r.Split == TestContaminated && before.Split != TestContaminated:
				t.Errorf("%s, %s: %s is %s of %s", c.names, c.dedup, r.ID, before.ID, before.Split)
			default:
				twice++
			}
		}
		m := s.Manifest()
		if c.same && twice > 0 || m.Dropped[DropSame] == 0 || len(rows) != m.Rows {
			t.Errorf("%s, %s: %d tasks are there twice; %d rows, manifest %d, left out %v", c.names, c.dedup, twice, len(rows), m.Rows, m.Dropped)
		}
	}
}
