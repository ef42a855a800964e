package heuristic

import (
	"slices"
	"sort"
)

// lists is a sequence of int32 lists in one array.
type lists struct {
	start []int32
	items []int32
}

func (l *lists) of(i int32) []int32 { return l.items[l.start[i]:l.start[i+1]] }

func (l *lists) add(items []int32) {
	if l.start == nil {
		l.start = []int32{0}
	}
	l.items = append(l.items, items...)
	l.start = append(l.start, int32(len(l.items)))
}

// invert returns, for each of n values, the indices of the lists that contain it.
func (l *lists) invert(n int) lists {
	start := make([]int32, n+1)
	for _, x := range l.items {
		start[x+1]++
	}
	for i := 0; i < n; i++ {
		start[i+1] += start[i]
	}
	items := make([]int32, len(l.items))
	next := append([]int32(nil), start...)
	for i := 0; i+1 < len(l.start); i++ {
		for _, x := range l.items[l.start[i]:l.start[i+1]] {
			items[next[x]] = int32(i)
			next[x]++
		}
	}
	return lists{start, items}
}

func sortUnique(xs []int32) []int32 {
	slices.Sort(xs)
	n := 0
	for i, x := range xs {
		if i == 0 || x != xs[n-1] {
			xs[n] = x
			n++
		}
	}
	return xs[:n]
}

// contains looks x up in a sorted list.
func contains(xs []int32, x int32) bool {
	i := sort.Search(len(xs), func(i int) bool { return xs[i] >= x })
	return i < len(xs) && xs[i] == x
}

// appendKey encodes a list so that distinct sequences of lists give distinct bytes.
func appendKey(b []byte, xs []int32) []byte {
	for _, x := range append([]int32{int32(len(xs))}, xs...) {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}
