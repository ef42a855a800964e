package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// filled makes a closed store of some rows and returns its path and what it answers.
func filled(t *testing.T) (path string, rows map[Key]*Record) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "truth.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, blocks(t, 4, 15), FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Version: "test"})
	rows = map[Key]*Record{}
	if err := s.Each(context.Background(), Filter{}, func(r *Record) error { rows[r.Key] = r; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, rows
}

// TestFlippedBytes: a store in which a byte was changed gives an error, does not know the
// row, or gives the true answer; never another one. Where a look-up or a listing notices
// nothing but the check does, the check says so.
func TestFlippedBytes(t *testing.T) {
	path, rows := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	intact, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	want := export(t, intact, ExportOptions{Texts: true, Times: true})
	intact.Close()
	flips := 60
	if testing.Short() {
		flips = 20
	}
	random := rand.New(rand.NewPCG(5, 6))
	noticed, checked := 0, 0
	for range flips {
		at := random.IntN(len(whole))
		bad := bytes.Clone(whole)
		bad[at] ^= 1 << random.IntN(8)
		copied := writeFile(t, filepath.Join(t.TempDir(), "truth.db"), bad)
		s, err := OpenReadOnly(copied)
		if err != nil {
			noticed++
			continue
		}
		wrong := false
		for key, want := range rows {
			got, found, err := s.Lookup(key)
			switch {
			case err != nil || !found:
				wrong = true
			case got.Status != want.Status || got.Cost != want.Cost || strings.Join(got.Plan, " ") != strings.Join(want.Plan, " "):
				t.Errorf("byte %d: %s has become %+v", at, key, got)
			}
		}
		var names []string
		err = s.Each(context.Background(), Filter{}, func(r *Record) error { names = append(names, r.Names...); return nil })
		if err == nil {
			for _, name := range names {
				if !strings.HasPrefix(name, "blocksworld:4-") {
					t.Errorf("byte %d: a row has the name %q", at, name)
				}
			}
		}
		report, err := s.Check(context.Background(), CheckOptions{})
		sound := err == nil && report.Sound()
		if wrong && sound {
			t.Errorf("byte %d: a row is lost and the check finds nothing", at)
		}
		if wrong {
			noticed++
		} else if !sound {
			checked++
		} else if export(t, s, ExportOptions{Texts: true, Times: true}) != want {
			t.Errorf("byte %d: the rows differ and nothing notices", at)
		}
		s.Close()
	}
	t.Logf("%d flips: %d noticed by look-ups, %d more by the check, the rest in space that holds nothing", flips, noticed, checked)
	if noticed+checked < flips/3 {
		t.Error("too few flips are noticed for this test to mean anything")
	}
}

// TestTruncated: a store that was cut gives errors, not answers about what is gone.
func TestTruncated(t *testing.T) {
	path, rows := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 50, 100, 512, 4096, 5000, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		copied := writeFile(t, filepath.Join(t.TempDir(), "truth.db"), whole[:size])
		s, err := OpenReadOnly(copied)
		if err != nil {
			if size > 4096 && !errors.Is(err, ErrDamaged) {
				t.Errorf("cut to %d: %v", size, err)
			}
			continue
		}
		failed := false
		for key, want := range rows {
			got, found, err := s.Lookup(key)
			if failed = failed || err != nil; err == nil && found && got.Cost != want.Cost {
				t.Errorf("cut to %d: cost %s, want %s", size, got.Cost, want.Cost)
			}
		}
		report, err := s.Check(context.Background(), CheckOptions{})
		if err == nil && report.Sound() {
			t.Errorf("cut to %d: the check finds nothing", size)
		}
		s.Close()
	}
}

