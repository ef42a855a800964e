package cmdline

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// ParseHelp splits the help file of a command: its description, and what each flag does, which
// follows a line "Flags:" as lines "name: usage".
func ParseHelp(text string) (description string, usage map[string]string) {
	description, flags, _ := strings.Cut("\n"+text, "\nFlags:\n")
	usage = map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(flags), "\n") {
		if name, about, ok := strings.Cut(line, ": "); ok {
			usage[name] = about
		}
	}
	return strings.TrimSpace(description), usage
}

// Flags makes the flags that words declare, each as
//
//	name[,alias][:type][=default][@ENV]    workers:int   output,o   store=truth.db@TRUTH_FILE
//	+name                                  the flags of that name in shared
//
// ENV is an environment variable that stands for a string flag.
//
// The types are string (the default), strings, bool, int, int64, uint64, float and
// duration. Help texts show the flags of a category together. Every flag has a usage, and every usage a flag.
func Flags(words string, usage map[string]string, category string, shared map[string][]cli.Flag) ([]cli.Flag, error) {
	var flags []cli.Flag
	declared := map[string]bool{}
	for _, word := range strings.Fields(words) {
		if name, ok := strings.CutPrefix(word, "+"); ok {
			if shared[name] == nil {
				return nil, fmt.Errorf("no shared flags %q", name)
			}
			flags = append(flags, shared[name]...)
			continue
		}
		word, env, _ := strings.Cut(word, "@")
		declaration, value, _ := strings.Cut(word, "=")
		names, kind, _ := strings.Cut(declaration, ":")
		name, alias, _ := strings.Cut(names, ",")
		if usage[name] == "" {
			return nil, fmt.Errorf("--%s has no usage", name)
		}
		var aliases []string
		if alias != "" {
			aliases = []string{alias}
		}
		declared[name] = true
		f, err := newFlag(name, aliases, kind, value, usage[name], category)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		if text, ok := f.(*cli.StringFlag); ok && env != "" {
			text.EnvVars = []string{env}
		}
		flags = append(flags, f)
	}
	for name := range usage {
		if !declared[name] {
			return nil, fmt.Errorf("there is a usage of --%s, but no such flag", name)
		}
	}
	return flags, nil
}

func newFlag(name string, aliases []string, kind, value, usage, category string) (f cli.Flag, err error) {
	number := value
	if number == "" {
		number = "0"
	}
	switch kind {
	case "":
		f = &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: value}
	case "strings":
		list := &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage, Category: category}
		if value != "" {
			list.Value = cli.NewStringSlice(value)
		}
		f = list
	case "bool":
		f = &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: value == "true"}
	case "int":
		var n int
		n, err = strconv.Atoi(number)
		f = &cli.IntFlag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: n}
	case "int64":
		var n int64
		n, err = strconv.ParseInt(number, 10, 64)
		f = &cli.Int64Flag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: n}
	case "uint64":
		var n uint64
		n, err = strconv.ParseUint(number, 10, 64)
		f = &cli.Uint64Flag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: n}
	case "float":
		var x float64
		x, err = strconv.ParseFloat(number, 64)
		f = &cli.Float64Flag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: x}
	case "duration":
		var d time.Duration
		d, err = time.ParseDuration(number)
		f = &cli.DurationFlag{Name: name, Aliases: aliases, Usage: usage, Category: category, Value: d}
	default:
		err = fmt.Errorf("there is no type %q", kind)
	}
	return f, err
}
