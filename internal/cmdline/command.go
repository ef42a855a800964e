package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/outfile"

	"github.com/urfave/cli/v2"
)

// Command is one subcommand of a program.
type Command struct {
	Name, Usage, Args string
	Spec              string // the flags, see [Flags]
	Action            func(Env) error
	// WholeTime and WholeMemory: --time and --memory, where there are such flags, bound
	// the command as a whole and not each of its rows or searches.
	WholeTime, WholeMemory bool
	Drains                 bool      // a signal lets it finish what it has begun
	Subs                   []Command // instead of an action
}

// Texts are help texts: NAME.txt describes a command and its flags, of a subcommand
// GROUP-NAME.txt. See [ParseHelp].
type Texts struct{ Files fs.FS }

// Text returns NAME.txt.
func (t Texts) Text(name string) string {
	text, err := fs.ReadFile(t.Files, name+".txt")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// commonFlags are on every command.
func commonFlags() []cli.Flag {
	return append(profileFlags(), &cli.BoolFlag{Name: "json", Usage: "print one JSON object, or JSON Lines for many rows"})
}

// Build makes the command, which may have shared flags, with its streams.
func (c Command) Build(s Streams, help Texts, shared map[string][]cli.Flag) *cli.Command {
	if c.Subs != nil {
		return c.buildGroup(s, help, shared)
	}
	return c.build(s, help, shared, "")
}

// build makes the command of a group, which ends with a dash ("" for none).
func (c Command) build(s Streams, help Texts, shared map[string][]cli.Flag, group string) *cli.Command {
	description, usage := ParseHelp(help.Text(group + c.Name))
	flags, err := Flags(c.Spec, usage, "", shared)
	if err != nil {
		panic(fmt.Sprintf("help/%s%s.txt: %v", group, c.Name, err))
	}
	return &cli.Command{
		Name: c.Name, Usage: c.Usage, ArgsUsage: c.Args, Description: description,
		Flags: append(flags, commonFlags()...),
		OnUsageError: func(ctx *cli.Context, err error, _ bool) error {
			return usageError(ctx.Command, strings.TrimPrefix(ctx.Command.HelpName, "planproof "), err)
		},
		Action: func(ctx *cli.Context) error {
			stop, err := startProfiles(ctx)
			if err != nil {
				return err
			}
			e := Env{Context: ctx, Streams: s, Began: time.Now(), stdinRead: new(bool), stale: new(outfile.Stale)}
			if err = e.checkFlags(c); err == nil {
				err = c.guarded(e)
			}
			return errors.Join(err, stop())
		},
	}
}

// buildGroup makes a command that only leads to its subcommands.
func (c Command) buildGroup(s Streams, help Texts, shared map[string][]cli.Flag) *cli.Command {
	var names []string
	group := &cli.Command{
		Name: c.Name, Usage: c.Usage, ArgsUsage: c.Args, Description: help.Text(c.Name),
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() == 0 {
				return cli.ShowSubcommandHelp(ctx)
			}
			return unknownCommand(ctx.Command.Subcommands, c.Name+" has no subcommand %q; it has "+strings.Join(names, ", "), ctx.Args().First())
		},
	}
	for _, sub := range c.Subs {
		names = append(names, sub.Name)
		group.Subcommands = append(group.Subcommands, sub.build(s, help, shared, c.Name+"-"))
	}
	return group
}

// mayBeNegative are numbers that count nothing, or are unset when negative.
var mayBeNegative = []string{"seed", "expanded"}

// checkFlags refuses negative counts, and arguments of a command that takes none.
func (e Env) checkFlags(c Command) error {
	if c.Args == "" && e.NArg() > 0 {
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
