package pddl

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchDomain goes with the problems of generateProblem.
const benchDomain = `(define (domain haul)
  (:requirements :strips :typing :action-costs)
  (:types place vehicle package - object truck plane - vehicle)
  (:predicates (at ?v - vehicle ?p - place) (in ?k - package ?v - vehicle)
    (stored ?k - package ?p - place) (linked ?a ?b - place) (ready ?v - vehicle))
  (:functions (total-cost) - number (distance ?a ?b - place) - number)
  (:action drive
    :parameters (?t - truck ?a ?b - place)
    :precondition (and (at ?t ?a) (linked ?a ?b) (ready ?t))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (increase (total-cost) (distance ?a ?b))))
)
`

// generateProblem writes a problem of benchDomain of about size bytes: links, the
// facts of vehicles and packages, distances and comments, as large generated
// tasks have them.
func generateProblem(size int) string {
	rng := rand.New(rand.NewSource(1))
	var b strings.Builder
	b.Grow(size + 1<<16)
	places := max(50, min(size/2000, 15000))
	b.WriteString("(define (problem haul-1)\n  (:domain haul)\n  (:objects\n")
	for i := range places {
		fmt.Fprintf(&b, "    place%d - place\n", i)
		if i%2 == 0 {
			fmt.Fprintf(&b, "    truck%d plane%d - vehicle package%d - package\n", i, i, i)
		}
	}
	b.WriteString("  )\n  (:init (= (total-cost) 0)\n")
	seen := map[[2]int]bool{}
	num := make([]byte, 0, 20)
	word := func(prefix string, n int) {
		b.WriteString(prefix)
		num = strconv.AppendInt(num[:0], int64(n), 10)
		b.Write(num)
	}
	for n := 0; b.Len() < size; n++ {
		i, j := rng.Intn(places), rng.Intn(places)
		even := i &^ 1
		if key := [2]int{even, j &^ 1}; seen[key] {
			continue
		} else {
			seen[key] = true
		}
		switch n % 8 {
		case 0:
			word("    (at truck", even)
			word(" place", j)
			b.WriteString(")\n")
		case 1:
			word("    (stored package", even)
			word(" place", j)
			b.WriteString(")\n")
		case 2:
			word("    (in package", even)
			word(" plane", j&^1)
			b.WriteString(")\n")
		case 3:
			word("    (= (distance place", i)
			word(" place", j)
			word(") ", rng.Intn(1000))
			b.WriteString(")\n")
		case 4:
			if n%800 == 4 {
				word("    ; block ", n)
				b.WriteString(" of the road map\n")
			}
			fallthrough
		default:
			word("    (linked place", i)
			word(" place", j)
			b.WriteString(")\n")
		}
	}
	b.WriteString("  )\n  (:goal (and (stored package0 place1)))\n  (:metric minimize (total-cost))\n)\n")
	return b.String()
}

// generateGroundedDomain writes a domain of about size bytes whose actions have no
// parameters, as grounded benchmark domains (openstacks, airport) do.
func generateGroundedDomain(size int) string {
	rng := rand.New(rand.NewSource(1))
	var preds, actions strings.Builder
	const n = 400
	for i := range n {
		fmt.Fprintf(&preds, "    (waiting-o%d) (started-o%d) (shipped-o%d) (made-p%d) (stacks-avail-n%d)\n", i, i, i, i, i)
	}
	for k := 0; actions.Len() < size-preds.Len(); k++ {
		a, c, s := rng.Intn(n), rng.Intn(n), rng.Intn(n-1)
		fmt.Fprintf(&actions, "  (:action make-product-%d-p%d-n%d\n    :parameters ()\n    :precondition (and (not (made-p%d)) (stacks-avail-n%d)", k, a, s, a, s)
		for i := range 6 {
			fmt.Fprintf(&actions, " (started-o%d)", (c+i)%n)
		}
		fmt.Fprintf(&actions, ")\n    :effect (and (made-p%d) (not (stacks-avail-n%d)) (stacks-avail-n%d) (not (waiting-o%d)))\n  )\n", a, s, s+1, c)
	}
	return "(define (domain openstacks-grounded)\n  (:requirements :strips :negative-preconditions)\n  (:predicates\n" +
		preds.String() + "  )\n" + actions.String() + ")\n"
}

