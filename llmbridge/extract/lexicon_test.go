package extract

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"pgregory.net/rapid"
)

// TestLexiconShared: tasks with the same names share a lexicon, and still each has its
// own initial state; a task in which a name stands for something else has another.
func TestLexiconShared(t *testing.T) {
	const answer = "[PLAN]\ndrive truck t0 from location_0_0 to location_0_1\n[PLAN END]"
	reader := func(domain, problem string) *Reader {
		t.Helper()
		if problem == "" {
			t.Fatal("the change changes nothing")
		}
		d, p := pddltest.Parse(t, domain, problem)
		return NewReader(d, p, Natural)
	}
	change := func(text, old, with string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.ReplaceAll(text, old, with)
	}
	first := reader(pddltest.LogisticsDomain, pddltest.LogisticsProblem)
	other := reader(pddltest.LogisticsDomain, change(change(pddltest.LogisticsProblem, "(in-city l0-0 c0)", "(in-city l0-0 c1)"), "(in-city l0-1 c0)", "(in-city l0-1 c1)"))
	if first.lexicon != other.lexicon {
		t.Error("two tasks with the same names have lexicons of their own")
	}
	for i, r := range []*Reader{first, other, first} {
		city := []string{"c0", "c1", "c0"}[i]
		if got, want := strings.Join(r.Extract(answer).Plan, " "), "(drive-truck t0 l0-0 l0-1 "+city+")"; got != want {
			t.Errorf("reader %d reads %q, want %q", i, got, want)
		}
	}
	changed := map[string]*Reader{
		"a fact that restricts a slot": reader(pddltest.LogisticsDomain, change(pddltest.LogisticsProblem, "(truck t0)", "(airplane t0)")),
		"the order of objects":         reader(pddltest.LogisticsDomain, change(pddltest.LogisticsProblem, "p0 p1 t0", "p1 p0 t0")),
		"an object":                    reader(pddltest.LogisticsDomain, change(pddltest.LogisticsProblem, "p1", "p7")),
		"an action":                    reader(change(pddltest.LogisticsDomain, "drive-truck", "drive-lorry"), pddltest.LogisticsProblem),
		"a parameter of an action":     reader(change(pddltest.LogisticsDomain, "(?t ?f ?l ?c)", "(?f ?t ?l ?c)"), pddltest.LogisticsProblem),
		"a predicate":                  reader(change(pddltest.LogisticsDomain, "in-city", "in-town"), change(pddltest.LogisticsProblem, "in-city", "in-town")),
	}
	for what, r := range changed {
		if r.lexicon == first.lexicon {
			t.Errorf("%s does not matter", what)
		}
	}
}

// TestSharedLexicon: the lexicon of a very large task is not kept.
func TestSharedLexicon(t *testing.T) {
	made := 0
	get := func(key string, objects int) *lexicon {
		return sharedLexicon(key, objects, func() *lexicon { made++; return &lexicon{} })
	}
	a := get(t.Name(), 10)
	if get(t.Name(), 10) != a || made != 1 {
		t.Error("made twice")
	}
	if first := get(t.Name()+" large", 1<<20); get(t.Name()+" large", 1<<20) == first {
		t.Error("a large one is kept")
	}
}

// TestVocabularyCase: a word is found in any case, and no other word is.
func TestVocabularyCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z0-9_\-@\x60é]{1,20}`), rapid.ID[string]).Draw(t, "words")
		var v vocabulary
		for _, w := range words {
			v.add(w)
		}
		index := map[string]int32{}
		for i, w := range v.words {
			index[w] = int32(i)
		}
		probe := rapid.StringMatching(`[a-zA-Z0-9_\-@\x60é]{1,20}`).Draw(t, "probe")
		for _, w := range append(words, probe) {
			upper := []byte(w)
			for i, c := range upper {
				if c >= 'a' && c <= 'z' && rapid.Bool().Draw(t, "upper") {
					upper[i] -= 'a' - 'A'
				}
			}
			want := int32(-1)
			lower := []byte(w)
			for i := range lower {
				lower[i] = lowerByte[lower[i]]
			}
			if i, ok := index[string(lower)]; ok {
				want = i
			}
			if got := v.find(string(upper)); got != want {
				t.Fatalf("%q is word %d, want %d", upper, got, want)
			}
		}
	})
}

// TestMemoGrows: a memo that has kept many lines has more room, and lines are read from it as before.
func TestMemoGrows(t *testing.T) {
	o := &outline{memo: new(lineMemo)}
	o.memo.makeRoom(memoSets)
	o.memo.kept = manyLines - 2
	o.r = testReader(t, "blocks").lexicon
	for range 3 { // the second line makes the memo grow
		o.entries, o.steps = o.entries[:0], o.steps[:0]
		o.scan("1. pick up a\n2. stack a on b\n3. pick up c")
		if got := strings.Join(o.steps, " "); got != "(pick-up a) (stack a b) (pick-up c)" {
			t.Fatalf("read %s", got)
		}
	}
	if len(o.memo.marks) != moreSets {
		t.Errorf("the memo has %d sets", len(o.memo.marks))
	}
}
