package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Spare refuses to write a result over one of the inputs that it comes from.
func Spare(output string, inputs ...string) error {
	there, err := os.Stat(output)
	if output == "" || output == "-" || err != nil {
		return nil // nothing is lost
	}
	for _, name := range inputs {
		if info, err := os.Stat(name); err == nil && os.SameFile(there, info) && info.Mode().IsRegular() {
			return fmt.Errorf("the output %s is the input %s: it would be lost", output, name)
		}
	}
	return nil
}

// An Output is a path and the flag that gives it.
type Output struct{ Flag, Path string }

// Distinct refuses outputs that would overwrite each other or an input, or be mixed. stdout
// names what goes to standard output already, "" for nothing. An output without a path is
// not written.
func Distinct(outputs []Output, stdout string, inputs ...string) error {
	taken := map[string]string{"-": stdout}
	for _, o := range outputs {
		if o.Path == "" {
			continue
		}
		target, mode := o.Path, os.FileMode(0)
		if o.Path != "-" {
			var err error
			if target, mode, err = Target(o.Path); err != nil {
				return err
			}
			if err := Spare(o.Path, inputs...); err != nil {
				return err
			}
			if openDescriptor(target) == 1 {
				target, mode = "-", 0
			} else {
				target = oneName(target)
			}
		}
		switch other := taken[target]; {
		case other != "" && target == "-":
			return fmt.Errorf("%s %s and %s both write to standard output", o.Flag, o.Path, other)
		case other != "":
			return fmt.Errorf("%s and %s both write to %s", o.Flag, other, o.Path)
		case mode.IsRegular(): // anything may go to a device
			taken[target] = o.Flag
		}
	}
	return nil
}

// oneName gives names of the same file in a folder that exists one form.
func oneName(path string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return filepath.Clean(path)
}

// Regular is [Target] for what must be kept in a regular file, as what says.
func Regular(path, what string) (string, error) {
	target, mode, err := Target(path)
	if err == nil && !mode.IsRegular() {
		err = fmt.Errorf("%s is kept in a regular file, and %s is none", what, path)
	}
	return target, err
}

// maxLinks is the longest chain of links that is followed, as in most systems.
const maxLinks = 40

// Target resolves links and returns the mode of what is there. A file that does not
// exist yet has the mode of a new regular one.
func Target(path string) (target string, mode os.FileMode, err error) {
	if path == "" {
		return "", 0, errors.New("the name of the output file is empty")
	}
	target = path
	for range maxLinks { // not EvalSymlinks: a link may point at a file to come
		if openDescriptor(target) >= 0 {
			return target, os.ModeDevice, nil // its link may name nothing, as "pipe:[17]"
		}
		next, err := os.Readlink(target)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			// Where the link really is: ".." in it is not that of the name that led here.
			dir, err := filepath.EvalSymlinks(filepath.Dir(target))
			if err != nil {
				break
			}
			next = filepath.Join(dir, next)
		}
		target = next
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, 0o644, nil
	case err != nil:
		return "", 0, fmt.Errorf("cannot write %s: %w", path, cause(err))
	case info.IsDir():
		return "", 0, fmt.Errorf("cannot write %s: it is a folder", path)
	}
	return target, info.Mode(), nil
}

// openDescriptor returns the number of the open file that a name like /dev/fd/3 stands for,
// -1 for other names.
func openDescriptor(name string) int {
	switch name = filepath.Clean(name); name {
	case "/dev/stdin":
		return 0
	case "/dev/stdout":
		return 1
	case "/dev/stderr":
		return 2
	}
	for _, dir := range []string{"/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", fmt.Sprintf("/proc/%d/fd", os.Getpid())} {
		if filepath.Dir(name) == dir {
			if fd, err := strconv.ParseUint(filepath.Base(name), 10, 31); err == nil {
				return int(fd)
			}
		}
	}
	return -1
}
