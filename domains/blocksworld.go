package domains

import (
	"fmt"
	"math/big"
)

// BlockNames returns the names of n blocks: a to z, or b1, b2, ... beyond 26.
func BlockNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('a' + i))
		if n > 26 {
			names[i] = fmt.Sprintf("b%d", i+1)
		}
	}
	return names
}

// BlocksworldProblem writes the problem that leads from init to goal as PDDL. The goal
// gives the position of each block, so exactly one hand-empty state satisfies it.
func BlocksworldProblem(name string, init, goal Blocks) string {
	names := BlockNames(len(init))
	w := newWriter(name, "blocksworld")
	w.section("objects")
	w.objects(names, "")
	w.end()
	w.section("init")
	w.line("(handempty)")
	w.where(names, init)
	covered := make([]bool, len(init))
	for _, under := range init {
		if under != Table {
			covered[under] = true
		}
	}
	for i, c := range covered {
		if !c {
			w.line("(clear %s)", names[i])
		}
	}
	w.end()
	w.section("goal (and")
	w.where(names, goal)
	w.b.WriteString(")")
	w.end()
	return w.finish()
}

func (w *writer) where(names []string, s Blocks) {
	for i, under := range s {
		if under == Table {
			w.line("(ontable %s)", names[i])
		} else {
			w.line("(on %s %s)", names[i], names[under])
		}
	}
}

func blocksworldProblem(name string, params []int, k *big.Int) string {
	init, goal := BlocksworldPair(params[0], k)
	return BlocksworldProblem(name, init, goal)
}
