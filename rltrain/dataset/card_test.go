package dataset

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// TestCards: the card of a data set in formats of both kinds, and that of each format's
// folder. rltrain/python/contract/test_datasets.py loads all formats by their cards.
func TestCards(t *testing.T) {
	set := prepare(t, Options{
		Settings: Settings{Dedup: DedupNone, Names: "letters", Style: "compact", Split: Ratio{60, 20, 0, 20}},
		Sources:  []Source{Sample(exhaust(t, 3, false), 20, 7)},
	})
	dir := t.TempDir()
	var formats []Format
	for _, name := range []string{"verl", "trl-prm-parquet", "jsonl", "trl-prm"} {
		f, err := FindFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		formats = append(formats, f)
	}
	if err := set.Write(context.Background(), dir, formats); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if !set.Manifest().isPart(filepath.ToSlash(name)) {
			t.Errorf("%s is no part of the data set", name)
		}
		if d.Name() != CardName {
			return nil
		}
		text, err := os.ReadFile(path)
		all.WriteString("=== " + filepath.ToSlash(name) + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "cards.txt", []byte(all.String()))
	for _, name := range []string{"other.md", "notes/README.md", "verl/notes.md", "verl/x/README.md"} {
		if set.Manifest().isPart(name) {
			t.Errorf("%s is a part of the data set", name)
		}
	}
}

// TestCardTypes: every column of every format has a type that a card can name.
func TestCardTypes(t *testing.T) {
	var check func(name string, typ reflect.Type)
	check = func(name string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Struct:
			for _, f := range reflect.VisibleFields(typ) {
				if f.IsExported() && !f.Anonymous {
					if f.Tag.Get("json") == "" {
						t.Errorf("%s.%s has no name in a card", name, f.Name)
					}
					check(name+"."+f.Name, f.Type)
				}
			}
		case reflect.Slice:
			check(name, typ.Elem())
		default:
			if dtypes[typ.Kind()] == "" {
				t.Errorf("%s is a %s, which a card cannot name", name, typ)
			}
		}
	}
	for _, f := range Formats() {
		for _, text := range []bool{false, true} {
			w, err := f.New(&strings.Builder{}, Train, &Manifest{Trainers: &TrainerOptions{Text: text, AgentName: "x"}})
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := w.(Columned); ok {
				check(f.Name, c.Columns())
			} else {
				t.Errorf("%s does not say what its columns are", f.Name)
			}
		}
	}
}

func TestSizeCategory(t *testing.T) {
	for rows, want := range map[int]string{0: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 9999: "1K<n<10K", 10_000: "10K<n<100K", 20_000_000: "10M<n<100M"} {
		if got := sizeCategory(rows); got != want {
			t.Errorf("%d rows: %s, not %s", rows, got, want)
		}
	}
}
