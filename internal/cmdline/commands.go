package cmdline

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange brings a command line into the order that urfave/cli reads: flags before the
// arguments of their command, see [Permute]. --json may also stand before the command, and
// "help COMMAND SUBCOMMAND" works.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) > 1 && args[0] == "--json" {
		args = append(slices.Clone(args[1:]), "--json")
	}
	if len(args) > 1 && (args[0] == "help" || args[0] == "h") {
		args = append(slices.Clone(args[1:]), "--help") // its help command knows no subcommands
	}
	var cmd *cli.Command
	depth := 0
	for commands := app.Commands; depth < len(args); depth++ {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[depth]) })
		if i < 0 {
			break
		}
		cmd = commands[i]
		commands = cmd.Subcommands
	}
	if cmd == nil || len(cmd.Subcommands) > 0 {
		return args, nil
	}
	rest, err := Permute(append(cmd.Flags, cli.HelpFlag), args[depth:])
	return append(slices.Clone(args[:depth]), rest...), err
}

// unknownCommand is the error that no command has a name, which format mentions by %q. It ends
// with the command that was probably meant.
func unknownCommand(commands []*cli.Command, format, name string) error {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	hint := ""
	if best := meant(strings.ToLower(name), names); best != "" {
		hint = fmt.Sprintf(". Did you mean %q?", best)
	}
	return fmt.Errorf(format+"%s", name, hint)
}

// Output remembers the first error of writing, so that an answer that did not arrive (a full
// disk) is never taken for one that did.
type Output struct {
	W   io.Writer
	Err error
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.Err != nil {
		return 0, o.Err
	}
	n, err := o.W.Write(p)
	o.Err = err
	return n, err
}

// Revision is the commit that Go noted when the binary was built in a checkout, "" if none.
func Revision() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return ""
}
