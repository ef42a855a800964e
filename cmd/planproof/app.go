package main

import (
	"cmp"
	"context"
	"embed"
	"io/fs"
	"runtime"
	"slices"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/internal/taskline"

	"github.com/urfave/cli/v2"
)

var (
	version = planproof.Version() // but for tests, whose golden files outlive it
	commit  string                // set by the linker (see the Makefile)
)

// What every file here uses.
type streams = cmdline.Streams

const exitYes, exitNo, exitBad, exitLimit = cmdline.ExitYes, cmdline.ExitNo, cmdline.ExitBad, cmdline.ExitLimit

var exit, plural = cmdline.Exit, spell.Plural

// env is what a command's action gets: the parsed flags, the streams and the tasks.
type env struct{ taskline.Env }

// newApp lists the commands. The order is that of the work: read, ground, solve,
// judge, and then everything around language models. Where the first word of a command line
// names one of them, only that is made: all of them take 2 MB.
func newApp(s streams, first string) *cli.App {
	list := []command{
		checkCommand, fmtCommand, lintCommand, groundCommand, solveCommand, checkCertificateCommand, validateCommand, exhaustCommand,
		boxnetCommand,
		generateCommand, restrictCommand, episodeCommand, costCommand, truthCommand, promptCommand, askCommand,
		extractCommand, grammarCommand, maskCommand, feedbackCommand, evalCommand, exportCommand, scoreCommand,
		oracleCommand, mcpCommand, lspCommand, serveCommand, groupCommand, pairsCommand, travelCommand, toolsCommand, benchCommand, acpCommand,
		auditCommand, reproduceCommand, capabilitiesCommand, doctorCommand, completionCommand, manCommand,
	}
	if i := slices.IndexFunc(list, func(c command) bool { return c.name == first }); i >= 0 && !list[i].amongAll {
		list = list[i : i+1]
	}
	var commands []*cli.Command
	for _, c := range list {
		commands = append(commands, c.command().Build(s, helpTexts, sharedFlags()))
	}
	return cmdline.NewApp("planproof", "PDDL compiler, optimal solver and plan verifier", helpTexts.Text("planproof"), versionText(), commands, s)
}

// command is one subcommand: a struct literal per file, as data. See [cmdline.Command].
type command struct {
	name, usage, args      string
	spec                   string
	action                 func(e env) error
	wholeTime, wholeMemory bool
	drains                 bool
	amongAll               bool // it looks at the other commands
	subs                   []command
}

// command gives the action its tasks, and the errors of limits that it passes on code 3.
func (c command) command() cmdline.Command {
	out := cmdline.Command{
		Name: c.name, Usage: c.usage, Args: c.args, Spec: c.spec, WholeTime: c.wholeTime, WholeMemory: c.wholeMemory, Drains: c.drains,
		Action: func(ce cmdline.Env) error {
			e := env{taskline.New(ce)}
			return e.LimitsOf(c.action(e))
		},
	}
	for _, sub := range c.subs {
		out.Subs = append(out.Subs, sub.command())
	}
	return out
}

//go:embed help/*.txt
var helpFiles embed.FS

// helpTexts are the texts of help/: what a command does, its exit codes, examples and flags.
var helpTexts = func() cmdline.Texts {
	files, err := fs.Sub(helpFiles, "help")
	if err != nil {
		panic(err)
	}
	return cmdline.Texts{Files: files}
}()

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, s streams) int {
	return cmdline.Run(ctx, args, s, newApp)
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
