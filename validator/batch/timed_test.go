package batch

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

const (
	shed = `(define (domain shed) (:predicates (lit) (mended ?f)) (:functions (heat))
		(:durative-action strike :parameters () :duration (= ?duration 5)
			:effect (and (at start (lit)) (at end (not (lit))) (increase (heat) (* #t 2))))
		(:durative-action mend :parameters (?f) :duration (and (>= ?duration 3) (<= ?duration 8))
			:condition (over all (and (lit) (< (heat) 9.5))) :effect (at end (mended ?f))))`
	shedTask = `(define (problem one) (:domain shed) (:objects f g) (:init (= (heat) 0) (at 40 (not (lit)))) (:goal (mended f)))`
)

// timedPlans are plans with the beginning of the row that each must get.
var timedPlans = [][2]string{
	{"0: (strike) [5]\n1: (mend f) [3]", `"valid":true,"cost":"2","makespan":"5"`},
	{"0: (strike) [5]\n2.5: (mend f) [3]", `"valid":false`}, // too hot at 4.75
	{"0: (strike) [5]\n1: (mend f) [2]", `"valid":false`},
	{"0: (strike) [5]\n1: (mend h) [3]", `"valid":false`},
	{"0: (strike) [5]\n1: (mend f)", `"valid":false`},
	{"0: (strike) [5]\n1: (mend f) [3", `"valid":false`},
	{"-1: (strike) [5]", `"valid":false`},
	{"", `"valid":false`},
}

// timedRow is a row; every ninth names a task that does not exist.
func timedRow(i int) (row, want string) {
	if i%9 == 8 {
		return fmt.Sprintf(`{"id":%d,"task":"nowhere","plan":""}`, i) + "\n", `"error":`
	}
	p := timedPlans[i%len(timedPlans)]
	return line(i, shed, shedTask, p[0]), p[1]
}

// TestTimedRows: each row has its status, in order, and the same bytes whatever the number of workers.
func TestTimedRows(t *testing.T) {
	var in strings.Builder
	var wants []string
	for i := range 700 {
		row, want := timedRow(i)
		in.WriteString(row)
		wants = append(wants, fmt.Sprintf(`{"id":%d,%s`, i, want))
	}
	first, _ := runBatch(t, in.String(), Options{Workers: 1})
	lines := strings.Split(strings.TrimSuffix(first, "\n"), "\n")
	if len(lines) != len(wants) {
		t.Fatalf("%d rows for %d", len(lines), len(wants))
	}
	for i := range lines {
		if !strings.HasPrefix(lines[i], wants[i]) {
			t.Errorf("row %d: %s, want %s", i, lines[i], wants[i])
		}
	}
	for _, workers := range []int{2, 3, 8} {
		if got, _ := runBatch(t, in.String(), Options{Workers: workers}); got != first {
			t.Errorf("%d workers write other bytes than one", workers)
		}
	}
}

// rowSource makes rows as they are read, and notes the heap on the way.
type rowSource struct {
	rows, made int
	rest       string
	heap       []uint64 // after each tenth
}

func (r *rowSource) Read(b []byte) (int, error) {
	if r.rest == "" {
		if r.made == r.rows {
			return 0, io.EOF
		}
		r.rest, _ = timedRow(r.made)
		if r.made++; r.made%(r.rows/10) == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			r.heap = append(r.heap, m.HeapAlloc)
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestTimedMemory: the memory does not grow with the number of rows.
func TestTimedMemory(t *testing.T) {
	src := &rowSource{rows: 20000}
	if _, err := Run(context.Background(), src, io.Discard, Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if first, last := src.heap[1], src.heap[len(src.heap)-1]; last > first+2<<20 {
		t.Errorf("the heap grows from %d to %d bytes: %v", first, last, src.heap)
	}
}
