// Package seeded makes random numbers that depend only on a seed and on what they are for.
package seeded

import (
	"hash/fnv"
	"math/rand/v2"
)

// Rand returns the random numbers for one purpose of one seed. They are those of PCG, which are fixed by
// its definition, so a seed gives the same numbers with every version of Go.
func Rand(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
