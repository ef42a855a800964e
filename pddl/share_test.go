package pddl

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// TestSharing reads problems of one domain and looks things up in one problem from
// several goroutines; it is meant for the race detector.
func TestSharing(t *testing.T) {
	d := mustDomain(t, benchDomain)
	shared := mustProblem(t, d, generateProblem(20000))
	want := d.String()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			text := fmt.Sprintf("(define (problem p) (:domain haul) (:objects a%d - (either place truck) b - plane) (:init (ready b)) (:goal (and)))", i)
			p, ds := ParseProblem(NewSource("p", text), d, Options{})
			if p == nil {
				t.Error(ds)
				return
			}
			if n := len(p.ObjectsOfType(RootType)); n != 2 {
				t.Errorf("%d objects", n)
			}
			for ty := range shared.Domain.Types {
				_ = shared.ObjectsOfType(TypeID(ty))
			}
			if _, ok := shared.ObjectByName("PLACE1"); !ok {
				t.Error("no place1")
			}
			if line, _ := shared.Source.LineCol(shared.Goal.Pos); line < 10 {
				t.Errorf("goal in line %d", line)
			}
		}()
	}
	wg.Wait()
	if d.String() != want {
		t.Error("reading problems changed the domain")
	}
}

// TestParseAllocations keeps the cost of reading large inputs in bounds: a fact must
// not cost an allocation, nor a node of a tree one of its own.
func TestParseAllocations(t *testing.T) {
	d := mustDomain(t, benchDomain)
	problem, grounded := generateProblem(1<<20), generateGroundedDomain(1<<20)
	measure := func(name string, maxAllocs, maxBytesPerByte float64, size int, run func()) {
		allocs := testing.AllocsPerRun(3, run)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		perByte := float64(after.TotalAlloc-before.TotalAlloc) / float64(size)
		t.Logf("%s: %.0f allocations, %.1f bytes allocated for each byte", name, allocs, perByte)
		if allocs > maxAllocs || perByte > maxBytesPerByte {
			t.Errorf("%s: more than %.0f allocations or %.1f bytes for each byte", name, maxAllocs, maxBytesPerByte)
		}
	}
	measure("problem", 500, 2, len(problem), func() { mustProblem(t, d, problem) })
	measure("grounded domain", 60000, 14, len(grounded), func() { mustDomain(t, grounded) })
}
