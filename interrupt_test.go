package planproof_test

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
)

// ended is a context that has ended at the second look.
type ended struct {
	context.Context
	looks int
}

func (c *ended) Err() error {
	if c.looks++; c.looks > 1 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestContexts: reading a task and compiling its judge end with their context, and the next call starts anew.
func TestContexts(t *testing.T) {
	dom, prob, err := domains.Load("blocksworld:3-1")
	if err != nil {
		t.Fatal(err)
	}
	if task, err := planproof.ParseTaskContext(&ended{Context: context.Background()}, dom.Text, prob.Text); task != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", task, err)
	}
	if task, err := planproof.ParseTaskContext(context.Background(), dom.Text, "(define (problem p) (:domain blocksworld)"); task != nil || err == nil {
		t.Errorf("a problem with a fault: %v, %v", task, err)
	}
	task, err := planproof.ParseTaskContext(context.Background(), dom.Text, prob.Text)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := planproof.Judge(&ended{Context: context.Background()}, task, ""); v != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := planproof.Judge(context.Background(), task, ""); err != nil || v.Valid {
		t.Errorf("the next call: %+v, %v", v, err)
	}
}
