package grounder

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// TestRelation compares a relation with a map, with and without a direct table.
func TestRelation(t *testing.T) {
	direct := 0
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.IntRange(1, 5).Draw(t, "objects")
		arity := rapid.IntRange(0, 3).Draw(t, "arity")
		r := &relation{arity: arity}
		if rapid.Bool().Draw(t, "may be direct") {
			r.objects = objects
		}
		all := 1
		for range arity {
			all *= objects
		}
		numbers := map[[3]pddl.ObjectID]int32{}
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			var key [3]pddl.ObjectID
			for i := range arity {
				key[i] = pddl.ObjectID(rapid.IntRange(0, objects-1).Draw(t, "object"))
			}
			want, known := numbers[key]
			if !known {
				want = -1
			}
			if got := r.find(key[:arity]); got != want {
				t.Fatalf("find %v: %d, want %d", key, got, want)
			}
			if known && rapid.Bool().Draw(t, "skip") {
				continue
			}
			got, added := r.add(key[:arity])
			if added == known || known && got != want || added && int(got) != len(numbers) {
				t.Fatalf("add %v: %d, %v", key, got, added)
			}
			numbers[key] = got
			if want := len(numbers) == all && (r.objects > 0 || arity == 0); r.full() != want {
				t.Fatalf("%d of %d tuples, full: %v", len(numbers), all, r.full())
			}
		}
		if r.direct {
			direct++
		}
	})
	if direct == 0 {
		t.Error("no table was direct")
	}
}