func mustDomain(t testing.TB, text string) *Domain {
	t.Helper()
	d, ds := ParseDomain(NewSource("domain.pddl", text), Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return d
}

func mustProblem(t testing.TB, d *Domain, text string) *Problem {
	t.Helper()
	p, ds := ParseProblem(NewSource("problem.pddl", text), d, Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return p
}

// reportCPU reports megabytes per second of the process's CPU time, which says more
// than the wall clock on a busy machine.
func reportCPU(b *testing.B, size int) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	return func() {
		if cpu := (used() - start).Seconds(); cpu > 0 {
			b.ReportMetric(float64(size)*float64(b.N)/1e6/cpu, "cpuMB/s")
		}
	}
}

func BenchmarkParseProblem(b *testing.B) {
	d := mustDomain(b, benchDomain)
	for _, mb := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			if mb > 10 && testing.Short() {
				b.Skip("100 MB")
			}
			text := generateProblem(mb << 20)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			defer reportCPU(b, len(text))()
			for b.Loop() {
				mustProblem(b, d, text)
			}
		})
	}
}

func BenchmarkParseGroundedDomain(b *testing.B) {
	text := generateGroundedDomain(4 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	defer reportCPU(b, len(text))()
	for b.Loop() {
		mustDomain(b, text)
	}
}

// TestParseMemory reads a large problem in a process of its own and bounds the
// resident memory it needs, the text included, by four times the size of the file.
// PLANPROOF_PARSE_MB sets the size.
func TestParseMemory(t *testing.T) {
	if file := os.Getenv("PLANPROOF_PARSE_FILE"); file != "" {
		src, err := ReadSource(file)
		if err != nil {
			t.Fatal(err)
		}
		p, ds := ParseProblem(src, mustDomain(t, benchDomain), Options{})
		if p == nil {
			t.Fatal(ds)
		}
		fmt.Printf("facts %d values %d peak %d\n", p.Init.Atoms.Len(), p.Init.Values.Len(), peakMemory())
		return
	}
	mb := 10
	if s := os.Getenv("PLANPROOF_PARSE_MB"); s != "" {
		mb, _ = strconv.Atoi(s)
	}
	file := t.TempDir() + "/p.pddl"
	if err := os.WriteFile(file, []byte(generateProblem(mb<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestParseMemory$", "-test.v", "-test.cpu=1")
	cmd.Env = append(os.Environ(), "PLANPROOF_PARSE_FILE="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var facts, values, peak int
	if i := strings.Index(string(out), "facts "); i >= 0 {
		fmt.Sscanf(string(out[i:]), "facts %d values %d peak %d", &facts, &values, &peak)
	}
	if facts < 10000*mb {
		t.Fatalf("only %d facts: %s", facts, out)
	}
	if peak == 0 {
		t.Skip("no memory figures on this system")
	}
	t.Logf("%d MB: %d facts, %d values, peak %d MB, %.2f times the file", mb, facts, values, peak>>20, float64(peak)/float64(mb<<20))
	if peak > 4*mb<<20 {
		t.Errorf("peak %d bytes for a file of %d MB", peak, mb)
	}
}

// peakMemory returns the largest resident size of this process so far, or 0 where
// the system does not report it. A parent cannot ask for it: what wait reports includes
// the parent's own pages, from before the child's exec.
func peakMemory() int {
	b, _ := os.ReadFile("/proc/self/status")
	kb := 0
	if _, rest, ok := strings.Cut(string(b), "VmHWM:"); ok {
		fmt.Sscanf(rest, "%d", &kb)
	}
	return kb << 10
}
