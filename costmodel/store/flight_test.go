package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"planproof/search"
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
