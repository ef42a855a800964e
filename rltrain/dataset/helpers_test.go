package dataset

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
)

// prepare makes a set or fails.
func prepare(t testing.TB, o Options) *Set {
	t.Helper()
	if o.Dedup == "" {
		o.Dedup = DedupIsomorphic
	}
	if o.Names == "" {
		o.Names = NamesOwn
	}
	if o.Split == (Ratio{}) {
		o.Split = DefaultRatio
	}
	s, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all makes all rows of a set.
func all(t testing.TB, s *Set) []*Record {
	t.Helper()
	var rows []*Record
	for _, split := range Splits() {
		if err := s.Records(context.Background(), split, func(r *Record) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func kind(t testing.TB, name string, params map[string]int, count int) Source {
	t.Helper()
	src, err := NewBundled(name, domains.GenerateOptions{Params: params, Count: count}, fmt.Sprint(name, params))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func exhaust(t testing.TB, n int, oneOfEach bool) Source {
	t.Helper()
	src, err := NewExhaustive(context.Background(), n, oneOfEach, 1)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// sets are data sets of many kinds.
func sets(t testing.TB) map[string]Options {
	made.Lock()
	defer made.Unlock()
	if made.options == nil {
		made.options = newSets(t)
	}
	return made.options
}

// made keeps the sets and their rows: several tests look at them, and change nothing.
var made struct {
	sync.Mutex
	options map[string]Options
	sets    map[string]*Set
	rows    map[string][]*Record
}

// rowsOf are the rows of one of sets.
func rowsOf(t testing.TB, name string) []*Record {
	o := sets(t)[name]
	made.Lock()
	defer made.Unlock()
	if made.rows[name] == nil {
		if made.rows == nil {
			made.rows, made.sets = map[string][]*Record{}, map[string]*Set{}
		}
		made.sets[name] = prepare(t, o)
		made.rows[name] = all(t, made.sets[name])
	}
	return made.rows[name]
}

func newSets(t testing.TB) map[string]Options {
	return map[string]Options{
		"thesis":      {Settings: Settings{Dedup: DedupNone, Names: NamesColourSets, Seed: 5, BinCount: 4}, Sources: []Source{exhaust(t, 3, false), Sample(exhaust(t, 4, false), 60, 1)}},
		"domains":     {Settings: Settings{Seed: 2}, Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 4}, 15), kind(t, "logistics", map[string]int{"packages": 1}, 8), kind(t, "elevator", map[string]int{"passengers": 2}, 6), kind(t, "powergrid", nil, 4)}},
		"words":       {Settings: Settings{Names: "words", Style: "pddl", Edges: []float64{4, 8}}, Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 3}, 40), kind(t, "gripper", map[string]int{"balls": 2}, 1)}},
		"small list":  {Settings: Settings{Names: "a,b,c,d", Style: "compact", Seed: 3}, Sources: []Source{Sample(exhaust(t, 4, true), 40, 2)}},
		"constrained": {Settings: Settings{Dedup: DedupNone, Names: "letters", Style: "compact", Constraints: Constraints{Min: 0, Max: 2, Variants: 3}}, Sources: []Source{Sample(exhaust(t, 4, false), 24, 1)}},
		"priced":      {Settings: Settings{Dedup: DedupExact, Names: "colours", Schedule: "put-down=20,*=1"}, Schedule: schedule(t, "put-down=20,*=1"), Sources: []Source{kind(t, "blocksworld", map[string]int{"blocks": 4}, 20)}},
		"shots":       {Settings: Settings{Names: "letters", Shots: 1, System: "think", Reasoning: "cot", PlanTags: true}, Sources: []Source{Sample(exhaust(t, 4, true), 20, 3)}},
	}
}

func schedule(t testing.TB, text string) costmodel.Schedule {
	t.Helper()
	s, err := costmodel.ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func formatNamed(t testing.TB, name string) Format {
	t.Helper()
	f, err := FindFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func readAll(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

func sameFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for name, data := range a {
		if !bytes.Equal(data, b[name]) {
			return false
		}
	}
	return true
}
