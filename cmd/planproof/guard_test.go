package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

// guardedRun runs an action as a command with --time and --memory.
func guardedRun(t *testing.T, ctx context.Context, args string, action func(env) error) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := groundCommand
	c.action = action
	app := &cli.App{Commands: []*cli.Command{c.command().Build(streams{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}, helpTexts, sharedFlags())}, ExitErrHandler: func(*cli.Context, error) {}}
	err = app.RunContext(ctx, append([]string{"planproof", "ground"}, strings.Fields(args)...))
	return stdout.String(), stderr.String(), err
}

// codeOf is the exit code that an error sets, -1 for another error.
func codeOf(err error) int {
	code := cmdline.ExitCode(-1)
	errors.As(err, &code)
	return int(code)
}

// TestGuard has actions that look at no limit.
func TestGuard(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	hang := func(e env) error {
		<-release
		fmt.Fprintln(e.Stdout, "too late")
		return nil
	}
	start := time.Now()
	out, errs, err := guardedRun(t, context.Background(), "--time 100ms --json", hang)
	if codeOf(err) != exitLimit || out != `{"error":"the time limit of 100ms came first","status":"timeout"}`+"\n" || errs != "planproof: the time limit of 100ms came first\n" {
		t.Errorf("time: %v, %q, %q", err, out, errs)
	}
	if took := time.Since(start); took < 100*time.Millisecond+cmdline.Slack || took > 5*time.Second {
		t.Errorf("time: took %v", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if out, errs, err = guardedRun(t, ctx, "", hang); codeOf(err) != exitLimit || out != "" || errs != "planproof: interrupted before an answer\n" {
		t.Errorf("interrupted: %v, %q, %q", err, out, errs)
	}
	var held [][]byte
	debug.FreeOSMemory() // what other tests have left does not count
	_, errs, err = guardedRun(t, context.Background(), "--memory 64MB", func(env) error {
		for range 4096 {
			held = append(held, bytes.Repeat([]byte{1}, 1<<20))
			time.Sleep(time.Millisecond)
			if len(held) > 256 {
				break
			}
		}
		return nil
	})
	if codeOf(err) != exitLimit || errs != "planproof: more memory than --memory 64MB would be needed\n" {
		t.Errorf("memory: %v, %q", err, errs)
	}
}

// TestGuardLetsAnswersThrough: an answer that is being printed is not cut off, what ends in
// time is not touched, and a panic goes on as it is.
func TestGuardLetsAnswersThrough(t *testing.T) {
	out, errs, err := guardedRun(t, context.Background(), "--time 50ms", func(e env) error {
		for i := range 10 {
			fmt.Fprintln(e.Stdout, i)
			time.Sleep(60 * time.Millisecond)
		}
		return nil
	})
	if err != nil || out != "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" || errs != "" {
		t.Errorf("slow answer: %v, %q, %q", err, out, errs)
	}
	out, _, err = guardedRun(t, context.Background(), "--time 50ms", func(e env) error {
		<-e.Context.Context.Done() // at the limit, and some time after it
		time.Sleep(cmdline.Slack / 4)
		return e.Limited("timeout", "own words")
	})
	if codeOf(err) != exitLimit || out != "" {
		t.Errorf("own end: %v, %q", err, out)
	}
	out, _, err = guardedRun(t, context.Background(), "--json", func(env) error { return fmt.Errorf("judging: %w", search.ErrLimit) })
	if codeOf(err) != exitLimit || out != `{"error":"judging: a limit came first","status":"limit"}`+"\n" {
		t.Errorf("limit passed on: %v, %q", err, out)
	}
	_, _, err = guardedRun(t, context.Background(), "", func(env) error { panic("planted") })
	if err == nil || !strings.HasPrefix(err.Error(), "internal error (please report it): planted\n") || !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("panic: %v", err)
	}
}
