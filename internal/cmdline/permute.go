package cmdline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Permute moves flags in front of the other arguments, so that they may stand
// anywhere on the line (`score - --reward valid`): urfave/cli stops reading flags
// at the first argument. "-" is an argument (standard input), and everything after
// "--" is one.
// A flag at the end of the line that lacks its value is an error. --help wins over all else
// on the line: urfave/cli would look for a page named like the first argument.
func Permute(flags []cli.Flag, args []string) ([]string, error) {
	takesValue := map[string]bool{}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	var opts, rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if a == "-" || !strings.HasPrefix(a, "-") {
			rest = append(rest, a)
			continue
		}
		name := strings.TrimLeft(a, "-")
		if slices.Contains(cli.HelpFlag.Names(), name) {
			return []string{"--help"}, nil
		}
		opts = append(opts, a)
		if strings.Contains(name, "=") || !takesValue[name] {
			continue
		}
		if i++; i == len(args) {
			return nil, fmt.Errorf("%s needs a value", a)
		}
		if next := strings.TrimLeft(args[i], "-"); next != args[i] && known(takesValue, next) {
			return nil, fmt.Errorf("%s needs a value, and %s is a flag", a, args[i])
		}
		opts = append(opts, args[i])
	}
	return append(append(opts, "--"), rest...), nil
}

// known reports whether a word without its dashes is a flag, with or without a value.
func known(takesValue map[string]bool, word string) bool {
	name, _, _ := strings.Cut(word, "=")
	_, ok := takesValue[name]
	return ok
}
