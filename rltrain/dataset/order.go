package dataset

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// perThread bounds how far work may be ahead of what is taken, for each thread: one long
// task must not leave the other threads idle, nor results pile up behind it.
const perThread = 64

// inOrder calls work for 0 to n-1, several at a time, and take with the results in order,
// each as soon as it and all before it are there. Calls of take come one at a time but
// while others work, so work must not read what take writes. Its ctx ends with the first
// error.
func inOrder[T any](ctx context.Context, n, threads int, work func(ctx context.Context, i int) (T, error), take func(i int, x T) error) error {
	window := min(n, threads*perThread)
	if window <= 0 {
		return ctx.Err()
	}
	// Numbers are given out while there is room, so no two of those that are worked on or
	// wait have one slot.
	room := make(chan struct{}, window)
	slots := make([]chan T, window)
	for i := range slots {
		slots[i] = make(chan T, 1)
	}
	group, working := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(threads, n) {
		group.Go(func() error {
			for {
				select {
				case <-working.Done():
					return working.Err()
				case room <- struct{}{}:
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := working.Err(); err != nil {
					return err
				}
				x, err := work(working, i)
				if err != nil {
					return err
				}
				slots[i%window] <- x
			}
		})
	}
	group.Go(func() error {
		for i := range n {
			select {
			case <-working.Done():
				return working.Err()
			case x := <-slots[i%window]:
				if err := take(i, x); err != nil {
					return err
				}
				<-room
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
