package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/planproof/planproof/search"
)

// TestSameTaskIsSolvedOnce: of rows about one task that are worked on at the same time one
// is searched for, and the store is what it is with one worker.
func TestSameTaskIsSolvedOnce(t *testing.T) {
	one := blocks(t, 5, 3)
	var inputs []Input
	for i := range 10 {
		for k, in := range one {
			in.Name = fmt.Sprintf("%d-%d", k, i)
			text := strings.Repeat("; another layout\n", i) + *in.ProblemText
			in.ProblemText = &text
			inputs = append(inputs, in)
		}
	}
	// The names of a task one after the other: all workers have the same one.
	slices.SortFunc(inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	for _, dir := range []string{"", t.TempDir()} {
		opt := FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Jobs: 1, Version: "test", Tables: dir}
		single, many := newStore(t), newStore(t)
		fill(t, single, inputs, opt)
		opt.Jobs = 10
		stats := fill(t, many, inputs, opt)
		if stats.Rows != 60 || stats.Known != 54 || stats.ByStatus[search.SolvedOptimally] != 60 {
			t.Errorf("%+v: 6 of 60 rows are to be searched for", stats)
		}
		if dir != "" && stats.Tables > 6 {
			t.Errorf("%d tables of 6 rows were made", stats.Tables)
		}
		want, got := export(t, single, ExportOptions{Texts: true}), export(t, many, ExportOptions{Texts: true})
		if dir == "" && want != got {
			t.Errorf("the stores differ:\n%s\n%s", want, got)
		}
		mustSound(t, many)
	}
}

// TestFlights: who comes while a row is worked on, or waits for its commit, has it from there;
// who comes after work that failed, or after the commit, works or looks for himself.
func TestFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flights
		key, row := Key{1}, &Record{}
		board := func() (*Record, *flight) {
			r, own, err := f.board(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			return r, own
		}
		waits := func() (then func() (*Record, *flight)) {
			var r *Record
			var own *flight
			done := make(chan struct{})
			go func() { r, own = board(); close(done) }()
			synctest.Wait()
			select {
			case <-done:
				t.Fatal("it does not wait")
			default:
			}
			return func() (*Record, *flight) { <-done; return r, own }
		}
		_, first := board()
		if first == nil {
			t.Fatal("the first has no work")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := f.board(ctx, key); !errors.Is(err, context.Canceled) {
			t.Errorf("waits although cancelled: %v", err)
		}

		second := waits()
		f.land(key, first, nil, false) // it failed: who waits takes over
		r, own := second()
		if r != nil || own == nil {
			t.Fatalf("after a failure: %v, %v", r, own)
		}
		third := waits()
		f.land(key, own, row, true)
		if r, own := third(); r != row || own != nil {
			t.Errorf("who waited: %v, %v", r, own)
		}
		if r, own := board(); r != row || own != nil {
			t.Errorf("before the commit: %v, %v", r, own)
		}
		f.forget(key)
		r, own = board()
		if r != nil || own == nil {
			t.Fatalf("after the commit: %v, %v", r, own)
		}
		f.land(key, own, row, false) // the store has it already: nothing will be committed
		if r, own := board(); r != nil || own == nil {
			t.Errorf("after a known row: %v, %v", r, own)
		}
	})
}
