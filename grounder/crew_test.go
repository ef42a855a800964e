package grounder

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestThreads: a task is the same for any number of threads, and any sizes of what they are handed.
func TestThreads(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &randomTask{t: t, head: -1}
		domain, problem := g.draw()
		p := parse(t, domain, problem)
		one := defaultLimits
		one.threads = 1
		one.product = rapid.SampledFrom([]int{1, 64}).Draw(t, "product")
		one.sharing = rapid.SampledFrom([]int{0, 1, 4, 1 << 16}).Draw(t, "sharing")
		many := one
		many.threads, many.piece = rapid.IntRange(2, 4).Draw(t, "threads"), rapid.IntRange(1, 5).Draw(t, "piece")
		opt := Options{KeepIrrelevant: rapid.Bool().Draw(t, "keep"), ObjectFluents: true, NumericFluents: rapid.Bool().Draw(t, "numbers")}
		want, err := groundWith(p, opt, one)
		got, err2 := groundWith(p, opt, many)
		if err != nil || err2 != nil {
			if fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("%s%s\n%v, %v", domain, problem, err, err2)
			}
			return
		}
		if a, b := dumpTask(want), dumpTask(got); a != b || want.Bytes() != got.Bytes() {
			t.Fatalf("%s%s\none thread:\n%s\n%d threads:\n%s", domain, problem, a, many.threads, b)
		}
		shared += want.Operators.Len()
	})
	if shared == 0 {
		t.Error("no operators")
	}
}
