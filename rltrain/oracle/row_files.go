package oracle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/pattern"
)

// RowFiles are the files that rows may name as their domains and problems.
type RowFiles struct {
	dir  string
	read func(path string) (text string, err error)
}

// NoFiles is for rows of strangers: they name bundled or loaded tasks or contain their texts.
func NoFiles() *RowFiles {
	return &RowFiles{read: func(string) (string, error) {
		return "", errors.New("names a file, which rows may not do here: name a task, or give domain_text and problem_text (--files DIR allows the files of a folder)")
	}}
}

// FilesOf allows the files of a folder, of at most limit bytes each. Relative paths start
// there; a symbolic link that leads out of it is not followed. What is no PDDL is refused
// without a word of what is in it: a diagnostic quotes the line that it is about, and rows
// may be a stranger's.
func FilesOf(dir string, limit int64) (*RowFiles, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	read := func(path string) (string, error) {
		name := path
		if filepath.IsAbs(path) {
			name, _ = filepath.Rel(dir, path)
		}
		if !filepath.IsLocal(name) {
			return "", fmt.Errorf("%s is not in the folder of --files", path)
		}
		info, err := root.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // in the words of os.Stat, which commands use
			return "", &fs.PathError{Op: "stat", Path: name, Err: syscall.ENOENT}
		case err != nil:
			return "", err
		}
		text, err := taskref.ReadRegular(path, info, limit, func() (*os.File, error) { return root.Open(name) })
		if err == nil && !pddlBegins.MatchString(text) {
			return "", fmt.Errorf("%s is not PDDL: it does not begin with (define (domain ...) or (define (problem ...)", path)
		}
		return text, err
	}
	return &RowFiles{dir, read}, nil
}

// Options are those of a resolver of tasks that reads only these files.
func (f *RowFiles) Options() taskref.Options { return taskref.Options{Dir: f.dir, Read: f.read} }

// pddlBegins matches what a file of PDDL begins with, after comments.
var pddlBegins = pattern.New(`(?i)^\x{feff}?(?:\s|;[^\n]*(?:\n|$))*\(\s*define\s*\(\s*(?:domain|problem)[\s);]`)
