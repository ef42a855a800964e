package search

import "unsafe"

// pages is an array that grows by pages of 2^pageShift elements, which never move: growing
// it never holds two copies, so that memory can be counted to within a page.
type pages[T any] struct {
	page [][]T
	n    int
}

const pageShift = 10

// at returns the i-th element.
func (p *pages[T]) at(i uint32) *T { return &p.page[i>>pageShift][i&(1<<pageShift-1)] }

// grow adds n elements that do not straddle a page, n at most a page, and returns the index
// of the first. They are zero.
func (p *pages[T]) grow(n int) uint32 {
	if room := len(p.page)<<pageShift - p.n; room < n {
		p.n += room
		p.page = append(p.page, make([]T, 1<<pageShift))
	}
	p.n += n
	return uint32(p.n - n)
}

func (p *pages[T]) bytes() int64 {
	var x T
	return int64(len(p.page)) << pageShift * int64(unsafe.Sizeof(x))
}
