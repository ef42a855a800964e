package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"planproof/internal/rowjson"
)

// maxRowBytes is the longest row of JSON Lines that is read.
const maxRowBytes = 64 << 20

// rowJob is a row on its way.
type rowJob struct {
	line   []byte
	number int // from 1, blank lines left out
	answer chan []byte
}

// streamRows answers rows of JSON Lines, several at a time (0 workers: one per
// processor), and writes the answers in the order of the rows, each as soon as it and
// those before it are there. An answer includes its line end. A few rows per worker are
// read ahead. The error is one of reading, writing or ctx; rows that were written are
// complete whatever it is.
func streamRows(ctx context.Context, in io.Reader, w io.Writer, workers int, answer func(line []byte, number int) []byte) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work, order := make(chan *rowJob), make(chan *rowJob, 16*workers)
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		readErr = readRows(ctx, in, order, work)
	}()
	var pool sync.WaitGroup
	for range workers {
		pool.Go(func() {
			for j := range work {
				j.answer <- answer(j.line, j.number)
			}
		})
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		if len(order) == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		var j *rowJob
		var text []byte
		select {
		case j = <-order:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), out.Flush())
		}
		if j == nil { // all is read
			pool.Wait()
			return errors.Join(readErr, out.Flush())
		}
		select {
		case text = <-j.answer:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), out.Flush())
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
}

// readRows hands the rows that are not blank to both channels.
func readRows(ctx context.Context, in io.Reader, order, work chan<- *rowJob) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), maxRowBytes)
	number := 0
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte(rowjson.BOM))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		number++
		j := &rowJob{line: bytes.Clone(line), number: number, answer: make(chan []byte, 1)}
		for _, ch := range []chan<- *rowJob{order, work} {
			select {
			case ch <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return rowjson.Reading(lines.Err(), maxRowBytes)
}
