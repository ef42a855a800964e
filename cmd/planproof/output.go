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
	"sync"
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

// writeFile replaces path by what write produces, or leaves it as it was: the text
// goes to a temporary file beside it, which is renamed only when complete. A link
// stays a link; a device or pipe is written to as it stands. "-" is standard output.
func (e env) writeFile(path string, write func(io.Writer) error) (err error) {
	if path == "-" {
		return write(e.out)
	}
	target, mode, err := outputTarget(path)
	if err != nil {
		return err
	}
	if !mode.IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
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
			target = filepath.Clean(target)
		}
		switch other := taken[target]; {
		case other != "" && path == "-":
			return fmt.Errorf("--%s - and %s both write to standard output", name, other)
		case other != "":
			return fmt.Errorf("--%s and %s both write to %s", name, other, path)
		case mode.IsRegular(): // anything may go to a device
			taken[target] = "--" + name
		}
	}
	return nil
}

// maxLinks is the longest chain of links that is followed, as in most systems.
const maxLinks = 40

// outputTarget resolves links and tells what is there: the mode of a file that does
// not exist yet is that of a new regular one.
func outputTarget(path string) (target string, mode os.FileMode, err error) {
	if path == "" {
		return "", 0, errors.New("the name of the output file is empty")
	}
	target = path
	for range maxLinks { // not EvalSymlinks: a link may point at a file to come
		next, err := os.Readlink(target)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, 0o644, nil
	case err != nil:
		return "", 0, err
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

// unreadable reports one of several inputs that cannot be read.
func (e env) unreadable(name string, err error) error {
	fmt.Fprintf(e.err, "planproof: %v\n", err)
	if !e.Bool("json") {
		return nil
	}
	return printJSON(e.out, map[string]string{"id": name, "error": err.Error()})
}
