package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// assign gives each group of tasks one of Splits: of every stratum, as many groups as the
// ratio says, chosen by the seed. A group is all that must stay together.
func assign(groups []group, ratio Ratio, seed uint64) []uint8 {
	out := make([]uint8, len(groups))
	strata := map[string][]int{}
	for i := range groups {
		strata[groups[i].stratum] = append(strata[groups[i].stratum], i)
	}
	key := make([]uint64, len(groups))
	for i := range groups {
		h := fnv.New64a()
		h.Write(binary.LittleEndian.AppendUint64(nil, seed))
		h.Write(groups[i].key[:])
		key[i] = mix(seed, h.Sum64())
	}
	for _, members := range strata { // strata do not influence each other
		slices.SortFunc(members, func(a, b int) int {
			return cmp.Or(cmp.Compare(key[a], key[b]), slices.Compare(groups[a].key[:], groups[b].key[:]))
		})
		counts := apportion(len(members), ratio)
		i := 0
		for split, n := range counts {
			for range n {
				out[members[i]] = uint8(split)
				i++
			}
		}
	}
	return out
}

// group is a set of tasks that belong to one split.
type group struct {
	key     [32]byte
	stratum string
}

// apportion shares n out by the ratio: rounded down, and what is left to the largest
// remainders, the first among equals.
func apportion(n int, ratio Ratio) [4]int {
	var out [4]int
	var rest [4]float64
	left := n
	for i, x := range ratio {
		exact := float64(n) * x / 100
		out[i] = int(math.Floor(exact + 1e-9))
		rest[i] = exact - float64(out[i])
		left -= out[i]
	}
	for ; left > 0; left-- {
		best := 0
		for i := range rest {
			if rest[i] > rest[best]+1e-9 {
				best = i
			}
		}
		rest[best] = -1
		out[best]++
	}
	return out
}

// bins are ranges of difficulties.
type bins struct {
	edges []float64 // bin i ends with edges[i]; the last one has no end
	names []string
}

// newBins makes bins that end at the given edges.
func newBins(edges []float64) *bins {
	b := &bins{edges: edges}
	whole := true
	for _, e := range edges {
		whole = whole && e == math.Trunc(e)
	}
	for i := 0; i <= len(edges); i++ {
		low := 0.0
		if i > 0 {
			low = edges[i-1]
		}
		switch {
		case len(edges) == 0:
			b.names = append(b.names, "all")
		case i == len(edges) && whole:
			b.names = append(b.names, fmt.Sprintf("%v+", low+1))
		case i == len(edges):
			b.names = append(b.names, fmt.Sprintf(">%v", low))
		case whole && i == 0:
			b.names = append(b.names, fmt.Sprintf("0-%v", edges[i]))
		case whole && low+1 == edges[i]:
			b.names = append(b.names, fmt.Sprint(edges[i]))
		case whole:
			b.names = append(b.names, fmt.Sprintf("%v-%v", low+1, edges[i]))
		case i == 0:
			b.names = append(b.names, fmt.Sprintf("<=%v", edges[i]))
		default:
			b.names = append(b.names, fmt.Sprintf(">%v,<=%v", low, edges[i]))
		}
	}
	return b
}

// quantileBins makes at most n bins with about as many of the values each, fewer where many
// are equal. values are sorted.
func quantileBins(values []float64, n int) *bins {
	var edges []float64
	for i := 1; i < n && len(values) > 0; i++ {
		e := values[(len(values)*i-1)/n]
		if e < values[len(values)-1] && (len(edges) == 0 || e > edges[len(edges)-1]) {
			edges = append(edges, e)
		}
	}
	return newBins(edges)
}

// of returns the number of the bin of a value.
func (b *bins) of(x float64) int {
	i, _ := slices.BinarySearch(b.edges, x)
	return i
}
