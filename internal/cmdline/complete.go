package cmdline

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// complete lists what may stand in place of the last of words, which follow the program's name
// and may be unfinished: commands, the subcommands of a group, flags, or nothing where a file or
// a value belongs. Each comes with its usage.
func complete(app *cli.App, words []string) (names, usages []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	add := func(name, usage string) {
		if strings.HasPrefix(name, words[len(words)-1]) {
			names, usages = append(names, name), append(usages, usage)
		}
	}
	commands := app.Commands
	var cmd *cli.Command
	for _, w := range words[:len(words)-1] {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(w) })
		if i < 0 {
			break
		}
		cmd = commands[i]
		commands = cmd.Subcommands
	}
	if cmd == nil || len(cmd.Subcommands) > 0 {
		for _, c := range commands {
			add(c.Name, c.Usage)
		}
		return names, usages
	}
	if !strings.HasPrefix(words[len(words)-1], "-") {
		return nil, nil
	}
	for _, f := range cmd.Flags {
		usage := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			usage = d.GetUsage()
		}
		for _, name := range f.Names() {
			add(dashed(name), usage)
		}
	}
	return names, usages
}

// completionScripts ask the program itself, by its hidden word [CompletionWord]; where it has
// no answer, the shell completes files.
var completionScripts = map[string]string{
	"bash": `_@NAME@() {
	local IFS=$'\n'
	COMPREPLY=($(@NAME@ @ASK@ "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1))
}
complete -o default -F _@NAME@ @NAME@
`,
	"zsh": `#compdef @NAME@
_@NAME@() {
	local -a found
	found=("${(@f)$(@NAME@ @ASK@ "${(@)words[2,CURRENT]}" | sed 's/:/\\:/g; s/\t/:/')}")
	if [[ -n "$found" ]]; then _describe @NAME@ found; else _files; fi
}
compdef _@NAME@ @NAME@
`,
	"fish": `complete -c @NAME@ -n 'test -n "$(@NAME@ @ASK@ (commandline -opc)[2..] (commandline -ct))"' -f \
	-a '(@NAME@ @ASK@ (commandline -opc)[2..] (commandline -ct))'
`,
}

// CompletionWord is the hidden first argument with which completion scripts ask for the
// candidates of the words after it.
const CompletionWord = "__complete"

// WriteCompletion writes the script that a shell reads to complete the program's command lines.
func WriteCompletion(w io.Writer, program, shell string) error {
	script, ok := completionScripts[shell]
	if !ok {
		return fmt.Errorf("completion for %q is not written; there is bash, zsh and fish", shell)
	}
	_, err := io.WriteString(w, strings.NewReplacer("@NAME@", program, "@ASK@", CompletionWord).Replace(script))
	return err
}

// writeCandidates answers a completion script: a candidate and its usage on each line.
func writeCandidates(w io.Writer, app *cli.App, words []string) error {
	names, usages := complete(app, words)
	for i := range names {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", names[i], usages[i]); err != nil {
			return err
		}
	}
	return nil
}
