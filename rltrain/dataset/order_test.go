package dataset

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestInOrder: every number once, in order, whatever order the work ends in, and never
// further ahead than the window.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, threads := rapid.IntRange(0, 400).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "threads")
		slow := rapid.SliceOfDistinct(rapid.IntRange(0, 400), rapid.ID).Draw(t, "slow")
		var taken atomic.Int64
		var got []int
		err := inOrder(context.Background(), n, threads, func(_ context.Context, i int) (int, error) {
			if ahead := i - int(taken.Load()); ahead > threads*perThread {
				t.Errorf("%d is worked on, %d ahead of what is taken", i, ahead)
			}
			if slices.Contains(slow, i) {
				time.Sleep(50 * time.Microsecond)
			}
			return i * i, nil
		}, func(i, x int) error {
			if x != i*i {
				t.Errorf("%d came with the result %d", i, x)
			}
			got = append(got, i)
			taken.Add(1)
			return nil
		})
		if err != nil || len(got) != n || !slices.IsSorted(got) {
			t.Fatalf("error %v, %d of %d taken", err, len(got), n)
		}
	})
}

// TestInOrderTakesAtOnce: what is done is taken, and so told, while the rest is worked on.
func TestInOrderTakesAtOnce(t *testing.T) {
	first := make(chan struct{})
	err := inOrder(context.Background(), 2, 2, func(_ context.Context, i int) (int, error) {
		if i == 1 {
			select {
			case <-first:
			case <-time.After(20 * time.Second):
				return 0, errors.New("the first result is not taken while the second is worked on")
			}
		}
		return i, nil
	}, func(i, _ int) error {
		if i == 0 {
			close(first)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestInOrderEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, fail := range []func(i int) (work, take error){
		func(i int) (error, error) { return nil, map[bool]error{true: broken}[i == 300] },
		func(i int) (error, error) { return map[bool]error{true: broken}[i == 300], nil },
		func(i int) (error, error) { return map[bool]error{true: broken}[i == 0], nil },
	} {
		err := inOrder(context.Background(), 1000, 3, func(_ context.Context, i int) (int, error) {
			err, _ := fail(i)
			return i, err
		}, func(i, _ int) error {
			_, err := fail(i)
			return err
		})
		if !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := inOrder(ctx, 1000, 3, func(_ context.Context, i int) (int, error) { return i, nil }, func(i, _ int) error {
		if i == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after it was cancelled", err)
	}
}
