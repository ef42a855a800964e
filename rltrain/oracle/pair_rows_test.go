package oracle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/groups"
)

// TestInterruptedPairs: no pair is made of what was not judged.
func TestInterruptedPairs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out strings.Builder
	o := newTestOracle(t, Options{})
	in := `{"task":"gripper:1","prompt":"p","response":"x"}`
	if n, _, err := o.PairRows(ctx, strings.NewReader(in), &out, groups.PairOptions{Rule: groups.DPO}); n != 0 || !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%d pairs, %v, %q", n, err, out.String())
	}
}
