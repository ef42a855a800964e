package search

import (
	"sync"
	"time"
)

const (
	// roundTurn is the most work of a thread in a round, some fifty milliseconds.
	roundTurn = 1 << 24
	// roundSlice is what a thread does of a search before it looks for another, some milliseconds.
	roundSlice = 1 << 20
)

// job is the part of a search in a round.
type job struct {
	*racer
	quota int64 // work of this round
	until int64 // done at its end
	build bool  // the search has not begun
	did   int64 // work of this round
	ended bool
	busy  bool // some thread runs it
}

// left is the work that is left.
func (j *job) left() int64 {
	if j.engine == nil {
		return j.quota
	}
	return j.until - j.racer.done()
}

// round runs the searches on several threads. Each is to do an amount of work that follows from its share and the work
// so far. What they find out is exchanged between rounds, in the order of the portfolio, so the answer depends on the
// task and the number of threads only. Within a round each thread takes the search that will take longest from now
// on, if no other thread runs it, for a slice: so threads seldom wait for each other, although the same work takes
// one search twice as long as another.
func (a *auto) round() {
	a.fit()
	if a.reduceAt >= 0 && a.elapsed() >= a.reduceAt {
		a.reduce()
		if a.end != nil {
			return
		}
	}
	a.shift(a.elapsed())
	a.forecast(a.elapsed())
	jobs := a.allot()
	a.share(jobs)
	a.current = nil
	for _, j := range jobs {
		a.total += j.did
		j.racer.work += j.did
	}
	for _, j := range jobs {
		switch {
		case a.end != nil:
		case j.engine == nil:
			a.notBegun(j.racer)
		case j.ended:
			a.ended(j.racer)
		case j.build && a.best != nil:
			j.setBound(a.best.Cost)
		}
	}
	a.compare()
}

// allot decides what each search does in a round: as much as brings all to the same multiple of their shares, at most
// what one thread can do. The work is that of all threads, and for a search that begins at least what that takes.
func (a *auto) allot() (jobs []*job) {
	turn := min(max(autoTurn, a.elapsed()/16), roundTurn)
	list := a.ready(a.elapsed())
	for _, r := range list {
		if r.engine == nil {
			turn = max(turn, r.setup)
		}
	}
	quota := func(r *racer, level float64) int64 {
		if r == a.current {
			return turn // it reads a plan off
		}
		return min(max(int64(r.weighed()*level)-r.work, 0), turn)
	}
	all := turn * int64(min(a.threads, len(list)))
	low, high := 0.0, 0.0
	for _, r := range list {
		high = max(high, float64(r.work+turn)/r.weighed())
	}
	for range 50 {
		level, sum := (low+high)/2, int64(0)
		for _, r := range list {
			sum += quota(r, level)
		}
		if sum < all {
			low = level
		} else {
			high = level
		}
	}
	for _, r := range list {
		// What is too little waits for the next round.
		if n := quota(r, high); n >= turn/16 {
			jobs = append(jobs, &job{racer: r, quota: n, until: r.done() + n, build: r.engine == nil})
		}
	}
	return jobs
}

// share runs jobs to their ends on all threads.
func (a *auto) share(jobs []*job) {
	var mu sync.Mutex
	var threads sync.WaitGroup
	freed := sync.NewCond(&mu)
	for range min(a.threads, len(jobs)) {
		threads.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				j, waiting := longest(jobs)
				switch {
				case j != nil:
				case waiting:
					freed.Wait()
					continue
				default:
					return
				}
				j.busy = true
				mu.Unlock()
				began := time.Now()
				did := a.work(j)
				took := time.Since(began)
				mu.Lock()
				j.busy = false
				j.did += did
				j.timed += did
				j.took += took
				freed.Broadcast()
			}
		})
	}
	threads.Wait()
}

// longest returns the job that no thread runs with the most time left, and whether there are others with work left.
func longest(jobs []*job) (best *job, waiting bool) {
	most := 0.0
	for _, j := range jobs {
		switch {
		case j.busy:
			waiting = true
		case !j.ended && j.left() > 0:
			if t := float64(j.left()) * j.pace(); best == nil || t > most {
				best, most = j, t
			}
		}
	}
	return best, waiting
}

// work does a slice of a job and returns the work done.
func (a *auto) work(j *job) int64 {
	if j.engine == nil {
		did := j.start(a.limitsOf(j.racer), a.clock)
		j.until = j.racer.done() + j.quota - did
		j.ended = j.engine == nil
		return did
	}
	before := j.racer.done()
	j.ended = j.run(min(roundSlice, j.until-before))
	return j.racer.done() - before
}

// elapsed is the work of one thread so far.
func (a *auto) elapsed() int64 { return a.total / int64(max(a.threads, 1)) }
