package testkit

import (
	"context"
	"errors"
	"testing"
)

// endsAfter is a context that has ended when it is looked at for the n-th time.
type endsAfter struct {
	context.Context
	n, looks int
}

func (c *endsAfter) Err() error {
	if c.looks++; c.looks > c.n {
		return context.DeadlineExceeded
	}
	return nil
}

// EndsAtEachLook ends work at each of its looks at a context. It must answer without one, and otherwise give the context's
// error at once, after at most two more looks, and nothing else. The work must be large enough for ten looks.
func EndsAtEachLook(t *testing.T, work func(context.Context) (answered bool, err error)) {
	t.Helper()
	whole := &endsAfter{Context: context.Background(), n: 1 << 30}
	if ok, err := work(whole); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if whole.looks < 10 {
		t.Errorf("only %d looks at the context", whole.looks)
	}
	for k := range whole.looks {
		ctx := &endsAfter{Context: context.Background(), n: k}
		ok, err := work(ctx)
		if ok || !errors.Is(err, context.DeadlineExceeded) || ctx.looks > k+3 {
			t.Errorf("ended at look %d of %d: answered %v after %d looks, %v", k, whole.looks, ok, ctx.looks, err)
		}
	}
}
