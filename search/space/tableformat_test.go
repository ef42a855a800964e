package space

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/planproof/planproof/search"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
)

func TestTableFile(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		if rapid.Bool().Draw(t, "large") {
			for o := range task.Operators.Len() {
				task.Operators.SetCost(o, task.Operators.Cost(o)<<40)
			}
		}
		tab, err := Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "t.table")
		if err := tab.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := LoadTable(path, task)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.States, got.Edges, got.PerDepth, got.GoalStates, got.DeadEnds, got.OptimalPlans) !=
			fmt.Sprint(tab.States, tab.Edges, tab.PerDepth, tab.GoalStates, tab.DeadEnds, tab.OptimalPlans) {
			t.Fatalf("%+v became %+v", tab, got)
		}
		tab.EachState(func(s State, d Distance) {
			if x, ok := got.Distance(s); !ok || x != d {
				t.Fatalf("state %v: %+v became %+v", s, d, x)
			}
		})
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadTable(path, task); err == nil {
			t.Fatal("a table cut short was read")
		}
		data[cut] ^= byte(rapid.IntRange(1, 255).Draw(t, "damage"))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadTable(path, task); err == nil {
			t.Fatal("a damaged table was read")
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestTableOfAnotherTask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.table")
	task := tasktest.Counter(3, 1)
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, other := range []*grounder.Task{tasktest.Counter(4, 1), tasktest.Counter(3, 2)} {
		if _, err := LoadTable(path, other); !errors.Is(err, ErrOtherTask) {
			t.Errorf("%v, want ErrOtherTask", err)
		}
	}
	if err := tab.Save(filepath.Join(path, "below-a-file")); err == nil || strings.Contains(err.Error(), ".tmp") {
		t.Error("saved below a file")
	}
	if _, err := LoadTable(filepath.Join(t.TempDir(), "absent"), task); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want not exist", err)
	}
}

// savedTable saves the table of a task and returns its bytes.
func savedTable(tb testing.TB, task *grounder.Task) (path string, data []byte) {
	tb.Helper()
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	path = filepath.Join(tb.TempDir(), "t.table")
	if err := tab.Save(path); err != nil {
		tb.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		tb.Fatal(err)
	}
	return path, data
}

// TestTableDamage flips a bit of every byte of a small file, and bytes all over one of
// several blocks that is mapped; cuts and lengthens them; and repairs the sums over a
// header that lies.
func TestTableDamage(t *testing.T) {
	small, large := tasktest.Counter(4, 1), tasktest.Counter(16, 1)
	for _, c := range []struct {
		task *grounder.Task
		step int
	}{{small, 1}, {large, 37_003}} {
		path, data := savedTable(t, c.task)
		refused := func(what string, data []byte) {
			t.Helper()
			// Replaced, not rewritten: an open table may map the old file.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := LoadTable(path, c.task); err == nil {
				t.Errorf("%s: loaded", what)
			}
		}
		for at := 0; at < len(data); at += c.step {
			bad := append([]byte(nil), data...)
			bad[at] ^= 1 << (at % 8)
			refused(fmt.Sprintf("byte %d of %d", at, len(data)), bad)
		}
		for _, cut := range []int{0, 1, 8, tableFixed, len(data) / 2 &^ 7, len(data) - 8, len(data) - 1} {
			refused(fmt.Sprintf("cut at %d", cut), data[:cut])
		}
		refused("longer", append(append([]byte(nil), data...), make([]byte, 8)...))
	}
	path, data := savedTable(t, small)
	for word := 5; word < 15; word++ {
		for _, x := range []uint64{0, 1, 1 << 20, 1 << 32, 1<<61 + 5, 1<<64 - 1} {
			bad := resummed(data, func(b []byte) { binary.LittleEndian.PutUint64(b[8*word:], x) })
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			tab, err := LoadTable(path, small)
			if err != nil || word >= 7 && word <= 10 { // figures that no length depends on
				continue
			}
			if same := binary.LittleEndian.Uint64(data[8*word:]) == x; !same {
				t.Errorf("header word %d is %d: loaded %d states", word, x, tab.States)
			}
		}
	}
	old := append([]byte("PPTABLE1"), data[8:]...)
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadTable(path, small); !errors.Is(err, errOtherVersion) {
		t.Errorf("%v, want %v", err, errOtherVersion)
	}
}

// resummed changes the bytes of a table and makes its sums right again.
func resummed(data []byte, change func([]byte)) []byte {
	blocks := (len(data) - 8 + tableBlock + 7) / (tableBlock + 8)
	body := append([]byte(nil), data[:len(data)-8-8*blocks]...)
	change(body)
	sums := &blockSums{}
	sums.Write(body)
	all := sums.all()
	return binary.LittleEndian.AppendUint64(append(body, all...), xxhash.Sum64(all))
}

// resum is resummed for bytes that need not be a table.
func resum(data []byte) []byte {
	if len(data) < 16 {
		return data
	}
	return resummed(data[:len(data)&^7], func([]byte) {})
}

// TestMappedTable looks every state up in a file of several blocks from several
// goroutines, and lets tables go while others are in use.
func TestMappedTable(t *testing.T) {
	task := tasktest.Counter(16, 1)
	path, data := savedTable(t, task)
	if len(data) < tableBlock+mapFrom {
		t.Fatalf("the file has %d bytes: too small to test mapping", len(data))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			tab, err := LoadTable(path, task)
			if err != nil {
				t.Error(err)
				return
			}
			if tab.Bytes() > 1<<16 {
				t.Errorf("%d bytes on the heap", tab.Bytes())
			}
			values := make([]int32, 16)
			for n := range 1 << 16 {
				for v := range values {
					values[v] = int32(n >> v & 1)
				}
				if st, err := tab.Pack(values); err != nil {
					t.Error(err)
				} else if d, ok := tab.Distance(st); !ok || d.Cost != int64(1<<16-1-n) {
					t.Errorf("state %d: %+v", n, d)
					return
				}
				if n&0xfff == 0 {
					runtime.GC()
				}
			}
		}()
	}
	wg.Wait()
}

// FuzzLoadTable feeds damaged files; it must not panic or take much memory.
func FuzzLoadTable(f *testing.F) {
	task := tasktest.Counter(3, 1)
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "t.table")
	if err := tab.Save(path); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(tableMagic))
	f.Add(resummed(data, func(b []byte) { clear(b[tableFixed:]) }))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "t.table")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, content := range [][]byte{data, resum(data)} { // with sums that agree, too
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := LoadTable(path, task); err == nil {
				got.EachState(func(s State, _ Distance) { got.Distance(s) })
			}
		}
	})
}
