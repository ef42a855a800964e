// Package outfile writes results so that a file or a folder is either the old one or the whole
// new one, never half of it, and refuses outputs that would overwrite each other or an input:
//
//	path ─► Target (links, devices) ─► temporary file beside it ─► complete? renamed : removed
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Std are the standard streams that "-", /dev/stdout and /dev/stderr stand for.
type Std struct{ Out, Err io.Writer }

// Write replaces the file at path by what write produces, or leaves it as it was: the text
// goes to a temporary file beside it, which is renamed only when complete. A link stays a
// link. A device or a pipe is written to as it stands, and so is a file that is open already
// (/dev/stdout, /dev/fd/3): the shell that opened it goes on writing there. "-" is standard
// output.
func Write(path string, std Std, write func(io.Writer) error) (err error) {
	if path == "-" {
		return write(std.Out)
	}
	target, mode, err := Target(path)
	if err != nil {
		return err
	}
	switch fd := openDescriptor(target); {
	case fd == 1:
		return write(std.Out)
	case fd == 2:
		return write(std.Err)
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

// duplicate opens an open file once more, at the place where it is.
func duplicate(fd int, name string) (*os.File, error) {
	copied, err := syscall.Dup(fd)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(copied)
	return os.NewFile(uintptr(copied), name), nil
}

// unfinished has the names of temporary files and folders that are being written.
var unfinished sync.Map

// RemoveUnfinished removes what is half written, for a process that is about to end without
// ending its work.
func RemoveUnfinished() {
	unfinished.Range(func(name, _ any) bool {
		os.RemoveAll(name.(string))
		return true
	})
}

// WriteFolder replaces the folder dir by the one that write fills, or leaves it as it was:
// write gets a new folder beside it, which takes its place when it is complete. A link stays
// a link.
func WriteFolder(dir string, write func(temp string) error) (err error) {
	target, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if there, err := filepath.EvalSymlinks(target); err == nil {
		target = there // a link stays a link
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return fmt.Errorf("cannot write %s: %w", dir, err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(target), ".planproof-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", dir, cause(err))
	}
	unfinished.Store(temp, nil)
	defer func() {
		unfinished.Delete(temp)
		if err != nil {
			os.RemoveAll(temp)
			err = inPlaceOf(temp, dir, err)
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := write(temp); err != nil {
		return err
	}
	// What was there goes only when all of the new is here.
	old := temp + "-old"
	err = os.Rename(target, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	replaced := err == nil
	if err := os.Rename(temp, target); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, target))
		}
		return err
	}
	return os.RemoveAll(old)
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

// WriteTask writes domain.pddl and problem.pddl into a folder, which it makes, over none of the inputs.
func WriteTask(dir, domain, problem string, inputs ...string) error {
	files := []struct{ name, text string }{{"domain.pddl", domain}, {"problem.pddl", problem}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := Spare(filepath.Join(dir, f.name), inputs...); err != nil {
			return err
		}
	}
	for _, f := range files {
		err := Write(filepath.Join(dir, f.name), Std{}, func(w io.Writer) error {
			_, err := io.WriteString(w, f.text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
