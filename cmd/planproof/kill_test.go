package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/mockserver"
)

// TestKilledRunResumes kills an evaluation again and again, with a signal that nothing can
// catch, until it is through: rows and summary are those of a run in peace, and no answer
// was asked for twice but those in flight at a kill.
func TestKilledRunResumes(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := mockserver.New(mockserver.Options{Flavour: mockserver.VLLM, Answer: func(string, int) string {
		time.Sleep(15 * time.Millisecond)
		return "[PLAN]\n(pick-up a)\n[PLAN END]\n"
	}})
	defer s.Close()
	dir := t.TempDir()
	start := func(record, rows string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.Command(self)
		// TestMain looks at the name that the test binary is called by.
		cmd.Args = []string{"planproof", "eval", "blocksworld:3-1..8", "--model", "mock", "--base-url", s.BaseURL(), "--method", "pddl",
			"--samples", "4", "--k", "1,4", "--temperature", "1", "--parallel", "3", "--transcript", record, "--rows", rows, "--json"}
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	peace, want := start(filepath.Join(dir, "peace.jsonl"), filepath.Join(dir, "peace.rows"))
	if err := peace.Wait(); err != nil {
		t.Fatal(err)
	}
	perRun := len(s.Requests())
	record, rows := filepath.Join(dir, "killed.jsonl"), filepath.Join(dir, "killed.rows")
	kills := 0
	for {
		before, _ := os.ReadFile(record)
		cmd, out := start(record, rows)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		killed := false
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case err = <-ended:
				tick.Stop()
			case <-tick.C:
				now, _ := os.ReadFile(record)
				if !killed && bytes.Count(now, []byte("\n")) >= bytes.Count(before, []byte("\n"))+6 {
					killed = true
					_ = cmd.Process.Signal(syscall.SIGKILL)
				}
				continue
			}
			break
		}
		if killed && err != nil {
			if kills++; kills > 20 {
				t.Fatal("no end")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want.Bytes()) {
			t.Errorf("after %d kills\n%s\nand in peace\n%s", kills, out, want)
		}
		break
	}
	a, err1 := os.ReadFile(filepath.Join(dir, "peace.rows"))
	b, err2 := os.ReadFile(rows)
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v; rows after %d kills\n%s\nand in peace\n%s", err, kills, b, a)
	}
	if kills == 0 {
		t.Error("nothing was killed: this test tests nothing")
	}
	lines, _ := os.ReadFile(record)
	if n := bytes.Count(lines, []byte("\n")); n != 32 {
		t.Errorf("%d answers are recorded, want 32", n)
	}
	const inFlight = 3
	probe := perRun - 32
	if asked := len(s.Requests()) - perRun - (kills+1)*probe; asked > 32+kills*inFlight {
		t.Errorf("%d answers were asked for after %d kills", asked, kills)
	}
	t.Logf("%d kills", kills)
}

// TestKilledEpisodes kills episodes of a model again and again, in the middle of answers: what was recorded is asked for
// once, and the last run prints what a run in peace does.
func TestKilledEpisodes(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := mockserver.New(mockserver.Options{Flavour: mockserver.VLLM, Answer: func(string, int) string {
		time.Sleep(10 * time.Millisecond)
		return "[PLAN]\n(pick-up a)\n[PLAN END]\n"
	}})
	defer s.Close()
	dir := t.TempDir()
	start := func(record string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.Command(self)
		cmd.Args = []string{"planproof", "episode", "run", "blocksworld:4-17", "--agents", "", "--episodes", "6", "--rounds", "1",
			"--model", "mock", "--base-url", s.BaseURL(), "--transcript", record, "--json"}
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	peace, want := start(filepath.Join(dir, "peace.jsonl"))
	if err := peace.Wait(); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, "killed.jsonl")
	recorded := func() int {
		text, _ := os.ReadFile(record)
		return bytes.Count(text, []byte("\n"))
	}
	kills := 0
	for {
		before := recorded()
		cmd, out := start(record)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for recorded() < before+3 && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		if err := <-ended; err != nil {
			if kills++; kills > 20 {
				t.Fatal("no end")
			}
			continue
		}
		if !bytes.Equal(out.Bytes(), want.Bytes()) {
			t.Errorf("after %d kills\n%s\nand in peace\n%s", kills, out, want)
		}
		break
	}
	if kills == 0 || recorded() != 12 {
		t.Errorf("%d kills, %d answers recorded, want 12", kills, recorded())
	}
}
