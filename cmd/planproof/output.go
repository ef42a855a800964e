package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/progress"
	"github.com/planproof/planproof/rltrain/rows"
)

// printJSON writes v as one line of JSON. HTML escaping is off: plans and formulas
// contain < and >.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// print prints v as JSON with --json, and by text otherwise.
func (e env) print(v any, text func(io.Writer) error) error {
	if e.Bool("json") {
		return printJSON(e.out, v)
	}
	return text(e.out)
}

// printRows prints rows as JSON Lines.
func printRows[T any](w io.Writer, rows []T) error {
	for i := range rows {
		if err := printJSON(w, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// rows returns where rows of verdicts and scores go: readable lines, or as they are with --json.
func (e env) rows() io.Writer {
	if e.Bool("json") {
		return e.out
	}
	return rows.Readable(e.out)
}

// stream has do answer the rows of an input, counts them and says when a signal has ended it.
func (e env) stream(name string, out io.Writer, do func(in io.Reader, out io.Writer) error) error {
	in, err := e.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	bar := e.rowProgress()
	err = do(in, bar.Count(out))
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted: the rows printed so far are complete")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return e.limited("timeout", "the time limit of "+e.String("time")+" came first: the rows printed so far are complete")
	}
	return err
}

// draw writes a chart to --svg, if that is given.
func (e env) draw(chart func(io.Writer) error) error {
	if e.String("svg") == "" {
		return nil
	}
	return e.writeFile(e.String("svg"), chart)
}

// writeFile replaces path by what write produces, or leaves it as it was.
func (e env) writeFile(path string, write func(io.Writer) error) error {
	return outfile.Write(path, outfile.Std{Out: e.out, Err: e.err}, write)
}

// writeText is writeFile of a text.
func (e env) writeText(path, text string) error {
	return e.writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// outputs refuses outputs, by the names of their flags, that would overwrite each other or
// an input, or be mixed.
func (e env) outputs(names ...string) error {
	var list []outfile.Output
	for _, name := range names {
		if e.String(name) == "" && e.IsSet(name) {
			return fmt.Errorf("--%s: the name of the file is empty", name)
		}
		list = append(list, outfile.Output{Flag: "--" + name, Path: e.String(name)})
	}
	stdout := ""
	if e.Bool("json") {
		stdout = "--json"
	}
	return outfile.Distinct(list, stdout, e.Args().Slice()...)
}

// unreadable reports one of several inputs that cannot be read.
func (e env) unreadable(name string, err error) error {
	fmt.Fprintf(e.err, "planproof: %v\n", err)
	if !e.Bool("json") {
		return nil
	}
	return printJSON(e.out, map[string]string{"id": name, "error": err.Error()})
}

// removeStale is called before the work, and what it returns after it: files of the given
// flags that are still the older ones are removed, since a reader would take them for the
// answer. With --keep-old they stay; both is said on standard error.
func (e env) removeStale(flags ...string) (after func()) {
	for _, flag := range flags {
		e.stale.Add(e.String(flag))
	}
	return e.removeOlder
}

func (e env) removeOlder() { e.stale.Remove(e.Bool("keep-old"), e.tell) }

// rowProgress counts rows that are printed. Rows on a terminal are progress enough.
func (e env) rowProgress() *progress.Line {
	if !cmdline.IsTerminal(e.err) || cmdline.IsTerminal(e.out) {
		return nil
	}
	return progress.New(e.err, "rows", 0)
}

// countProgress shows how many of a number of things are done; total 0: nobody knows.
func (e env) countProgress(total int, what string) *progress.Line {
	if !cmdline.IsTerminal(e.err) || e.Bool("json") {
		return nil
	}
	return progress.New(e.err, what, total)
}

// liveLine shows in words how far work is.
func (e env) liveLine() *progress.Line { return e.countProgress(0, "") }

// rowGarbage is the percentage for rows: docs/decisions/serving.md.
const rowGarbage = 200
