package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/planproof/planproof/internal/rowstream"
)

// maxRowBytes is the longest row of JSON Lines that is read.
const maxRowBytes = 64 << 20

// streamRows answers rows of JSON Lines, several at a time (0 workers: one per
// processor), and writes the answers in the order of the rows, each as soon as it and
// those before it are there. Rows are numbered from 1, blank lines left out. An answer
// includes its line end. The error is one of reading, writing or ctx; rows that were
// written are complete whatever it is.
func streamRows(ctx context.Context, in io.Reader, w io.Writer, workers int, answer func(row *rowstream.Line) []byte) error {
	out := bufio.NewWriterSize(w, 1<<16)
	return rowstream.Run(ctx, in, rowstream.Options{Workers: workers, MaxLine: maxRowBytes},
		func(_ context.Context, row *rowstream.Line) []byte { return answer(row) },
		func(text []byte) error {
			_, err := out.Write(text)
			return err
		}, out.Flush)
}

// collectAt collects garbage when the heap has grown by so many percent, unless the user
// says otherwise, until the function that it returns is called.
func collectAt(percent int) func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}

// rowGarbage is the percentage for rows: docs/decisions/serving.md.
const rowGarbage = 200
