// Package inorder shares out work that must have the same result for any number of threads.
package inorder

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Worker makes pieces of the work; each of its functions is called by one goroutine only. Place and Fill may be nil.
type Worker struct {
	// Do makes piece k, whichever pieces others have made.
	Do func(k int)
	// Place decides where the piece goes, after all pieces before it and with no other at work in Place. Only here
	// may a worker change what others read in Place. settle waits until no Fill is at work.
	Place func(k int, settle func())
	// Fill puts the piece in its place, again beside others.
	Fill func(k int)
}

// Run makes pieces 0 to n-1 on some threads, one of them the caller's. Where a function panics, no piece from that one
// on is placed. Run returns how many were, and what the function panicked with, once all threads have ended. An error
// of the Go runtime comes with the stack of its thread.
func Run(threads, n int, worker func() Worker) (placed int, failed any) {
	t := turns{}
	t.moved.L = &t.mutex
	var others sync.WaitGroup
	for range min(threads, n) - 1 {
		others.Go(func() { t.work(n, worker) })
	}
	t.work(n, worker)
	others.Wait()
	return t.turn, t.failed
}

// turns says whose turn it is.
type turns struct {
	next    atomic.Int64 // the next piece to make
	mutex   sync.Mutex
	moved   sync.Cond // when one of these changes
	turn    int       // the piece that is placed next
	filling int
	failed  any
}

func (t *turns) work(n int, worker func() Worker) {
	var w Worker
	if failed := try(func() { w = worker() }); failed != nil {
		t.fail(failed)
		return
	}
	for {
		k := int(t.next.Add(1)) - 1
		if k >= n || !t.place(k, &w, try(func() { w.Do(k) })) {
			return
		}
		var failed any
		if w.Fill != nil {
			failed = try(func() { w.Fill(k) })
		}
		t.filled(failed)
	}
}

// place waits for the turn of a piece and places it. It reports false if work must end.
func (t *turns) place(k int, w *Worker, failed any) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.turn < k && t.failed == nil {
		t.moved.Wait()
	}
	if t.failed != nil {
		return false
	}
	defer t.moved.Broadcast()
	if failed == nil && w.Place != nil {
		failed = try(func() { w.Place(k, t.settle) })
	}
	if failed != nil {
		t.failed = failed
		return false
	}
	t.turn++
	if t.failed != nil { // by a Fill that Place waited for
		return false
	}
	t.filling++
	return true
}

func (t *turns) settle() {
	for t.filling > 0 {
		t.moved.Wait()
	}
}

func (t *turns) filled(failed any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.filling--
	if failed != nil {
		t.failed = failed
	}
	t.moved.Broadcast()
}

// fail ends the work of all threads.
func (t *turns) fail(failed any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.failed = failed
	t.moved.Broadcast()
}

// try returns what f panics with, or nil.
func try(f func()) (failed any) {
	defer func() {
		if failed = recover(); failed != nil {
			if err, ok := failed.(runtime.Error); ok {
				failed = fmt.Errorf("%w\n%s", err, debug.Stack())
			}
		}
	}()
	f()
	return nil
}
