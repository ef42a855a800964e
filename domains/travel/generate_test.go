package travel

import (
	"bytes"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// TestGenerate: a seed gives the same bytes, the row is read back as it was, and its optimum is valid.
func TestGenerate(t *testing.T) {
	sizes := []Size{DefaultSize}
	for _, level := range []string{"easy", "medium", "hard"} {
		for _, slack := range []int{-1, 0, 25} {
			sizes = append(sizes, Size{Days: 5, Cities: 2, Candidates: 3, Restaurants: 20, Hotels: 10, Attractions: 5, Level: level, Slack: slack, Decoys: 2})
		}
	}
	for i, size := range sizes {
		for seed := range uint64(3) {
			trip, err := Generate(t.Context(), size, seed)
			if err != nil {
				t.Fatalf("%+v, seed %d: %v", size, seed, err)
			}
			again, err := Generate(t.Context(), size, seed)
			row := trip.AppendJSON(nil)
			if err != nil || !bytes.Equal(row, again.AppendJSON(nil)) {
				t.Fatalf("%+v, seed %d: two trips, %v", size, seed, err)
			}
			r, err := ParseRow(row, nil)
			if err != nil {
				t.Fatalf("%.200s: %v", row, err)
			}
			j := Judge(r.World, r.Query, trip.Optimum.Plan)
			if !j.Cost.Equal(trip.Optimum.Cost) || j.Valid() != (size.Slack >= 0) || len(j.Ambiguous) > 0 {
				t.Errorf("size %d, seed %d: %v\n%s", i, seed, j.Ambiguous, j.Explain(true))
			}
			if solvable := len(trip.Restores) == 0; solvable != (size.Slack >= 0) {
				t.Errorf("size %d, seed %d: restored by %v", i, seed, trip.Restores)
			}
			if len(trip.Restores) > 0 && (trip.Restores[0].Rule != H1 || !trip.Restores[0].Cost.Equal(trip.Optimum.Cost)) {
				t.Errorf("size %d, seed %d: %v, the optimum is %s", i, seed, trip.Restores, trip.Optimum.Cost)
			}
			prompt, free := Prompt(r.World, r.Query, true), Prompt(r.World, r.Query, false)
			for _, rule := range r.Query.Hard() {
				if s := r.Query.Sentence(rule); s == "" || strings.Count(prompt, s) != 1 || strings.Contains(free, s) {
					t.Errorf("size %d, seed %d: %s has the sentence %q", i, seed, rule, s)
				}
			}
		}
	}
}

// TestStreams: more rows leave the others as they are.
func TestStreams(t *testing.T) {
	small := DefaultSize
	small.Decoys = 0
	large := small
	large.Hotels *= 2
	a, err := Generate(t.Context(), small, 4)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Generate(t.Context(), large, 4)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, h := range b.World.Hotels {
		has[h.Name+h.Price.String()] = true
	}
	for _, h := range a.World.Hotels {
		if !has[h.Name+h.Price.String()] {
			t.Errorf("%s is gone", h.Name)
		}
	}
}

func TestBadSizes(t *testing.T) {
	for name, n := range map[string]int{"days": 1, "cities": 9, "candidates": -1, "restaurants": 0, "hotels": 0, "level": 4, "slack": -2, "planets": 1} {
		if _, err := ParseSize(map[string]int{name: n}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%d: %v", name, n, err)
		}
	}
}

// BenchmarkFreeOptimum searches all routes of generated trips.
func BenchmarkFreeOptimum(b *testing.B) {
	for name, size := range map[string]Size{
		"days=3/cities=1of1": {Days: 3, Cities: 1, Candidates: 1, Restaurants: 30, Hotels: 12, Attractions: 20, Level: "hard", Slack: 25},
		"days=5/cities=2of4": {Days: 5, Cities: 2, Candidates: 4, Restaurants: 30, Hotels: 12, Attractions: 20, Level: "hard", Slack: 25},
		"days=7/cities=3of8": {Days: 7, Cities: 3, Candidates: 8, Restaurants: 30, Hotels: 12, Attractions: 20, Level: "hard", Slack: 25},
	} {
		b.Run(name, func(b *testing.B) {
			trip, err := Generate(b.Context(), size, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := FreeOptimum(b.Context(), trip.World, trip.Query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTrain45 searches the routes of TravelPlanner's training queries.
func BenchmarkTrain45(b *testing.B) {
	var rows []*Row
	for _, line := range lines(b, "data", "travel", "travelplanner-train45.jsonl") {
		r, err := ParseRow(line, nil)
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, r)
	}
	testkit.Shared(b, "data")
	for b.Loop() {
		for _, r := range rows {
			if _, err := FreeOptimum(b.Context(), r.World, r.Query); err != nil {
				b.Fatal(err)
			}
		}
	}
}
