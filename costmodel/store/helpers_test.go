package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// blocks returns count tasks of n blocks.
func blocks(tb testing.TB, n, count int) []Input {
	tb.Helper()
	tasks, err := domains.Generate("blocksworld", domains.GenerateOptions{Params: map[string]int{"blocks": n}, Seed: 1, Count: count})
	if err != nil {
		tb.Fatal(err)
	}
	inputs := make([]Input, len(tasks))
	for i, t := range tasks {
		inputs[i] = Input{Name: t.Name, DomainText: &t.Domain.Text, ProblemText: &t.Problem.Text}
	}
	return inputs
}

func schedules(tb testing.TB, texts ...string) []costmodel.Schedule {
	tb.Helper()
	var out []costmodel.Schedule
	for _, text := range texts {
		s, err := costmodel.ParseSchedule(text)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// newStore makes a store in a folder of its own.
func newStore(tb testing.TB) *Store {
	tb.Helper()
	s, err := Open(filepath.Join(tb.TempDir(), "truth.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func fill(tb testing.TB, s *Store, inputs []Input, opt FillOptions) FillStats {
	tb.Helper()
	stats, err := Fill(context.Background(), s, slices.Values(inputs), opt)
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range stats.Faults {
		tb.Errorf("%s: %v", f.Name, f.Err)
	}
	return stats
}

func export(tb testing.TB, s *Store, opt ExportOptions) string {
	tb.Helper()
	var b bytes.Buffer
	if err := s.Export(context.Background(), &b, opt); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func mustSound(tb testing.TB, s *Store) *CheckReport {
	tb.Helper()
	report, err := s.Check(context.Background(), CheckOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	if !report.Sound() {
		tb.Fatalf("the check found %v", report.Problems)
	}
	return report
}

func taskOf(tb testing.TB, domain, problem, schedule string) *Task {
	tb.Helper()
	t, err := restore(domain, problem, schedule)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func writeFile(tb testing.TB, path string, data []byte) string {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

func sourceOf(text string) *pddl.Source { return pddl.NewSource("test", text) }

const twoBlocks = `(define (problem two) (:domain blocksworld)
  (:objects a b)
  (:init (ontable a) (on b a) (clear b) (handempty))
  (:goal (on a b)))`

func blocksDomain(tb testing.TB) string {
	tb.Helper()
	d, err := domains.Domain("blocksworld")
	if err != nil {
		tb.Fatal(err)
	}
	return d.Text
}
