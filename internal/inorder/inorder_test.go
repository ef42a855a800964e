package inorder

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestOrder: pieces are placed in order, one at a time, and filled once each; settle waits for those at work in Fill.
func TestOrder(t *testing.T) {
	const pieces = 300
	for threads := 1; threads <= 4; threads++ {
		made, filled := make([]int, pieces), make([]bool, pieces)
		var placed []int
		var mutex sync.Mutex
		n, failed := Run(threads, pieces, func() Worker {
			var piece int
			return Worker{
				Do: func(k int) { piece = k * k },
				Place: func(k int, settle func()) {
					placed = append(placed, k)
					if k%7 != 0 {
						return
					}
					settle()
					mutex.Lock()
					defer mutex.Unlock()
					if i := slices.Index(filled, false); i != k {
						t.Errorf("%d threads: piece %d is not filled, after piece %d settled", threads, i, k)
					}
				},
				Fill: func(k int) {
					runtime.Gosched()
					mutex.Lock()
					defer mutex.Unlock()
					made[k], filled[k] = piece, true
				},
			}
		})
		if n != pieces || failed != nil {
			t.Fatalf("%d threads: %d placed, %v", threads, n, failed)
		}
		for k := range pieces {
			if placed[k] != k || made[k] != k*k {
				t.Errorf("%d threads: piece %d was placed at %d, with %d", threads, k, placed[k], made[k])
			}
		}
	}
}

// TestFails: wherever any thread fails, all of them end, and no piece from that one on is placed.
func TestFails(t *testing.T) {
	const threads, pieces, at = 3, 60, 20
	broken := errors.New("broken")
	for _, where := range []string{"Do", "Place", "Fill"} {
		var placed []int
		fail := func(here string, k int) {
			if here == where && k == at {
				panic(broken)
			}
		}
		n, failed := Run(threads, pieces, func() Worker {
			return Worker{
				Do: func(k int) { fail("Do", k) },
				Place: func(k int, _ func()) {
					fail("Place", k)
					placed = append(placed, k)
				},
				Fill: func(k int) { fail("Fill", k) },
			}
		})
		if failed != broken || n != len(placed) || n < at || where != "Fill" && n != at {
			t.Errorf("%s: %d placed, %d said, %v", where, len(placed), n, failed)
		}
	}
}

// TestFillFailsWhilePlaceSettles: what a Fill panics with is not lost while another piece waits for it.
func TestFillFailsWhilePlaceSettles(t *testing.T) {
	settling := make(chan bool)
	placed, failed := Run(2, 2, func() Worker {
		return Worker{
			Do: func(int) {},
			Place: func(k int, settle func()) {
				if k == 1 {
					close(settling)
					settle()
				}
			},
			Fill: func(k int) {
				if k == 0 {
					<-settling
					panic("broken")
				}
			},
		}
	})
	if placed != 2 || failed != "broken" {
		t.Errorf("%d placed, %v", placed, failed)
	}
}

// TestEachThreadFails: it does not matter which of the threads fails.
func TestEachThreadFails(t *testing.T) {
	const threads = 3
	for bad := range threads {
		var mutex sync.Mutex
		var all sync.WaitGroup // every thread has a piece
		all.Add(threads)
		workers := 0
		_, failed := Run(threads, 50, func() Worker {
			mutex.Lock()
			defer mutex.Unlock()
			me, first := workers, true
			workers++
			return Worker{Do: func(int) {
				if first {
					all.Done()
					all.Wait()
				}
				if first = false; me == bad {
					panic(me)
				}
			}}
		})
		if failed != bad {
			t.Errorf("thread %d failed, and the work with %v", bad, failed)
		}
	}
}

// TestNoWorker: a thread that cannot begin ends the work.
func TestNoWorker(t *testing.T) {
	placed, failed := Run(2, 9, func() Worker { panic("no worker") })
	if placed != 0 || failed != "no worker" {
		t.Errorf("%d placed, %v", placed, failed)
	}
}

// TestRuntimeError: an error of the runtime says where it came from.
func TestRuntimeError(t *testing.T) {
	var list []int
	_, failed := Run(1, 1, func() Worker { return Worker{Do: func(k int) { list[k]++ }} })
	var of runtime.Error
	if err, ok := failed.(error); !ok || !errors.As(err, &of) || !strings.Contains(fmt.Sprint(err), "inorder_test.go") {
		t.Errorf("%v", failed)
	}
}

// TestNothing: without work there is no worker.
func TestNothing(t *testing.T) {
	if placed, failed := Run(4, 0, func() Worker { return Worker{} }); placed != 0 || failed != nil {
		t.Errorf("%d placed, %v", placed, failed)
	}
}
