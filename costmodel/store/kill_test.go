package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killInputs are tasks that take long enough together to be killed among them.
func killInputs(tb testing.TB, n int) []Input {
	return append(blocks(tb, 4, n/2), blocks(tb, 5, n/2)...)
}

// TestKill kills a process that fills a store again and again, at random moments. After
// each kill every row that had been reported as finished is there, every row that is
// there is a row of an uninterrupted fill, and the database is sound; the fill that is
// let through in the end leaves the same content as one that was never disturbed.
// PLANPROOF_KILLS=50 is the full number.
func TestKill(t *testing.T) {
	kills, tasks := 4, 50
	if testing.Short() {
		kills = 1
	}
	if env := os.Getenv("PLANPROOF_KILLS"); env != "" {
		var err error
		if kills, err = strconv.Atoi(env); err != nil {
			t.Fatal(err)
		}
	}
	reference := newStore(t)
	start := time.Now()
	tables := filepath.Join(filepath.Dir(reference.path), "tables")
	fill(t, reference, killInputs(t, tasks), FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Jobs: 1, Tables: tables, Version: "test"})
	length := time.Since(start)
	want := export(t, reference, ExportOptions{Texts: true})
	wanted := map[string]bool{}
	for _, row := range strings.SplitAfter(want, "\n") {
		wanted[row] = true
	}
	random := rand.New(rand.NewPCG(uint64(kills), 7))
	path, amid, round := "", 0, 0
	n := 0
	for ; amid < kills; n++ { // kills before the first row and after the last one do not count
		if n > 20*kills {
			t.Fatalf("only %d of %d kills came amid the rows", amid, n)
		}
		if path == "" {
			round++
			path = filepath.Join(t.TempDir(), fmt.Sprintf("round%d", round), "truth.db")
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		reported, done := killedFill(t, path, tasks, time.Duration(random.Int64N(int64(length)/2)))
		if _, err := os.Stat(path); err != nil {
			continue // killed before it had made the file
		}
		found := checkAfterKill(t, path, reported, wanted, n)
		if found > 0 && found < len(wanted)-1 {
			amid++
		}
		if done || amid == kills {
			if _, done = killedFill(t, path, tasks, time.Minute); !done {
				t.Fatal("the last fill did not end")
			}
			last, err := OpenReadOnly(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := export(t, last, ExportOptions{Texts: true}); got != want {
				t.Errorf("after %d kills the store differs from that of an undisturbed fill", n+1)
			}
			mustSound(t, last)
			last.Close()
			path = ""
		}
	}
	t.Logf("%d kills, %d of them amid the rows, %d stores; a fill takes %v", n, amid, round, length)
}

// killedFill runs a fill and kills it after a time. It returns the rows reported as
// finished, and whether the fill ended by itself.
func killedFill(t *testing.T, path string, tasks int, after time.Duration) (reported int, done bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+path, childTasks+"="+strconv.Itoa(tasks), childDir+"="+filepath.Join(filepath.Dir(path), "tables"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			reported = n
		}
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	if err != nil && !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the fill failed by itself: %v\n%s", err, &stderr)
	}
	return reported, err == nil
}

// checkAfterKill counts the rows of a store whose filler was killed. A row comes with its
// name and its table, so that each is as it will be in the end, or absent.
func checkAfterKill(t *testing.T, path string, reported int, wanted map[string]bool, n int) int {
	t.Helper()
	s, err := OpenReadOnly(path)
	if err != nil {
		if strings.Contains(err.Error(), "empty") && reported == 0 {
			return 0 // killed before the tables were made
		}
		t.Fatalf("kill %d: %v", n, err)
	}
	defer s.Close()
	rows := 0
	for _, row := range strings.SplitAfter(export(t, s, ExportOptions{Texts: true}), "\n") {
		if row == "" {
			continue
		}
		rows++
		if !wanted[row] {
			t.Fatalf("kill %d: a row that no undisturbed fill has:\n%s", n, row)
		}
	}
	if rows < reported {
		t.Fatalf("kill %d: %d rows were reported as finished, %d are there", n, reported, rows)
	}
	report, err := s.Check(context.Background(), CheckOptions{})
	if err != nil || !report.Sound() {
		t.Fatalf("kill %d: %v, %v", n, err, report)
	}
	return rows
}
