package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/search"
)

// TestFillIsDeterministic: the content depends neither on the number of workers nor on
// the order or layout of the inputs nor on what was filled in before.
func TestFillIsDeterministic(t *testing.T) {
	inputs := blocks(t, 4, 20)
	opt := FillOptions{Schedules: schedules(t, "", "put-down=20,*=1", "*=1/3"), Jobs: 1, Version: "test"}
	s := newStore(t)
	stats := fill(t, s, inputs, opt)
	if stats.Rows != 60 || stats.Known != 0 || stats.ByStatus[search.SolvedOptimally] != 60 {
		t.Errorf("%+v", stats)
	}
	want := export(t, s, ExportOptions{Texts: true})
	if n := strings.Count(want, "\n"); n != 60 {
		t.Fatalf("%d rows exported", n)
	}
	mustSound(t, s)

	shuffled := slices.Clone(inputs)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for i := range shuffled { // another layout of the same tasks
		text := "; generated\n" + strings.ToUpper(*shuffled[i].ProblemText)
		shuffled[i].ProblemText = &text
	}
	opt.Jobs = 4
	other := newStore(t)
	fill(t, other, shuffled[:7], opt)
	if stats := fill(t, other, append(shuffled, shuffled[3]), opt); stats.Rows != 63 || stats.Known < 21 {
		t.Errorf("%+v", stats)
	}
	if got := export(t, other, ExportOptions{Texts: true}); got != want {
		t.Errorf("the stores differ:\n%s\n%s", want, got)
	}
	if again := fill(t, other, inputs, opt); again.Known != 60 {
		t.Errorf("known rows were solved again: %+v", again)
	}
}

// TestTwoFillersAndReaders: fillers with stores of their own work on one file while
// readers look rows up; nobody sees half a row or an error.
func TestTwoFillersAndReaders(t *testing.T) {
	inputs := blocks(t, 4, 30)
	opt := FillOptions{Schedules: schedules(t, "", "stack=2,*=1"), Jobs: 2, Version: "test"}
	want := newStore(t)
	fill(t, want, inputs, opt)
	costs := map[Key]string{}
	if err := want.Each(context.Background(), Filter{}, func(r *Record) error { costs[r.Key] = r.Cost; return nil }); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shared.db")
	var fillers, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		fillers.Add(1)
		go func() {
			defer fillers.Done()
			s, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := Fill(context.Background(), s, slices.Values(inputs), opt); err != nil {
				t.Error(err)
			}
		}()
	}
	for range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			read := func() bool {
				s, err := OpenReadOnly(path)
				if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrNotAStore) {
					time.Sleep(time.Millisecond)
					return true // not made yet
				}
				if err != nil {
					t.Error(err)
					return false
				}
				defer s.Close()
				for key, cost := range costs {
					if r, found, err := s.Lookup(key); err != nil || found && r.Cost != cost {
						t.Errorf("%s: %+v, %v, want cost %s", key, r, err, cost)
						return false
					}
				}
				return true
			}
			for read() {
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	fillers.Wait()
	close(stop)
	readers.Wait()
	s, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := export(t, s, ExportOptions{Texts: true}); got != export(t, want, ExportOptions{Texts: true}) {
		t.Error("two fillers leave another content than one")
	}
	mustSound(t, s)
}

