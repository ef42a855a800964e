package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// printJSON writes v as one line of JSON. HTML escaping is off: plans and formulas
// contain < and >.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// printRows prints rows as JSON Lines.
func printRows[T any](e env, rows []T) error {
	for i := range rows {
		if err := printJSON(e.out, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeFile replaces path by what write produces, or leaves it as it was: the text
// goes to a temporary file beside it, which is renamed only when complete. A link
// stays a link. A device or pipe is written to as it stands, and so is a file that is open
// already (/dev/stdout, /dev/fd/3): the shell that opened it goes on writing there. "-" is
// standard output.
func (e env) writeFile(path string, write func(io.Writer) error) (err error) {
	if path == "-" {
		return write(e.out)
	}
	target, mode, err := outputTarget(path)
	if err != nil {
		return err
	}
	switch fd := openDescriptor(target); {
	case fd == 1:
		return write(e.out)
	case fd == 2:
		return write(e.err)
	case fd >= 0:
		return writeThrough(path, func() (*os.File, error) { return duplicate(fd, target) }, write)
	case !mode.IsRegular():
		return writeThrough(path, func() (*os.File, error) { return os.OpenFile(target, os.O_WRONLY, 0) }, write)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".planproof-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	unfinished.Store(f.Name(), nil)
	defer func() {
		unfinished.Delete(f.Name())
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", path, cause(err))
		}
	}()
	mode = mode.Perm()
	if err = f.Chmod(mode); err == nil {
		err = write(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	return err
}

// writeThrough writes to a device, a pipe or an open file: none of them can be replaced.
func writeThrough(path string, open func() (*os.File, error), write func(io.Writer) error) error {
	f, err := open()
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	return nil
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

// duplicate opens an open file once more, at the place where it is.
func duplicate(fd int, name string) (*os.File, error) {
	copied, err := syscall.Dup(fd)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(copied)
	return os.NewFile(uintptr(copied), name), nil
}

// spare refuses to write a result over one of the inputs that it comes from.
func spare(output string, inputs ...string) error {
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

// unfinished has the names of temporary files that are being written.
var unfinished sync.Map

// removeUnfinished is for a process that is about to end without ending its commands.
func removeUnfinished() {
	unfinished.Range(func(name, _ any) bool {
		os.RemoveAll(name.(string)) // files, and the folder of export
		return true
	})
}

// outputs refuses outputs, by the names of their flags, that would overwrite each other or
// an input, or be mixed.
func (e env) outputs(names ...string) error {
	taken := map[string]string{}
	if e.Bool("json") {
		taken["-"] = "--json"
	}
	for _, name := range names {
		path := e.String(name)
		if path == "" && e.IsSet(name) {
			return fmt.Errorf("--%s: the name of the file is empty", name)
		}
		if path == "" {
			continue
		}
		target, mode := path, os.FileMode(0)
		if path != "-" {
			var err error
			if target, mode, err = outputTarget(path); err != nil {
				return err
			}
			if err := spare(path, e.Args().Slice()...); err != nil {
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
			return fmt.Errorf("--%s %s and %s both write to standard output", name, path, other)
		case other != "":
			return fmt.Errorf("--%s and %s both write to %s", name, other, path)
		case mode.IsRegular(): // anything may go to a device
			taken[target] = "--" + name
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

// maxLinks is the longest chain of links that is followed, as in most systems.
const maxLinks = 40

// outputTarget resolves links and returns the mode of what is there. A file that does not
// exist yet has the mode of a new regular one.
func outputTarget(path string) (target string, mode os.FileMode, err error) {
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

// cause strips the name of a temporary file from an error.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// inPlaceOf words an error of writing in a temporary folder by the name that the user
// gave: that of the folder to come.
func inPlaceOf(temp, user string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && (p.Path == temp || strings.HasPrefix(p.Path, temp+string(filepath.Separator))) {
		return fmt.Errorf("cannot write %s: %w", filepath.Join(user, p.Path[len(temp):]), p.Err)
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return fmt.Errorf("cannot write %s: %w", user, l.Err)
	}
	return err
}

// unreadable reports one of several inputs that cannot be read.
func (e env) unreadable(name string, err error) error {
	fmt.Fprintf(e.err, "planproof: %v\n", err)
	if !e.Bool("json") {
		return nil
	}
	return printJSON(e.out, map[string]string{"id": name, "error": err.Error()})
}
