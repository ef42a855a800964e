package search

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/certificate"
)

// chainTask has variables of the given sizes, all 0 at first, and the goal that the first is
// at its last value. Operators take the first one up step by step, n of them each step.
func chainTask(tb testing.TB, sizes []int, n int) *grounder.Task {
	tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n%d\n", len(sizes))
	for v, size := range sizes {
		fmt.Fprintf(&b, "begin_variable\nvar%d\n-1\n%d\n", v, size)
		for x := range size {
			fmt.Fprintf(&b, "Atom v%d-%d()\n", v, x)
		}
		b.WriteString("end_variable\n")
	}
	b.WriteString("0\nbegin_state\n" + strings.Repeat("0\n", len(sizes)) + "end_state\n")
	fmt.Fprintf(&b, "begin_goal\n1\n0 %d\nend_goal\n%d\n", sizes[0]-1, n*(sizes[0]-1))
	for i := range n * (sizes[0] - 1) {
		x := i % (sizes[0] - 1)
		fmt.Fprintf(&b, "begin_operator\nstep-%d\n0\n1\n0 0 %d %d\n1\nend_operator\n", i, x, x+1)
	}
	b.WriteString("0\n")
	task, err := grounder.ReadSAS(strings.NewReader(b.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return task
}

// TestLargeCostIsNoDeadEnd: bounds that are each finite never sum up to an infinite one, though
// their sum exceeds 63 bits.
func TestLargeCostIsNoDeadEnd(t *testing.T) {
	task := chainTask(t, []int{5}, 1)
	for i := range task.Operators.Len() {
		task.Operators.SetCost(i, grounder.MaxCost)
	}
	var zones, group, tables, sums = []certificate.Part{}, certificate.Group{}, []certificate.Part{}, certificate.Group{}
	for i := range 4 {
		zone, values := certificate.Part{}, make([]int64, 5)
		for x := range 5 {
			if x > i {
				zone.Facts = append(zone.Facts, grounder.Fact{Val: int32(x)})
			} else {
				values[x] = grounder.MaxCost
			}
		}
		zones = append(zones, zone)
		group = append(group, certificate.Term{Part: int32(i), Cost: grounder.MaxCost})
		tables = append(tables, certificate.Part{Vars: []int32{0}, Values: values})
		sums = append(sums, certificate.Term{Part: int32(i)})
	}
	row := make([]uint64, 1)
	for name, c := range map[string]*certificate.Certificate{
		"zones":  {Parts: zones, Groups: []certificate.Group{group}},
		"tables": {Parts: tables, Groups: []certificate.Group{sums}},
		"base":   {Parts: zones, Groups: []certificate.Group{group}, Base: 1},
	} {
		if c.Base == 0 {
			c.Rows, c.Evidence = row, []uint32{certificate.EvidenceOf(0, true)}
		}
		for _, bound := range []int64{certificate.Infinite, certificate.Infinite - 1} {
			c.Header = certificate.Header{Task: certificate.TaskHash(task), Claim: certificate.LowerBound, Bound: bound}
			if bound == certificate.Infinite {
				c.Claim = certificate.Unsolvable
			}
			if c.Base == 0 {
				c.Bounds = []int64{bound}
			}
			_, _, err := tasktest.CheckCertificate(t, task, c)
			if refused := err != nil; refused != (bound == certificate.Infinite) {
				t.Errorf("%s: a task of 4 steps that cost 2^62-1 each, claim %d: %v", name, bound, err)
			}
		}
	}
}

// TestCostThatMeansInfinite: a plan may cost 2^63-1, the number that bounds write for
// infinite. That is no dead end.
func TestCostThatMeansInfinite(t *testing.T) {
	task := chainTask(t, []int{4}, 1)
	for i, cost := range []int64{grounder.MaxCost, grounder.MaxCost, 1} {
		task.Operators.SetCost(i, cost)
	}
	for _, s := range certifiedSearches {
		r, err := Run(context.Background(), task, Config{Search: s})
		if err != nil || r.Status != SolvedOptimally || r.Cost != certificate.Infinite {
			t.Fatalf("%s: %+v, %v", s, r, err)
		}
		if _, err := Certify(context.Background(), task, r, Limits{}, nil); !errors.Is(err, ErrNoClaim) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// emptyCertificate is a certificate of task that claims nothing yet.
func emptyCertificate(task *grounder.Task) *certificate.Certificate {
	return &certificate.Certificate{Header: certificate.Header{Task: certificate.TaskHash(task)}}
}

// TestCheckKeepsTime: whatever a certificate makes the checker do, it stops on time.
func TestCheckKeepsTime(t *testing.T) {
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	zeros := func(n int) []int64 { return make([]int64, n) }
	binary := func(n int) []int {
		sizes := make([]int, n)
		for i := range sizes {
			sizes[i] = 2
		}
		return sizes
	}
	vars := func(n int) (vars []int32) {
		for i := range n {
			vars = append(vars, int32(i))
		}
		return vars
	}
	// A table of zeros under many operators.
	wide := chainTask(t, binary(18), 30000)
	flat := emptyCertificate(wide)
	flat.Parts = []certificate.Part{{Vars: vars(18), Values: zeros(1 << 18)}}
	// Each operator may lead from each entry of a table to all others.
	open := chainTask(t, binary(17), 1)
	for v := range 16 {
		op := open.Operators.At(0)
		op.Effects = append(op.Effects[:len(op.Effects):len(op.Effects)], grounder.Effect{Cond: []grounder.Fact{{Var: 16, Val: 1}}, Var: int32(v), Val: 0}, grounder.Effect{Cond: []grounder.Fact{{Var: 16, Val: 0}}, Var: int32(v), Val: 1})
		open.Operators.Set(0, op)
	}
	choices := emptyCertificate(open)
	choices.Parts = []certificate.Part{{Vars: vars(16), Values: zeros(1 << 16)}}
	for i := range 1 << 15 {
		choices.Parts[0].Values[i] = int64(1 + i)
	}
	// Zones that many operators enter, and a group that takes them often.
	zones := emptyCertificate(wide)
	for range 3000 {
		zones.Parts = append(zones.Parts, certificate.Part{Facts: []grounder.Fact{{Val: 1}}})
	}
	group := emptyCertificate(wide)
	group.Parts = []certificate.Part{{Facts: []grounder.Fact{{Val: 1}}}}
	group.Groups = []certificate.Group{make(certificate.Group, 100000)}
	for i := range group.Groups[0] {
		group.Groups[0][i].Cost = 1
	}
	clock := cpuclock.Start(context.Background(), 0, 0)
	for name, c := range map[string]struct {
		task *grounder.Task
		cert *certificate.Certificate
	}{"flat table": {wide, flat}, "open effects": {open, choices}, "zones": {wide, zones}, "group": {wide, group}} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		start := clock.Used()
		_, err := certificate.Check(ctx, c.task, c.cert, 16<<30)
		cancel()
		if used := clock.Used() - start; !errors.Is(err, context.DeadlineExceeded) || used > 500*time.Millisecond {
			t.Errorf("%s: %v after %v", name, err, used)
		}
	}
	// The reader stops too.
	var file bytes.Buffer
	if err := certificate.Write(&file, wide, flat); err != nil {
		t.Fatal(err)
	}
	rd, err := certificate.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rd.Read(ctx, wide, 1<<30); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
}

// TestDamagedGzip: a compressed file that is cut anywhere, or goes on, is not readable.
func TestDamagedGzip(t *testing.T) {
	task := chainTask(t, []int{3}, 1)
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	if err := errors.Join(certificate.Write(z, task, emptyCertificate(task)), z.Close()); err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) error {
		rd, err := certificate.NewReader(bytes.NewReader(data))
		if err == nil {
			_, err = rd.Read(context.Background(), task, 1<<20)
		}
		return err
	}
	whole := file.Bytes()
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	var format *certificate.FormatError
	for n := range whole {
		if err := read(whole[:n]); !errors.As(err, &format) {
			t.Errorf("the first %d bytes of %d: %v", n, len(whole), err)
		}
	}
	for n := 1; n <= len(whole); n++ {
		for _, more := range [][]byte{whole[:n], bytes.Repeat([]byte{0}, n), bytes.Repeat([]byte{'x'}, n)} {
			if err := read(append(bytes.Clone(whole), more...)); !errors.As(err, &format) {
				t.Errorf("with %d bytes behind: %v", n, err)
			}
		}
	}
}

// TestCheckKeepsMemory: what the checker keeps about the parts of a certificate counts, not
// only the certificate.
func TestCheckKeepsMemory(t *testing.T) {
	task := chainTask(t, []int{2}, 2000)
	c := emptyCertificate(task)
	for range 2000 {
		c.Parts = append(c.Parts, certificate.Part{Facts: []grounder.Fact{{Val: 1}}})
	}
	if _, err := certificate.Check(context.Background(), task, c, 4<<20); !errors.Is(err, certificate.ErrMemory) {
		t.Errorf("2000 zones with 2000 operators each, in 4 MiB: %v", err)
	}
	if _, err := certificate.Check(context.Background(), task, c, 400<<20); err != nil {
		t.Error(err)
	}
	c = emptyCertificate(task)
	c.Parts = []certificate.Part{{Vars: []int32{0}, Values: []int64{0, 0}}}
	if _, err := certificate.Check(context.Background(), task, c, 100); !errors.Is(err, certificate.ErrMemory) {
		t.Errorf("a certificate larger than the memory: %v", err)
	}
}