// TestCutZeros: a file that ends with zeros, one of them cut off, reads as before.
func TestCutZeros(t *testing.T) {
	path, _ := filled(t)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{"CREATE TABLE zeros (a)", "INSERT INTO zeros VALUES (zeroblob(100000))"} {
		if _, err := db.Exec(stmt); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if whole[len(whole)-1] != 0 {
		t.Fatal("the file does not end with a zero: this test shows nothing")
	}
	for cut, want := range []bool{true, false} {
		s, err := OpenReadOnly(writeFile(t, filepath.Join(t.TempDir(), "truth.db"), whole[:len(whole)-cut]))
		if err != nil {
			t.Fatal(err)
		}
		report, err := s.Check(context.Background(), CheckOptions{})
		if err != nil || report.Sound() != want {
			t.Errorf("%d bytes cut: %v, %v", cut, report, err)
		}
		s.Close()
	}
}

// TestNotAStore: other files are refused, by name, and left as they are.
func TestNotAStore(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	run := func(path string, stmts ...string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, stmt := range stmts {
			if _, err := db.Exec(stmt); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(foreign, "CREATE TABLE truth (key, cost)", "INSERT INTO truth VALUES ('a', 'b')")
	future := filepath.Join(dir, "future.db")
	s, err := Open(future)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	run(future, "PRAGMA user_version = 2")
	odd := filepath.Join(dir, "odd.db")
	if s, err = Open(odd); err != nil {
		t.Fatal(err)
	}
	s.Close()
	run(odd, "PRAGMA user_version = 0")
	for path, want := range map[string]error{
		writeFile(t, filepath.Join(dir, "text.db"), []byte("(define (domain d) ... and more than sixteen bytes")): ErrNotAStore,
		writeFile(t, filepath.Join(dir, "short.db"), []byte("SQLite")):                                            ErrNotAStore,
		foreign: ErrNotAStore,
		future:  ErrVersion,
		odd:     ErrDamaged,
		dir:     ErrNotAStore,
	} {
		before, _ := os.ReadFile(path)
		for name, open := range map[string]func(string) (*Store, error){"Open": Open, "OpenReadOnly": OpenReadOnly} {
			if s, err := open(path); !errors.Is(err, want) {
				t.Errorf("%s(%s): %v, want %v", name, filepath.Base(path), err, want)
				if err == nil {
					s.Close()
				}
			} else if !strings.Contains(err.Error(), path) {
				t.Errorf("%s does not name the file: %v", name, err)
			}
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
	}
	if _, err := OpenReadOnly(filepath.Join(dir, "absent.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); err == nil {
		t.Error("OpenReadOnly has made a file")
	}
	partial := filepath.Join(dir, "partial.db")
	if s, err = Open(partial); err != nil {
		t.Fatal(err)
	}
	s.Close()
	run(partial, "DROP TABLE name")
	if s, err = OpenReadOnly(partial); err != nil {
		t.Fatal(err)
	}
	if err := s.Each(context.Background(), Filter{}, func(*Record) error { return nil }); !errors.Is(err, ErrDamaged) {
		t.Errorf("without a table: %v", err)
	}
	s.Close()
	if _, err := OpenReadOnly(writeFile(t, filepath.Join(dir, "empty.db"), nil)); !errors.Is(err, ErrNotAStore) {
		t.Errorf("empty: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "no", "such", "folder.db")); err == nil {
		t.Error("opened in a folder that is not there")
	}
	if _, err := Open(""); err == nil {
		t.Error("opened without a name")
	}
}

// TestOddFileNames: the name of a store is a path and nothing else.
func TestOddFileNames(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory.db", "a%20b.db", "a#b.db", "ä;&=.db", ":memory:"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := Open(path)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		s.Close()
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestReadOnlyStore: what is opened for reading cannot be written, and a store on a
// medium that cannot be written can be read.
func TestReadOnlyStore(t *testing.T) {
	path, rows := filled(t)
	s, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Put(context.Background(), nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
	if _, err := s.db.Exec("DELETE FROM truth"); err == nil {
		t.Error("the database can be written")
	}
	if len(rows) != 30 {
		t.Errorf("%d rows", len(rows))
	}
	if os.Geteuid() != 0 {
		dir := readOnlyFolder(t, path)
		r, err := OpenReadOnly(filepath.Join(dir, "truth.db"))
		if err != nil {
			t.Fatal(err)
		}
		mustSound(t, r)
		r.Close()
		if _, err := Open(filepath.Join(dir, "new.db")); err == nil {
			t.Error("made in a folder that is read-only")
		}
		return
	}
	// The superuser may write everywhere: run the same test as somebody else.
	self := filepath.Join(t.TempDir(), "store.test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(self, data, 0o755); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, dir := range []string{home, filepath.Dir(self), filepath.Dir(home)} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(self, "-test.run", "^TestReadOnlyStore$", "-test.v")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

func readOnlyFolder(t *testing.T, path string) string {
	t.Helper()
	dir := filepath.Dir(path)
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Remove(path + suffix)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	return dir
}

// TestFullDisk: a fill that can write no more says so and keeps what was finished; with
// room again it goes on.
func TestFullDisk(t *testing.T) {
	want := newStore(t)
	fill(t, want, killInputs(t, 40), FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Version: "test"})
	path := filepath.Join(t.TempDir(), "truth.db")
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	// 96 blocks of 1024 bytes: enough for the files to be opened, not for the rows.
	cmd := exec.Command("sh", "-c", `ulimit -f 96 && exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+path, childTasks+"=40", childDir+"=")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("%v\n%s", err, out)
	}
	reported := 0
	for _, line := range strings.Fields(string(out)) {
		if n, err := strconv.Atoi(line); err == nil {
			reported = max(reported, n)
		}
	}
	s, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(export(t, s, ExportOptions{}), "\n"); got < reported {
		t.Errorf("%d rows were reported, %d are there", reported, got)
	}
	mustSound(t, s)
	s.Close()
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s, killInputs(t, 40), FillOptions{Schedules: schedules(t, "", "put-down=20,*=1"), Version: "test"})
	if export(t, s, ExportOptions{Texts: true}) != export(t, want, ExportOptions{Texts: true}) {
		t.Error("the rows differ from those of an undisturbed fill")
	}
}
