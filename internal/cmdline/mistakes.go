package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/spell"

	"github.com/urfave/cli/v2"
)

// nearbyFiles is how many entries of a folder are looked at for a name that was meant.
const nearbyFiles = 2000

// message words an error for people: without the names of system calls, and with the file
// that may have been meant where one does not exist.
func message(err error) string {
	text := err.Error()
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return text
	}
	why, hint := pe.Err.Error(), ""
	switch {
	case errors.Is(pe, fs.ErrNotExist):
		hint = meantFile(pe.Path)
	case errors.Is(pe, syscall.EISDIR):
		why = "it is a folder"
	case errors.Is(pe, syscall.ENOTDIR) && isFile(pe.Path):
		why = "it is a file, not a folder"
	}
	return strings.Replace(text, pe.Error(), pe.Path+": "+why, 1) + hint
}

// meantFile hints at what was meant by the name of a file that does not exist: "", or a text
// that begins with a full stop.
func meantFile(path string) string {
	kind, numbers, isTask := strings.Cut(path, ":")
	var kinds []string
	for _, k := range domains.List() {
		kinds = append(kinds, k.Name)
		switch {
		case k.Name != kind:
		case isTask && numbers != "":
			return fmt.Sprintf(". A bundled task stands first and alone, for DOMAIN and PROBLEM: %s", path)
		default:
			return fmt.Sprintf(". A bundled task has numbers, as %s", k.Example)
		}
	}
	dir, base := filepath.Split(path)
	if best := spell.Nearest(base, entries(dir)); best != "" {
		return fmt.Sprintf(". Did you mean %q?", dir+best)
	}
	if best := spell.Nearest(kind, kinds); best != "" && dir == "" {
		return fmt.Sprintf(". Did you mean %q?", best)
	}
	return ""
}

// entries lists the first names of a folder, sorted; none if it cannot be read.
func entries(dir string) []string {
	if !filepath.IsAbs(dir) {
		dir = "./" + dir
	}
	f, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(nearbyFiles)
	slices.Sort(names)
	return names
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// FolderError refuses a folder where a file is read, and says how its files are named.
func FolderError(name string) error {
	hint := ""
	if isFile(filepath.Join(name, "domain.pddl")) {
		hint = fmt.Sprintf("; name its files, such as %s", filepath.Join(name, "domain.pddl"))
	}
	return fmt.Errorf("%s is a folder%s", name, hint)
}

// usageError rewords an error of urfave/cli, which writes every flag with one dash. path is
// the command as it is called.
func usageError(cmd *cli.Command, path string, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		name = strings.TrimLeft(name, "-")
		hint := ""
		if best := meant(name, flagNames(cmd)); best != "" {
			hint = fmt.Sprintf(". Did you mean %s?", dashed(best))
		} else if name == "o" || name == "output" {
			hint = ". What it prints goes into a file with > FILE"
		}
		return fmt.Errorf("%s has no flag %s; see planproof %s --help%s", path, dashed(name), path, hint)
	}
	for _, form := range []string{"invalid value %q for flag -%s: ", "invalid boolean value %q for -%s: "} {
		var value, name string
		if n, _ := fmt.Sscanf(text, form, &value, &name); n == 2 {
			name = strings.TrimSuffix(name, ":")
			what := "a value that it takes"
			for _, f := range cmd.Flags {
				if slices.Contains(f.Names(), name) {
					what = valueKind(f)
				}
			}
			return fmt.Errorf("%s %q is not %s", dashed(name), value, what)
		}
	}
	return err
}

// meant returns the known name that a wrong one probably means: the only one that begins like
// it, or the nearest by spelling; "" if there is none.
func meant(name string, known []string) string {
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return len(name) < 2 || !strings.HasPrefix(k, name) })
	if len(longer) == 1 {
		return longer[0]
	}
	return spell.Nearest(name, known)
}

func flagNames(cmd *cli.Command) []string {
	var names []string
	for _, f := range cmd.Flags {
		names = append(names, f.Names()...)
	}
	return names
}

// dashed returns a flag as help texts show it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func valueKind(f cli.Flag) string {
	switch f.(type) {
	case *cli.BoolFlag:
		return "a value that it takes: it takes none"
	case *cli.IntFlag, *cli.Int64Flag:
		return "a whole number"
	case *cli.Uint64Flag, *cli.UintFlag:
		return "a whole number, 0 or more"
	case *cli.Float64Flag:
		return "a number"
	case *cli.DurationFlag:
		return "a duration such as 40s or 5m"
	}
	return "a value that it takes"
}
