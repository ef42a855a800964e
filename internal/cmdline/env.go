package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/progress"
	"github.com/planproof/planproof/internal/rowjson"

	"github.com/urfave/cli/v2"
)

// Env is what the action of a command gets: the parsed flags and the streams.
type Env struct {
	*cli.Context
	Streams
	Began     time.Time
	stdinRead *bool // an input was "-" already
	stale     *outfile.Stale
	// Memory watches --memory of the command; nil where nothing does.
	Memory *MemoryGuard
}

// Interrupted is the status of every command that a signal has ended, whatever it was doing:
// searches and grounding know only that their time was over.
const Interrupted = "interrupted"

// Interrupted reports whether a signal has ended the command, and not the deadline of --time.
func (e Env) Interrupted() bool { return errors.Is(e.Context.Context.Err(), context.Canceled) }

// Limited reports that a limit ended the command before an answer, or a signal.
func (e Env) Limited(status, message string) error {
	if e.Interrupted() {
		if status = Interrupted; !strings.HasPrefix(message, Interrupted) {
			message = "interrupted before an answer"
		}
	}
	return e.Ended(ExitLimit, status, message)
}

// Ended reports why a command has no answer, and sets the exit code.
func (e Env) Ended(code int, status, message string) error {
	fmt.Fprintf(e.Stderr, "planproof: %s\n", message)
	if e.Bool("json") {
		if err := rowjson.WriteLine(e.Stdout, map[string]string{"status": status, "error": message}); err != nil {
			return err
		}
	}
	return Exit(code)
}

// Open opens a file for streaming, or standard input for "-", which can be read only once.
func (e Env) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		if *e.stdinRead {
			return nil, errors.New("only one input can be standard input")
		}
		*e.stdinRead = true
		return io.NopCloser(e.Stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, FolderError(name)
	}
	return f, nil
}

// Unreadable reports one of several inputs that cannot be read.
func (e Env) Unreadable(name string, err error) error {
	e.note(err)
	if !e.Bool("json") {
		return nil
	}
	return rowjson.WriteLine(e.Stdout, map[string]string{"id": name, "error": message(err)})
}

func (e Env) note(err error) { fmt.Fprintf(e.Stderr, "planproof: %s\n", message(err)) }

// Print prints v as JSON with --json, and by text otherwise.
func (e Env) Print(v any, text func(io.Writer) error) error {
	if e.Bool("json") {
		return rowjson.WriteLine(e.Stdout, v)
	}
	return text(e.Stdout)
}

// PrintLine prints v as JSON with --json, and a line of text otherwise.
func (e Env) PrintLine(v any, format string, args ...any) error {
	return e.Print(v, func(w io.Writer) error { _, err := fmt.Fprintf(w, format+"\n", args...); return err })
}

// Stream has do answer the rows of an input, counts them and says when a signal has ended it.
func (e Env) Stream(name string, out io.Writer, do func(in io.Reader, out io.Writer) error) error {
	in, err := e.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	bar := e.RowProgress()
	err = do(in, bar.Count(out))
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.Limited(Interrupted, RowsComplete)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return e.Limited("timeout", "the time limit of "+e.String("time")+" came first: the rows printed so far are complete")
	}
	return err
}

// RowsComplete is what a signal leaves behind.
const RowsComplete = "interrupted: the rows printed so far are complete"

// OrInterrupted says in the command's words that a signal has ended it; other errors stay as
// they are.
func (e Env) OrInterrupted(err error, message string) error {
	if errors.Is(err, context.Canceled) {
		return e.Limited(Interrupted, message)
	}
	return err
}

// OneFile opens the one file of rows that the command takes, and names it for errors.
func (e Env) OneFile(what string) (in io.ReadCloser, name string, err error) {
	if e.NArg() != 1 {
		return nil, "", fmt.Errorf("%s needs %s, or - for standard input", strings.TrimPrefix(e.Command.HelpName, "planproof "), what)
	}
	in, err = e.Open(e.Args().First())
	return in, InputName(e.Args().First()), err
}

// RowsExit is the outcome of rows: those that were answered with no, those that a limit left without an
// answer, and those that could not be read or judged. The worst kind sets the exit code.
func RowsExit(err error, no, limited, faults int) error {
	switch {
	case err != nil:
		return err
	case faults > 0:
		return Exit(ExitBad)
	case limited > 0:
		return Exit(ExitLimit)
	case no > 0:
		return Exit(ExitNo)
	}
	return nil
}

// Draw writes a chart to --svg, if that is given.
func (e Env) Draw(chart func(io.Writer) error) error {
	if e.String("svg") == "" {
		return nil
	}
	return e.WriteFile(e.String("svg"), chart)
}

// WriteFile replaces path by what write produces, or leaves it as it was.
func (e Env) WriteFile(path string, write func(io.Writer) error) error {
	return outfile.Write(path, outfile.Std{Out: e.Stdout, Err: e.Stderr}, write)
}

// WriteText is WriteFile of a text.
func (e Env) WriteText(path, text string) error {
	return e.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// Outputs refuses outputs, by the names of their flags, that would overwrite each other or
// an input, or be mixed.
func (e Env) Outputs(names ...string) error {
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

// RemoveStale is called before the work, and what it returns after it: files of the given
// flags that are still the older ones are removed, since a reader would take them for the
// answer. With --keep-old they stay; both is said on standard error.
func (e Env) RemoveStale(flags ...string) (after func()) {
	for _, flag := range flags {
		e.stale.Add(e.String(flag))
	}
	return e.removeOlder
}

func (e Env) removeOlder() { e.stale.Remove(e.Bool("keep-old"), e.note) }

// RowProgress counts rows that are printed. Rows on a terminal are progress enough.
func (e Env) RowProgress() *progress.Line {
	if !IsTerminal(e.Stderr) || IsTerminal(e.Stdout) {
		return nil
	}
	return progress.New(e.Stderr, "rows", 0)
}

// CountProgress shows how many of a number of things are done; total 0: nobody knows.
func (e Env) CountProgress(total int, what string) *progress.Line {
	if !IsTerminal(e.Stderr) || e.Bool("json") {
		return nil
	}
	return progress.New(e.Stderr, what, total)
}

// LiveLine shows in words how far work is.
func (e Env) LiveLine() *progress.Line { return e.CountProgress(0, "") }
