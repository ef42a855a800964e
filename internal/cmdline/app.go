package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/planproof/planproof/internal/rowjson"

	"github.com/urfave/cli/v2"
)

// Exit codes: the contract of every command.
const (
	ExitYes   = 0 // done; the answer is yes
	ExitNo    = 1 // done; the answer is no
	ExitBad   = 2 // the input or the command line is bad: nothing was answered
	ExitLimit = 3 // a limit ended it before an answer
)

// ExitCode is the error by which a command that has said all it has to say sets the exit
// code.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Exit returns nil for ExitYes and an ExitCode otherwise.
func Exit(code int) error {
	if code == ExitYes {
		return nil
	}
	return ExitCode(code)
}

// Streams are the three standard streams, so that tests run commands in process.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// NewApp makes a program of commands, in the order of its help.
func NewApp(name, usage, description, version string, commands []*cli.Command, s Streams) *cli.App {
	return &cli.App{
		Name: name, Usage: usage, Description: description, Version: version, Commands: commands,
		Writer: s.Stdout, ErrWriter: s.Stderr,
		// One value may hold commas.
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // Run decides
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownCommand(c.App.Commands, "there is no command %q; `"+name+" help` lists them", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
}

// Run executes one command line and returns its exit code. It never panics: an internal
// error answers nothing and says so. newApp gets the first word of the line, "" if there is
// none: where that is the name of a command, the program need not have others.
func Run(ctx context.Context, args []string, s Streams, newApp func(s Streams, first string) *cli.App) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(s.Stderr, "planproof: internal error (please report it): %v\n%s", r, debug.Stack())
			code = ExitBad
		}
	}()
	out := &Output{W: s.Stdout}
	s.Stdout = out
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	app := newApp(s, first)
	if len(args) > 0 && args[0] == CompletionWord {
		words := args[1:]
		args, app.Action = nil, func(*cli.Context) error { return writeCandidates(s.Stdout, app, words) }
	}
	line, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, line...))
	}
	if out.Err != nil && !errors.Is(err, out.Err) {
		err = fmt.Errorf("cannot write the answer: %w", out.Err)
	}
	var exit ExitCode
	var crashed *crash
	switch {
	case err == nil:
		return ExitYes
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &crashed):
		fmt.Fprintf(s.Stderr, "planproof: %v", crashed)
		return ExitBad
	}
	text := message(err)
	if faults := (*rowjson.Faults)(nil); errors.As(err, &faults) {
		text = faults.Error()
		fmt.Fprintln(s.Stderr, text) // begins with the place
	} else {
		fmt.Fprintf(s.Stderr, "planproof: %s\n", text)
	}
	if slices.Contains(args, "--json") {
		// Programs read standard output: they too need to know that nothing was answered.
		_ = rowjson.WriteLine(s.Stdout, map[string]string{"error": text})
	}
	return ExitBad
}
