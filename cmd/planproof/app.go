package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/model"

	"github.com/urfave/cli/v2"
)

var (
	version = planproof.Version() // but for tests, whose golden files outlive it
	commit  string                // set by the linker (see the Makefile)
)

// Exit codes: the contract of every command.
const (
	exitYes   = 0 // done; the answer is yes
	exitNo    = 1 // done; the answer is no
	exitBad   = 2 // the input or the command line is bad: nothing was answered
	exitLimit = 3 // a limit ended it before an answer
)

// streams are the three standard streams, so that tests run commands in process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exitCode is the error by which a command that has said all it has to say sets
// the exit code.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exit returns nil for exitYes and an exitCode otherwise.
func exit(code int) error {
	if code == exitYes {
		return nil
	}
	return exitCode(code)
}

// env is what a command's action gets: the parsed flags and the streams.
type env struct {
	*cli.Context
	streams
	stdinRead *bool // an input was "-" already
	tasks     *taskref.Rows
	opened    *[]*model.Set // to be closed
	stale     *outfile.Stale
	began     time.Time
}

// newApp lists the commands. The order is that of the work: read, ground, solve,
// judge, and then everything around language models.
func newApp(s streams) *cli.App {
	app := &cli.App{
		Name:                   "planproof",
		Usage:                  "PDDL compiler, optimal solver and plan verifier",
		Description:            help("planproof"),
		Version:                versionText(),
		Writer:                 s.out,
		ErrWriter:              s.err,
		HideHelpCommand:        false,
		UseShortOptionHandling: false,
		// A schedule is one value although it holds commas.
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // run decides
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		CommandNotFound:           nil,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return cmdline.UnknownCommand(c.App.Commands, "there is no command %q; `planproof help` lists them", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, cmd := range []command{
		checkCommand, fmtCommand, groundCommand, solveCommand, checkCertificateCommand, validateCommand, exhaustCommand,
		generateCommand, restrictCommand, costCommand, truthCommand, promptCommand, askCommand, extractCommand, grammarCommand, maskCommand, feedbackCommand, evalCommand, exportCommand, scoreCommand, oracleCommand, groupCommand, pairsCommand, benchCommand, capabilitiesCommand,
	} {
		app.Commands = append(app.Commands, cmd.build(s, ""))
	}
	return app
}

// command is one subcommand: a struct literal per file, as data.
type command struct {
	// help/NAME.txt (of a subcommand help/GROUP-NAME.txt) describes the command and its flags.
	name, usage, args string
	spec              string // the flags, see cmdline.Flags
	action            func(e env) error
	// wholeTime and wholeMemory: --time and --memory, where there are such flags, bound
	// the command as a whole and not each of its rows or searches.
	wholeTime, wholeMemory bool
	drains                 bool      // a signal lets it finish what it has begun
	subs                   []command // instead of an action: `planproof NAME SUB ...`
}

// commonFlags are on every command.
func commonFlags() []cli.Flag {
	return append(cmdline.ProfileFlags(), &cli.BoolFlag{Name: "json", Usage: "print one JSON object, or JSON Lines for many rows"})
}

// build makes the command of a group ("" for none).
func (c command) build(s streams, group string) *cli.Command {
	if c.subs != nil {
		return c.buildGroup(s)
	}
	description, usage := cmdline.ParseHelp(help(group + c.name))
	flags, err := cmdline.Flags(c.spec, usage, "", sharedFlags())
	if err != nil {
		panic(fmt.Sprintf("help/%s%s.txt: %v", group, c.name, err))
	}
	return &cli.Command{
		Name: c.name, Usage: c.usage, ArgsUsage: c.args, Description: description,
		Flags: append(flags, commonFlags()...),
		OnUsageError: func(ctx *cli.Context, err error, _ bool) error {
			return cmdline.UsageError(ctx.Command, strings.TrimPrefix(ctx.Command.HelpName, "planproof "), err)
		},
		Action: func(ctx *cli.Context) error {
			stop, err := cmdline.StartProfiles(ctx)
			if err != nil {
				return err
			}
			e := env{Context: ctx, streams: s, stdinRead: new(bool), opened: new([]*model.Set), stale: new(outfile.Stale), began: time.Now()}
			e.tasks = e.rowTasks()
			if err = e.checkFlags(c); err == nil {
				err = c.guarded(e)
			}
			return errors.Join(err, stop())
		},
	}
}

//go:embed help/*.txt
var helpFiles embed.FS

// help returns the text of help/NAME.txt: what a command does, its exit codes, examples and
// flags.
func help(name string) string {
	text, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// checkFlags refuses negative counts, and arguments of a command that takes none.
func (e env) checkFlags(c command) error {
	if c.args == "" && e.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", e.Args().First())
	}
	for _, f := range e.Command.Flags {
		name := f.Names()[0]
		switch f.(type) {
		case *cli.IntFlag, *cli.Int64Flag:
			if e.Int64(name) < 0 && e.IsSet(name) && !slices.Contains(mayBeNegative, name) {
				return fmt.Errorf("--%s must not be negative", name)
			}
		}
	}
	return nil
}

// mayBeNegative are numbers that count nothing, or are unset when negative.
var mayBeNegative = []string{"seed", "expanded"}

// buildGroup makes a command that only leads to its subcommands.
func (c command) buildGroup(s streams) *cli.Command {
	var names []string
	for _, sub := range c.subs {
		names = append(names, sub.name)
	}
	subs := strings.Join(names, ", ")
	group := &cli.Command{
		Name: c.name, Usage: c.usage, ArgsUsage: c.args, Description: help(c.name),
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() == 0 {
				return cli.ShowSubcommandHelp(ctx)
			}
			return cmdline.UnknownCommand(ctx.Command.Subcommands, c.name+" has no subcommand %q; it has "+subs, ctx.Args().First())
		},
	}
	for _, sub := range c.subs {
		group.Subcommands = append(group.Subcommands, sub.build(s, c.name+"-"))
	}
	return group
}

// run executes one command line and returns its exit code. It never panics: an
// internal error answers nothing and says so.
func run(ctx context.Context, args []string, s streams) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(s.err, "planproof: internal error (please report it): %v\n%s", r, debug.Stack())
			code = exitBad
		}
	}()
	out := &cmdline.Output{W: s.out}
	s.out = out
	err := runCommand(ctx, args, s)
	if out.Err != nil && !errors.Is(err, out.Err) {
		err = fmt.Errorf("cannot write the answer: %w", out.Err)
	}
	var exit exitCode
	var crashed *crash
	switch {
	case err == nil:
		return exitYes
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &crashed):
		fmt.Fprintf(s.err, "planproof: %v", crashed)
		return exitBad
	}
	text := cmdline.Message(err)
	if faults := (*rowjson.Faults)(nil); errors.As(err, &faults) {
		text = faults.Error()
		fmt.Fprintln(s.err, text) // begins with the place
	} else {
		fmt.Fprintf(s.err, "planproof: %s\n", text)
	}
	if slices.Contains(args, "--json") {
		// Programs read standard output: they too need to know that nothing was answered.
		_ = printJSON(s.out, map[string]string{"error": text})
	}
	return exitBad
}

// runCommand hands the line to the app.
func runCommand(ctx context.Context, args []string, s streams) error {
	app := newApp(s)
	args, err := cmdline.Arrange(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append([]string{"planproof"}, args...))
}

func versionText() string {
	text := version
	if c := builtFrom(); c != "" {
		text += " (commit " + c + ")"
	}
	return text + " " + runtime.Version()
}

// builtFrom is the commit that the binary is made from, "" if unknown.
func builtFrom() string { return cmp.Or(commit, cmdline.Revision()) }
