package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An export that is interrupted while it writes leaves nothing behind, and what was there
// stays as it was.
func TestInterruptedExportLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	var out, errs bytes.Buffer
	export := func(ctx context.Context, args ...string) int {
		out.Reset()
		errs.Reset()
		return run(ctx, append([]string{"export", "-o", data}, args...), streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	}
	if code := export(context.Background(), "blocksworld:3-1..5"); code != exitYes {
		t.Fatalf("code %d: %s", code, &errs)
	}
	before, err := os.ReadFile(filepath.Join(data, "train.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	writing := make(chan bool, 1)
	go func() {
		for range time.Tick(time.Millisecond) {
			found, _ := filepath.Glob(filepath.Join(dir, ".planproof-*", "train.jsonl"))
			if len(found) > 0 || ctx.Err() != nil {
				writing <- len(found) > 0
				cancel()
				return
			}
		}
	}()
	code := export(ctx, "--exhaustive", "blocksworld=4", "--force")
	cancel()
	if !<-writing {
		t.Fatal("it was not seen writing")
	}
	if code != exitLimit || !strings.Contains(errs.String(), "interrupted: nothing was written") {
		t.Errorf("code %d: %s", code, &errs)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	if after, err := os.ReadFile(filepath.Join(data, "train.jsonl")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("what was there has changed: %v", err)
	}
}
