package grounder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"
)

// bailout carries the error of a limit through the recursion of a join.
type bailout struct{ err error }

// defaultMemory bounds the heap when the caller sets no bound.
const defaultMemory = 8 << 30

// Ticks between two looks, as powers of two. A tick takes up to some microseconds where operators are built, so time
// is looked at often; to read the size of the heap takes microseconds itself.
const (
	timeTicks   = 12
	memoryTicks = 16
)

// tick is called in every loop that may run long.
func (g *grounder) tick() {
	if g.ticks++; g.ticks&(1<<timeTicks-1) == 0 {
		g.look(g.ticks - 1)
	}
}

// work is tick for a step that takes as long as n short ones.
func (g *grounder) work(n int) {
	before := g.ticks
	if g.ticks += uint32(n); g.ticks>>timeTicks != before>>timeTicks {
		g.look(before)
	}
}

func (g *grounder) look(before uint32) {
	g.checkTime()
	if g.ticks>>memoryTicks != before>>memoryTicks {
		g.checkMemory()
	}
}

func (g *grounder) checkTime() {
	if err := g.ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: %w", ErrLimit, err)
		}
		panic(bailout{err})
	}
	if !g.deadline.IsZero() && time.Now().After(g.deadline) {
		panic(bailout{fmt.Errorf("%w: grounding took more than %v", ErrLimit, g.opt.Time)})
	}
}

func (g *grounder) checkMemory() {
	if g.heap() <= g.opt.Memory {
		return
	}
	// The figure includes garbage. Collecting garbage is expensive, so it is repeated
	// only after enough work to have produced as much again.
	if g.collected != 0 && g.ticks-g.collected < collectEvery {
		return
	}
	runtime.GC()
	g.collected = g.ticks
	if g.heap() > g.opt.Memory {
		panic(bailout{fmt.Errorf("%w: grounding took more than %d MB", ErrMemory, g.opt.Memory>>20)})
	}
}

// expect ends grounding if bytes more, which are about to be taken at once, go beyond the limit.
func (g *grounder) expect(bytes int64) {
	if g.opt.Memory <= 0 || g.heap()+bytes <= g.opt.Memory {
		return
	}
	runtime.GC() // the figure includes garbage
	if g.heap()+bytes > g.opt.Memory {
		panic(bailout{fmt.Errorf("%w: grounding took more than %d MB", ErrMemory, g.opt.Memory>>20)})
	}
}

// heap returns by how many bytes the heap has grown, uncollected garbage included.
func (g *grounder) heap() int64 {
	metrics.Read(g.memory)
	return int64(g.memory[0].Value.Uint64()) - g.before
}

// liveHeap returns the bytes that the last garbage collection found live. The rest of
// the heap may be garbage, whose memory grounding can use. Before the first collection nobody
// knows, and all of the heap counts.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(live)
	return int64(cmp.Or(live[0].Value.Uint64(), live[1].Value.Uint64()))
}

// maxCount bounds the numbers of atoms, of instances and of operators, so that ids fit
// in 30 bits.
const maxCount = 1 << 30

func (g *grounder) checkSize(n *int) {
	if *n++; *n > maxCount {
		g.tooMany()
	}
	g.tick()
}

func (g *grounder) tooMany() {
	panic(bailout{fmt.Errorf("%w: more than %d atoms, instances or operators", ErrMemory, maxCount)})
}

// limits of the constructions that could grow exponentially. Beyond each limit another
// construction stays linear, or a proof is given up.
type limits struct {
	// alternatives bounds how many conjunctions a condition is split into by
	// multiplying out. Beyond it, disjunctions become derived predicates.
	alternatives int
	// product bounds the alternatives of one condition that come from negative
	// literals on variables with more than two values. Beyond it, the literals are
	// replaced by derived atoms.
	product int
	// guards bounds the effects that one delete is split into to exclude adds on its
	// variable, and guardSteps the work for that. Beyond it, a derived atom says
	// whether an add fires.
	guards, guardSteps int
	// candidates bounds the invariants that are tried, as in Fast Downward; unions
	// bounds the elementary steps of their proofs. Fast Downward bounds their time, which
	// makes the result depend on the machine.
	candidates, unions int
	// backward is how many instances there must be before those that the goal depends on are looked for, and one in
	// backwardOf how many of them these may be.
	backward, backwardOf int
	// sharing is how many different lists of effects there must be before operators may stop sharing them, and
	// dense how many variables for the edges of the causal graph to be counted before a way to keep them is chosen.
	sharing, dense int
	// sweeps is how often reachability looks at all operators before it lists what waits for each fact.
	sweeps int
	// piece is how many operators, or instances of an action, a thread takes at a time, at most. Threads share a join
	// that takes more than worth steps.
	piece, worth int
}

var defaultLimits = limits{alternatives: 64, product: 64, guards: 64, guardSteps: 4096, candidates: 100_000, unions: 100_000_000, backward: 1 << 16, backwardOf: 32,
	sharing: 1 << 16, dense: 2048, sweeps: 3, piece: 1 << 14, worth: 1 << 16}

// collectEvery is the least number of ticks between forced garbage collections.
const collectEvery = 1 << 20
