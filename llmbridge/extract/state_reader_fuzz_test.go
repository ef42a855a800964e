package extract_test

import (
	"slices"
	"testing"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
)

func FuzzReadState(f *testing.F) {
	dom, prob := pddltest.Parse(f, pddltest.BlocksDomain, pddltest.BlocksProblem)
	s := extract.NewStateReader(dom, prob)
	r, _ := prompt.NewRenderer(prob, "")
	for _, seed := range []string{"the red block is clear", "(on a b)", "[RESULTING STATE]\nclear a", "(0)", "- not (clear a)", "on(a, b", "<think>", "Final state: clear a, (not (clear b))", "hand is empty: false", "\xff(clear a)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, y := s.Read(text), s.Read(text)
		if pddltest.JSON(x) != pddltest.JSON(y) {
			t.Fatal("read twice, differently")
		}
		if x.Reading == "" || x.Confidence == "" || !x.Found && len(x.Facts)+len(x.Unread) > 0 {
			t.Fatalf("%+v", x)
		}
		for _, fact := range slices.Concat(x.Facts, x.Denied) {
			words := atomtext.Words(fact)
			if _, ok := dom.PredicateByName(words[0]); !ok {
				t.Fatalf("%s: no such predicate", fact)
			}
			for _, w := range words[1:] {
				if _, ok := prob.ObjectByName(w); !ok {
					t.Fatalf("%s: no object %s", fact, w)
				}
			}
		}
		if !slices.IsSorted(x.Facts) && len(x.Facts) > 1 {
			sorted := slices.Clone(x.Facts)
			atomtext.Sort(sorted)
			if !slices.Equal(sorted, x.Facts) {
				t.Fatalf("facts are not sorted: %v", x.Facts)
			}
		}
		// What is read is told and read again as it is.
		if z := s.Read(r.State(x.Facts)); x.Found && len(x.Facts) > 0 && !slices.Equal(z.Facts, x.Facts) {
			t.Fatalf("%v are told as %q and read as %v", x.Facts, r.State(x.Facts), z.Facts)
		}
	})
}
