package lru

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCache(t *testing.T) {
	c := New[int, int](100, func(_, v int) int64 { return int64(v) })
	made := map[int]int{}
	get := func(k, size int) {
		if got := c.Get(k, func() int { made[k]++; return size }); got != size {
			t.Fatalf("%d is %d", k, got)
		}
	}
	get(1, 40)
	get(2, 40)
	get(1, 40)
	get(3, 40) // 2 goes: 1 was used later
	get(1, 40)
	get(2, 40)
	if fmt.Sprint(made) != "map[1:1 2:2 3:1]" || c.bytes != 80 || len(c.items) != 2 || c.order.Len() != 2 {
		t.Errorf("made %v, %d bytes, %d items", made, c.bytes, len(c.items))
	}
	get(4, 1000) // too large for anything beside it, but kept
	get(4, 1000)
	if made[4] != 1 || c.bytes != 1000 || len(c.items) != 1 {
		t.Errorf("made %v, %d bytes, %d items", made, c.bytes, len(c.items))
	}
	c.Drop(4)
	c.Drop(5)
	get(4, 1000)
	if made[4] != 2 || c.bytes != 1000 {
		t.Errorf("made %v, %d bytes", made, c.bytes)
	}
}

// TestGivenUp: nothing is kept of a making that was cut off or that panicked, and one of those who wait makes the value.
func TestGivenUp(t *testing.T) {
	c := New[int, int](100, func(_, v int) int64 { return 8 })
	cut := errors.New("cut off")
	begun, end := make(chan bool), make(chan bool)
	first := make(chan error)
	go func() {
		_, err := c.GetContext(t.Context(), 1, func() (int, error) { close(begun); <-end; return 7, cut })
		first <- err
	}()
	<-begun
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.GetContext(gone, 1, func() (int, error) { return 8, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who goes while another makes the value: %v", err)
	}
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if v := c.Get(1, func() int { return int(made.Add(1)) }); v != 1 {
				t.Errorf("the value is %d", v)
			}
		})
	}
	close(end)
	if err := <-first; err != cut {
		t.Errorf("who made it: %v", err)
	}
	wg.Wait()
	func() {
		defer func() { _ = recover() }()
		c.Get(2, func() int { panic("a bug") })
	}()
	if v := c.Get(2, func() int { return 5 }); v != 5 || made.Load() != 1 || c.Count() != 2 || c.Held() != 16 {
		t.Errorf("%d after a panic; made %d, %d values of %d bytes", v, made.Load(), c.Count(), c.Held())
	}
}

// TestCacheMakesOnce asks from many goroutines.
func TestCacheMakesOnce(t *testing.T) {
	c := New[int, int](1<<40, func(_, _ int) int64 { return 8 })
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for k := range 500 {
				if v := c.Get(k, func() int { made.Add(1); return k * k }); v != k*k {
					t.Errorf("%d is %d", k, v)
				}
			}
		})
	}
	wg.Wait()
	if made.Load() != 500 || c.bytes != 4000 {
		t.Errorf("made %d, %d bytes", made.Load(), c.bytes)
	}
}
