package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves flags in front of the other arguments, so that they may stand
// anywhere on the line (`score - --reward valid`): urfave/cli stops reading flags
// at the first argument. "-" is an argument (standard input), and everything after
// "--" is one.
// A flag at the end of the line that lacks its value is an error.
func permute(flags []cli.Flag, args []string) ([]string, error) {
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
		opts = append(opts, a)
		name := strings.TrimLeft(a, "-")
		if strings.Contains(name, "=") || !takesValue[name] {
			continue
		}
		if i++; i == len(args) {
			return nil, fmt.Errorf("%s needs a value", a)
		}
		opts = append(opts, args[i])
	}
	return append(append(opts, "--"), rest...), nil
}
