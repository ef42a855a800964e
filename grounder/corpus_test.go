package grounder

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// sharedBench returns the folder with the benchmark tasks, or skips.
func sharedBench(t testing.TB) string {
	t.Helper()
	root := os.Getenv("PLANPROOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(root, "data", "bench")
	if _, err := os.Stat(filepath.Join(dir, "optimal.csv")); err != nil {
		t.Skip("no benchmark data: set PLANPROOF_SHARED")
	}
	return dir
}

type benchRow struct {
	name, domain, problem string // paths
	want                  Stats  // of the reference, without mutex groups
	cpu                   float64
}

func readCSV(t testing.TB, path string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, r := range rows[1:] {
		m := map[string]string{}
		for i, k := range rows[0] {
			m[k] = r[i]
		}
		out = append(out, m)
	}
	return out
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func statsOf(t testing.TB, r map[string]string) Stats {
	return Stats{Facts: number(t, r["facts"]), Variables: number(t, r["variables"]), Operators: number(t, r["operators"]), Axioms: number(t, r["axioms"])}
}

func benchRows(t testing.TB) []benchRow {
	dir := sharedBench(t)
	var out []benchRow
	for _, r := range readCSV(t, filepath.Join(dir, "optimal.csv")) {
		cpu, err := strconv.ParseFloat(r["translate_cpu_s"], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, benchRow{r["domain"] + "/" + r["problem_file"], filepath.Join(dir, r["domain"], r["domain_file"]),
			filepath.Join(dir, r["domain"], r["problem_file"]), statsOf(t, r), cpu})
	}
	return out
}

func parseFiles(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	read := func(path string) *pddl.Source {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return &pddl.Source{Name: filepath.Base(path), Text: string(text)}
	}
	d, ds := pddl.ParseDomain(read(domain), pddl.Options{})
	if d == nil {
		t.Fatal(ds)
	}
	p, ps := pddl.ParseProblem(read(problem), d, pddl.Options{})
	if p == nil {
		t.Fatal(ps)
	}
	return p
}

// TestCorpusFigures compares every benchmark task with Fast Downward's figures.
// testdata/differences.csv lists ours where they differ, each with the reason.
func TestCorpusFigures(t *testing.T) {
	rows := benchRows(t)
	known := map[string]Stats{}
	for _, r := range readCSV(t, "testdata/differences.csv") {
		known[r["domain"]+"/"+r["problem_file"]] = statsOf(t, r)
	}
	for _, r := range rows {
		task, err := Ground(context.Background(), parseFiles(t, r.domain, r.problem), Options{})
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		checkTask(t, task)
		want := r.want
		if w, ok := known[r.name]; ok {
			want = w
		}
		got := task.Stats()
		got.MutexGroups = 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", r.name, got, want)
		}
	}
}

// TestCorpusDeterminism: the same input gives the same bytes with one thread and with two, and a task survives
// writing and reading.
func TestCorpusDeterminism(t *testing.T) {
	for i, r := range benchRows(t) {
		if testing.Short() && i%8 != 0 {
			continue
		}
		var first string
		for run := range 2 {
			many := defaultLimits
			many.piece, many.worth = 64, 0
			task, err := groundWith(parseFiles(t, r.domain, r.problem), Options{Threads: 1 + run}, many)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := WriteSAS(&b, task); err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			if run == 0 {
				first = b.String()
			} else if b.String() != first {
				t.Errorf("%s: run %d differs", r.name, run)
			}
		}
		again, err := ReadSAS(strings.NewReader(first))
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		var b strings.Builder
		if err := WriteSAS(&b, again); err != nil {
			t.Fatal(err)
		}
		if b.String() != first {
			t.Errorf("%s: reading and writing changes the file", r.name)
		}
	}
}

// TestCorpusMutexes walks the first states of each task in random order and checks
// that no mutex group is violated.
func TestCorpusMutexes(t *testing.T) {
	testkit.Long(t)
	for _, r := range benchRows(t) {
		task, err := Ground(context.Background(), parseFiles(t, r.domain, r.problem), Options{KeepIrrelevant: true})
		if err != nil {
			t.Fatal(err)
		}
		if task.Operators.Len() > 1000 && !strings.Contains(r.name, "recharging") {
			continue // the walk is quadratic; the large tasks have siblings
		}
		m := machine{task}
		seed := uint64(1)
		state := m.close(task.Init)
		for range 60 {
			m.checkMutexes(t, state)
			var applicable []int
			for i := range task.Operators.Len() {
				if m.all(state, task.Operators.Pre(i)) {
					applicable = append(applicable, i)
				}
			}
			if len(applicable) == 0 {
				break
			}
			seed = seed*6364136223846793005 + 1442695040888963407
			state, _ = m.apply(state, task.Operators.At(applicable[int(seed>>33)%len(applicable)]))
		}
	}
}

// BenchmarkGround grounds benchmark tasks, and one that comes with the test.
func BenchmarkGround(b *testing.B) {
	b.Run("synthetic", func(b *testing.B) {
		d, p := small(logisticsLike, logisticsProblem(30, 40))
		prob := parse(b, d, p)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Ground(context.Background(), prob, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bench", func(b *testing.B) {
		for _, r := range benchRows(b) {
			if r.cpu < 1 {
				continue
			}
			prob := parseFiles(b, r.domain, r.problem)
			b.Run(r.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Ground(context.Background(), prob, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

const logisticsLike = `(:types van crate place) (:predicates (at ?v - van ?p - place) (in ?c - crate ?v - van) (lies ?c - crate ?p - place) (road ?x ?y - place))
	(:functions (total-cost) (length ?x ?y - place))
	(:action drive :parameters (?v - van ?x ?y - place) :precondition (and (at ?v ?x) (road ?x ?y))
	  :effect (and (at ?v ?y) (not (at ?v ?x)) (increase (total-cost) (length ?x ?y))))
	(:action load :parameters (?c - crate ?v - van ?x - place) :precondition (and (at ?v ?x) (lies ?c ?x))
	  :effect (and (in ?c ?v) (not (lies ?c ?x)) (increase (total-cost) 1)))
	(:action unload :parameters (?c - crate ?v - van ?x - place) :precondition (and (at ?v ?x) (in ?c ?v))
	  :effect (and (lies ?c ?x) (not (in ?c ?v)) (increase (total-cost) 1)))`

// logisticsProblem has n places on a ring with chords, n/3 vans and the crates.
func logisticsProblem(n, crates int) string {
	var objs, init, goal strings.Builder
	for i := range n {
		fmt.Fprintf(&objs, " p%d - place", i)
		for _, k := range []int{1, 7} {
			j := (i + k) % n
			fmt.Fprintf(&init, " (road p%d p%d) (road p%d p%d) (= (length p%d p%d) %d) (= (length p%d p%d) %d)", i, j, j, i, i, j, k, j, i, k)
		}
	}
	for i := range n / 3 {
		fmt.Fprintf(&objs, " v%d - van", i)
		fmt.Fprintf(&init, " (at v%d p%d)", i, 3*i)
	}
	for i := range crates {
		fmt.Fprintf(&objs, " c%d - crate", i)
		fmt.Fprintf(&init, " (lies c%d p%d)", i, i*5%n)
		fmt.Fprintf(&goal, " (lies c%d p%d)", i, i*11%n)
	}
	return "(:objects" + objs.String() + ") (:init" + init.String() + ") (:goal (and" + goal.String() + ")) (:metric minimize (total-cost))"
}

// TestSyntheticFigures knows the figures of the bundled task by counting.
func TestSyntheticFigures(t *testing.T) {
	const n, crates = 30, 40
	task, err := groundText(t, logisticsLike, logisticsProblem(n, crates), Options{})
	if err != nil {
		t.Fatal(err)
	}
	vans := n / 3
	want := Stats{Facts: vans*n + crates*(n+vans), Variables: vans + crates, Operators: vans*4*n + 2*crates*vans*n}
	if got := task.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
