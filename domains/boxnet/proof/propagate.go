package proof

import (
	"fmt"
	"slices"
)

// checker holds clauses and what they force by themselves. Lemmas are checked by reverse unit
// propagation: with all their literals false, propagation must violate a clause.
type checker struct {
	clauses [][]int32        // nil: gone
	watches [][]int          // by literal: clauses that watch it
	byText  map[string][]int // lemmas by their sorted literals
	value   []int8           // by variable
	trail   []int32
	head    int
	fixed   int // of the trail: forced without assumptions
	empty   bool
}

func newChecker(vars int) *checker {
	return &checker{watches: make([][]int, 2*vars+2), byText: map[string][]int{}, value: make([]int8, vars+1)}
}

func abs(n int32) int32 { return max(n, -n) }

// place is that of a literal in a list by literals.
func place(n int32) int {
	if n < 0 {
		return int(-2*n + 1)
	}
	return int(2 * n)
}

func (c *checker) watch(n int32, id int) { c.watches[place(n)] = append(c.watches[place(n)], id) }

// truth is 1 for a true literal, -1 for a false one, 0 for an open one.
func (c *checker) truth(n int32) int8 {
	if n < 0 {
		return -c.value[-n]
	}
	return c.value[n]
}

// add adds a clause and keeps what it forces.
func (c *checker) add(lits ...int32) {
	lits = slices.Clone(lits)
	// Literals that are not false come first, so that these are watched.
	slices.SortStableFunc(lits, func(a, b int32) int { return min(int(c.truth(b)), 0) - min(int(c.truth(a)), 0) })
	id := len(c.clauses)
	c.clauses = append(c.clauses, lits)
	for _, n := range lits[:min(2, len(lits))] {
		c.watch(n, id)
	}
	switch {
	case len(lits) == 0 || c.truth(lits[0]) < 0:
		c.empty = true
	case c.truth(lits[0]) == 0 && (len(lits) == 1 || c.truth(lits[1]) < 0):
		c.assume(lits[0])
		if !c.propagate() {
			c.empty = true
		}
	}
	c.fixed = len(c.trail)
}

func (c *checker) assume(n int32) {
	if n < 0 {
		c.value[-n] = -1
	} else {
		c.value[n] = 1
	}
	c.trail = append(c.trail, n)
}

// propagate reports whether no clause is violated by what follows.
func (c *checker) propagate() bool {
	for ; c.head < len(c.trail); c.head++ {
		no := -c.trail[c.head]
		list := c.watches[place(no)]
		kept := list[:0]
		for at, id := range list {
			lits := c.clauses[id]
			if lits == nil {
				continue
			}
			if lits[0] == no && len(lits) > 1 {
				lits[0], lits[1] = lits[1], lits[0]
			}
			if c.truth(lits[0]) > 0 {
				kept = append(kept, id)
				continue
			}
			if k := c.other(lits); k > 0 {
				lits[1], lits[k] = lits[k], lits[1]
				c.watch(lits[1], id)
				continue
			}
			kept = append(kept, id)
			if c.truth(lits[0]) < 0 {
				c.watches[place(no)] = append(kept, list[at+1:]...)
				return false
			}
			c.assume(lits[0])
		}
		c.watches[place(no)] = kept
	}
	return true
}

// other is the place of a literal to watch that is not false, 0 if there is none.
func (c *checker) other(lits []int32) int {
	for k := 2; k < len(lits); k++ {
		if c.truth(lits[k]) >= 0 {
			return k
		}
	}
	return 0
}

// lemma checks a clause and adds it.
func (c *checker) lemma(lits []int32) error {
	if c.empty {
		return nil
	}
	for _, n := range lits {
		if n == 0 || int(abs(n)) >= len(c.value) {
			return fmt.Errorf("%d is no variable", n)
		}
	}
	follows := false
	for _, n := range lits {
		if c.truth(n) > 0 {
			follows = true
			break
		}
		if c.truth(n) == 0 {
			c.assume(-n)
		}
	}
	follows = follows || !c.propagate()
	for _, n := range c.trail[c.fixed:] {
		c.value[abs(n)] = 0
	}
	c.trail, c.head = c.trail[:c.fixed], c.fixed
	if !follows {
		return fmt.Errorf("the clause %v does not follow", lits)
	}
	key := text(lits)
	c.byText[key] = append(c.byText[key], len(c.clauses))
	c.add(lits...)
	return nil
}

// remove takes a clause out. One that forces something now stays: what it has forced is kept.
func (c *checker) remove(lits []int32) {
	key := text(lits)
	list := c.byText[key]
	for i, id := range list {
		clause := c.clauses[id]
		if len(clause) < 2 || c.truth(clause[0]) > 0 || c.truth(clause[1]) > 0 {
			continue
		}
		c.clauses[id] = nil
		c.byText[key] = slices.Delete(list, i, i+1)
		return
	}
}

// text is a key of a clause.
func text(lits []int32) string {
	sorted := slices.Clone(lits)
	slices.Sort(sorted)
	b := make([]byte, 0, 4*len(sorted))
	for _, n := range sorted {
		b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(b)
}
