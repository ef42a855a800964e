package search

import (
	"slices"
	"sync"
)

// roundTurn is the most work of a search in a round, some ten milliseconds.
const roundTurn = 1 << 22

// round runs as many searches as there are threads side by side, for the same amount of work each. What they find out
// is exchanged between rounds, in the order of the portfolio, so the answer depends on the task and the number
// of threads only. Searches are built one after the other.
//
// The symbolic search stays on the caller's thread: it is a coroutine, and these do not change threads.
func (a *auto) round() {
	a.fit()
	if a.reduceAt >= 0 && a.elapsed() >= a.reduceAt {
		a.reduce()
		if a.end != nil {
			return
		}
	}
	chosen := a.choose()
	turn := min(max(autoTurn, a.elapsed()/16), roundTurn)
	before, ended := make([]int64, len(chosen)), make([]bool, len(chosen))
	for i, r := range chosen {
		before[i] = r.done()
	}
	own := 0
	for i, r := range chosen {
		if _, ok := r.engine.(*symbolicEngine); ok {
			own = i
		}
	}
	var others sync.WaitGroup
	for i, r := range chosen {
		if i != own {
			others.Go(func() { ended[i] = r.run(turn) })
		}
	}
	if len(chosen) > 0 {
		ended[own] = chosen[own].run(turn)
	}
	others.Wait()
	a.current = nil
	for i, r := range chosen {
		did := r.done() - before[i]
		a.total += did
		r.work += did
	}
	for i, r := range chosen {
		if ended[i] && a.end == nil && slices.Contains(a.racers, r) {
			a.ended(r)
		}
	}
	a.compare()
}

// choose returns the searches of the next round, which have begun: those that have had the least of their shares,
// the one that is to read off a plan first. None are returned where one could not begin.
func (a *auto) choose() (chosen []*racer) {
	var list []*racer
	for _, r := range a.racers {
		if r.after <= a.elapsed() || len(a.racers) == 1 {
			list = append(list, r)
		}
	}
	slices.Reverse(list) // blind first, as in turns
	slices.SortStableFunc(list, func(x, y *racer) int {
		switch l, m := float64(x.work)/x.share, float64(y.work)/y.share; {
		case x == a.current || y != a.current && l < m:
			return -1
		case y == a.current || l > m:
			return 1
		}
		return 0
	})
	list = list[:min(len(list), a.threads)]
	for _, r := range list {
		if r.engine == nil && !a.start(r) {
			return nil
		}
	}
	return list
}

// elapsed is the work of one thread so far.
func (a *auto) elapsed() int64 { return a.total / int64(max(a.threads, 1)) }
