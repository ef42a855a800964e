package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/outfile"
)

// TestExportEnds cancels exports while they write: nothing half-written stays, and the old
// file does.
func TestExportEnds(t *testing.T) {
	for _, format := range []string{"jsonl", "csv"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "space")
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for ctx.Err() == nil { // until the export has begun
				if files, _ := filepath.Glob(filepath.Join(dir, ".planproof-*")); len(files) > 0 {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		var out, diagnostics bytes.Buffer
		code := run(ctx, []string{"exhaust", "blocksworld:7-1", "--export", path, "--export-format", format}, streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &diagnostics})
		cancel()
		text, _ := os.ReadFile(path)
		files, _ := os.ReadDir(dir)
		if code != exitLimit || string(text) != "old" || len(files) != 1 || out.Len() > 0 {
			t.Errorf("%s: code %d, %d files, file of %d bytes, %s%s", format, code, len(files), len(text), &out, &diagnostics)
		}
	}
}

// TestRemoveUnfinished ends the process, as it were, while a file is written.
func TestRemoveUnfinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	err := env{}.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".planproof-*")); len(files) != 1 {
			t.Errorf("files %v, want a temporary one", files)
		}
		outfile.RemoveUnfinished()
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 0 {
			t.Errorf("%v is left", files)
		}
		return err
	})
	if err == nil {
		t.Error("the file was written all the same")
	}
}
