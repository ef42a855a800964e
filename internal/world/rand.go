package world

import (
	"math/rand/v2"
)

// Rand returns the random numbers for one purpose of one seed. They are those of PCG, which are
// fixed by its definition, so a seed gives the same numbers with every version of Go.
func Rand(seed uint64, purpose string) *rand.Rand {
	h := uint64(14695981039346656037)
	for i := 0; i < len(purpose); i++ {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}