// TestFillStatuses: every way in which a row can end.
func TestFillStatuses(t *testing.T) {
	domain := blocksDomain(t)
	temporal := `(define (domain d) (:requirements :durative-actions) (:predicates (p))
		(:durative-action a :parameters () :duration (= ?duration 1) :condition () :effect (at end (p))))`
	temporalProblem := `(define (problem x) (:domain d) (:init) (:goal (p)))`
	unsolvable := strings.Replace(twoBlocks, "(:goal (on a b))", "(:goal (and (on a b) (on b a)))", 1)
	hard := blocks(t, 9, 1)[0]
	s := newStore(t)
	inputs := []Input{
		{Name: "solved", DomainText: &domain, ProblemText: ptr(twoBlocks)},
		{Name: "unsolvable", DomainText: &domain, ProblemText: &unsolvable},
		{Name: "unsupported", DomainText: &temporal, ProblemText: &temporalProblem},
		{Name: "hard", DomainText: hard.DomainText, ProblemText: hard.ProblemText},
		{Name: "broken", DomainText: &domain, ProblemText: ptr("(define (problem")},
		{Name: "missing", DomainFile: "no-such-file.pddl", ProblemFile: "no-such-file.pddl"},
	}
	stats, err := Fill(context.Background(), s, slices.Values(inputs), FillOptions{Limits: search.Limits{Nodes: 5}, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(stats.Faults) != 2 || stats.Faults[0].Name != "broken" || stats.Faults[1].Name != "missing" {
		t.Errorf("faults %v", stats.Faults)
	}
	got := map[string]search.Status{}
	err = s.Each(context.Background(), Filter{}, func(r *Record) error {
		got[strings.Join(r.Names, " ")] = r.Status
		if !proven(r.Status) && r.Status == search.Unsupported && r.Reason == "" {
			t.Errorf("%v has no reason", r.Names)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]search.Status{"solved": search.SolvedOptimally, "unsolvable": search.Unsolvable, "unsupported": search.Unsupported, "hard": search.Nodeout}
	for name, status := range want {
		if got[name] != status {
			t.Errorf("%s ended as %s, want %s", name, got[name], status)
		}
	}
	if len(got) != len(want) {
		t.Errorf("rows %v", got)
	}
	mustSound(t, s)

	// Without retry nothing is done again; with it only what has no answer.
	again := fill(t, s, inputs[:4], FillOptions{Limits: search.Limits{Nodes: 100}})
	if again.Known != 4 {
		t.Errorf("%+v", again)
	}
	again = fill(t, s, inputs[:4], FillOptions{Retry: true})
	if again.Known != 2 || again.ByStatus[search.SolvedOptimally] != 2 {
		t.Errorf("%+v", again)
	}
}

func ptr(s string) *string { return &s }

// TestFillTables: tables are made beside rows, also for rows that were there before, and
// again if they are gone; the check loads them.
func TestFillTables(t *testing.T) {
	inputs := blocks(t, 4, 6)
	s := newStore(t)
	tables := filepath.Join(filepath.Dir(s.path), "tables")
	fill(t, s, inputs[:3], FillOptions{Version: "test"})
	if stats := fill(t, s, inputs, FillOptions{Version: "test", Tables: tables}); stats.Tables != 6 || stats.Known != 3 {
		t.Errorf("%+v", stats)
	}
	if report := mustSound(t, s); report.Tables != 6 {
		t.Errorf("%+v", report)
	}
	want := export(t, s, ExportOptions{})
	var first *Record
	if err := s.Each(context.Background(), Filter{}, func(r *Record) error { first = r; return errors.New("enough") }); err == nil {
		t.Error("the error of the visitor is lost")
	}
	if first.Table.File != "tables/"+first.Key.String()+".table" {
		t.Errorf("table %q", first.Table.File)
	}
	path := s.TablePath(first)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string]func(){
		"gone":      func() { os.Remove(path) },
		"cut":       func() { writeFile(t, path, whole[:len(whole)/2]) },
		"flipped":   func() { bad := slices.Clone(whole); bad[len(bad)/2] ^= 4; writeFile(t, path, bad) },
		"another's": func() { copyTable(t, tables, path) },
	}
	for name, spoil := range damage {
		spoil()
		report, err := s.Check(context.Background(), CheckOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Problems) != 1 || report.Problems[0].Kind != "table" {
			t.Errorf("%s: the check found %v", name, report.Problems)
		}
	}
	os.Remove(path)
	if stats := fill(t, s, inputs, FillOptions{Version: "test", Tables: tables}); stats.Tables != 1 {
		t.Errorf("%+v", stats)
	}
	if got := export(t, s, ExportOptions{}); got != want {
		t.Error("making a table again changes the rows")
	}
	writeFile(t, filepath.Join(tables, "left.table.123.tmp"), nil)
	report := mustSound(t, s)
	if len(report.Problems) != 1 || report.Problems[0].Kind != Orphan {
		t.Errorf("%v", report.Problems)
	}
	// A limit keeps the table from being made, and is noted.
	small := newStore(t)
	stats := fill(t, small, inputs[:1], FillOptions{Tables: tables + "2", Limits: search.Limits{Nodes: 100}})
	if stats.Tables != 0 || stats.ByStatus[search.SolvedOptimally] != 1 {
		t.Skipf("%+v: the first task needs more than 100 expansions", stats)
	}
	if !strings.Contains(export(t, small, ExportOptions{}), `"table_status":"nodeout"`) {
		t.Error(export(t, small, ExportOptions{}))
	}
}

func copyTable(t *testing.T, dir, over string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.table"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p != over {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, over, data)
			return
		}
	}
}

// TestFillInterrupted: what is finished when the context ends is kept, what was under way
// is no row.
func TestFillInterrupted(t *testing.T) {
	inputs := append(blocks(t, 4, 5), blocks(t, 14, 2)...)
	s := newStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stats, err := Fill(ctx, s, slices.Values(inputs), FillOptions{Jobs: 2, Search: "astar(blind())", Progress: func(st FillStats) {
		if st.Rows == 5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || stats.Rows != 5 {
		t.Fatalf("%+v, %v", stats, err)
	}
	if got := strings.Count(export(t, s, ExportOptions{}), "solved-optimally"); got != 5 {
		t.Errorf("%d rows", got)
	}
	mustSound(t, s)
}

// TestFillCertificates: certificates are made beside rows, for solved and unsolvable tasks,
// and the check refuses one that was damaged or belongs to another row.
func TestFillCertificates(t *testing.T) {
	inputs := blocks(t, 4, 4)
	unsolvable := strings.Replace(twoBlocks, "(:goal (on a b))", "(:goal (and (on a b) (on b a)))", 1)
	solvedByGrounding := strings.Replace(twoBlocks, "(:goal (on a b))", "(:goal (on b a))", 1)
	inputs = append(inputs, Input{Name: "unsolvable", DomainText: inputs[0].DomainText, ProblemText: &unsolvable},
		Input{Name: "trivial", DomainText: inputs[0].DomainText, ProblemText: &solvedByGrounding})
	dir := t.TempDir()
	proofs := filepath.Join(dir, "proofs")
	opt := FillOptions{Version: "test", Schedules: schedules(t, "", "put-down=1/2,*=1")}
	s, err := Open(filepath.Join(dir, "truth.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s, inputs[:2], opt)
	opt.Certificates = proofs
	if stats := fill(t, s, inputs, opt); stats.Proofs != 12 || stats.Known != 4 {
		t.Errorf("%+v", stats)
	}
	if report := mustSound(t, s); report.Certificates != 12 || len(report.Problems) > 0 {
		t.Errorf("%+v", report)
	}
	if stats := fill(t, s, inputs, opt); stats.Proofs != 0 || stats.Known != 12 {
		t.Errorf("%+v", stats)
	}
	fresh, err := Open(filepath.Join(t.TempDir(), "truth.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	opt.Certificates = filepath.Join(filepath.Dir(fresh.path), "proofs")
	fill(t, fresh, inputs, opt)
	if export(t, fresh, ExportOptions{}) != export(t, s, ExportOptions{}) {
		t.Error("certificates made with the rows or after them leave different rows")
	}
	all, err := filepath.Glob(filepath.Join(proofs, "*"))
	if err != nil || len(all) != 12 {
		t.Fatal(all, err)
	}
	for i, path := range all {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		same, err := os.ReadFile(filepath.Join(opt.Certificates, filepath.Base(path)))
		if err != nil || !slices.Equal(data, same) {
			t.Errorf("%s differs between two fills (%v)", path, err)
		}
		switch bad := slices.Clone(data); i % 3 {
		case 0:
			bad[len(bad)/2] ^= 1
			writeFile(t, path, bad)
		case 1:
			os.Remove(path)
		case 2:
			other, err := os.ReadFile(all[(i+1)%len(all)])
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, other)
		}
	}
	report, err := s.Check(context.Background(), CheckOptions{})
	if err != nil || len(report.Problems) != 12 {
		t.Errorf("%+v, %v", report, err)
	}
	for _, p := range report.Problems {
		if p.Kind != "certificate" {
			t.Errorf("%+v", p)
		}
	}
}
