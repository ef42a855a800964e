package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
)

// ErrNotEmpty is why a data set is not written into a folder that holds something.
var ErrNotEmpty = errors.New("is not empty")

// CheckFolder refuses a folder that a data set may not be written into: one that holds
// something. With replace it may hold a data set, and nothing else.
func CheckFolder(dir string, replace bool) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(list) == 0:
		return nil
	case !replace:
		return fmt.Errorf("%s %w", dir, ErrNotEmpty)
	}
	return replaceable(dir)
}

// replaceable refuses a folder that is not all a data set, since it is replaced as a whole.
func replaceable(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no data set (%s is missing), so nothing in it is replaced", dir, ManifestName)
	}
	if err != nil {
		return err
	}
	var m Manifest
	if rowjson.Unmarshal(text, &m, false) != nil || m.Schema != ManifestSchema {
		return fmt.Errorf("%s holds no data set (%s is another program's), so nothing in it is replaced", dir, ManifestName)
	}
	return filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if name, err := filepath.Rel(dir, path); err != nil || !m.isPart(filepath.ToSlash(name)) {
			return fmt.Errorf("%s is no part of the data set in %s, so nothing there is replaced: move it away", path, dir)
		}
		return nil
	})
}

// WriteFolder writes the data set into the folder dir, which it replaces: all of it, or
// nothing if it fails.
func (s *Set) WriteFolder(ctx context.Context, dir string, formats []Format) error {
	return outfile.WriteFolder(dir, func(temp string) error {
		if err := s.Write(ctx, temp, formats); err != nil {
			return err
		}
		if t := s.manifest.Trainers; t != nil && t.Responses != nil {
			return t.Responses.unused()
		}
		return nil
	})
}
