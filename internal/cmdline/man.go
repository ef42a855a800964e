package cmdline

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// WriteMan writes the manual page (section 1) of a program, or with command, whose words are
// "solve" or "cost budget", of that one. It says what the help says.
func WriteMan(w io.Writer, app *cli.App, command []string) error {
	var b strings.Builder
	name, usage, args, text := app.Name, app.Usage, "COMMAND [ARGUMENT...]", app.Description
	commands, flags := app.Commands, []cli.Flag(nil)
	for _, word := range command {
		found := false
		for _, c := range commands {
			if c.HasName(word) {
				name, usage, args, text = name+"-"+c.Name, c.Usage, c.ArgsUsage, c.Description
				commands, flags, found = c.Subcommands, c.Flags, true
				break
			}
		}
		if !found {
			return unknownCommand(commands, "there is no command %q", word)
		}
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), app.Name, roff(app.Version), name, roff(usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n%s\n.SH DESCRIPTION\n", strings.ReplaceAll(name, "-", " "), roff(args))
	paragraphs(&b, text)
	if len(commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, c := range commands {
		fmt.Fprintf(&b, ".TP\n.B %s %s\n%s\n", c.Name, roff(c.ArgsUsage), roff(c.Usage))
	}
	if len(flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		var names []string
		for _, n := range f.Names() {
			names = append(names, roff(dashed(n)))
		}
		value, usage := "", roff(d.GetUsage())
		if d.TakesValue() {
			value = " \\fIVALUE\\fR"
		}
		if v := d.GetDefaultText(); v != "" && d.TakesValue() {
			usage += " (default: " + roff(v) + ")"
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR%s\n%s\n", strings.Join(names, "\\fR, \\fB"), value, usage)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// paragraphs writes a help text: indented lines, which are examples and tables, as they are.
func paragraphs(b *strings.Builder, text string) {
	example := false
	for _, line := range strings.Split(text, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != example && line != "" {
			example = indented
			if example {
				b.WriteString(".nf\n")
			} else {
				b.WriteString(".fi\n")
			}
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if example {
		b.WriteString(".fi\n")
	}
}

// roff escapes what troff would take for commands.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
