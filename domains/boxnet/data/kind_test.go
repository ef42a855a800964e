package data

import (
	"bytes"
	"context"
	"testing"
)

// TestParseKind: the kinds make rows of their sizes, the same as boxnet generate, and refuse what they do not have.
func TestParseKind(t *testing.T) {
	for kind, params := range map[string]map[string]int{
		"boxnet2d": {"width": 2, "height": 3, "objects": 1, "newcoord": 1}, "boxnet3d": {"height": 2, "objects": 2, "obstacles": 1, "quincunx": 1, "newcoord": 1},
	} {
		opt, is, err := ParseKind(kind, params)
		if err != nil || !is {
			t.Fatal(kind, err)
		}
		opt.Count, opt.Seed = 2, 1
		var out bytes.Buffer
		if n, err := Generate(context.Background(), &out, opt); err != nil || n != 2 {
			t.Errorf("%s: %d rows, %v", kind, n, err)
		}
	}
	for _, bad := range []struct {
		kind string
		name string
		n    int
	}{{"boxnet2d", "obstacles", 1}, {"boxnet3d", "newcoord", 2}, {"boxnet2d", "newcoord", 2}, {"boxnet3d", "depth", 1}, {"boxnet3d", "quincunx", -1}} {
		if _, is, err := ParseKind(bad.kind, map[string]int{bad.name: bad.n}); !is || err == nil {
			t.Errorf("%+v: accepted", bad)
		}
	}
	for _, opt := range []map[string]int{{"width": 1}, {"objects": 0}, {"objects": 99}, {"width": 21}} {
		o, _, err := ParseKind("boxnet3d", opt)
		o.Count = 1
		if _, bad := Generate(context.Background(), new(bytes.Buffer), o); err == nil && bad == nil {
			t.Errorf("%v: generated", opt)
		}
	}
	if _, is, _ := ParseKind("travel", nil); is {
		t.Error("travel is no kind of boxnet")
	}
}
