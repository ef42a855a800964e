package store

import (
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors of opening and reading a store. They come wrapped, with the file's name.
var (
	// ErrNotAStore says that the file is something else.
	ErrNotAStore = errors.New("not a ground-truth store")
	// ErrDamaged says that the file has been changed or cut by something else than planproof.
	ErrDamaged = errors.New("the store is damaged")
	// ErrVersion says that a newer planproof has made the store.
	ErrVersion = errors.New("made by a newer planproof")
	// ErrWrite says that the store could not be written: no room, or no permission.
	ErrWrite = errors.New("the store cannot be written")
	// ErrReadOnly says that a store opened for reading was to be written.
	ErrReadOnly = errors.New("the store was opened for reading only")
)

// explain turns an error of the database into one of this package.
func (s *Store) explain(err error) error { return explain(s.path, err) }

// mayNotWriteBeside reports whether SQLite could not make its files beside the database.
func mayNotWriteBeside(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff
	return code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_READONLY
}

func explain(path string, err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s: %w: %v. Restore a copy, or export what can be read and fill again", path, ErrDamaged, err)
	case sqlite3.SQLITE_ERROR: // the statements are fixed: the tables are not those of a store
		return fmt.Errorf("%s: %w: %v", path, ErrDamaged, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w, or its first page is damaged", path, ErrNotAStore)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: %w: no room is left on the disk (%v)", path, ErrWrite, err)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%s: %w: %v (is the disk full, or the largest allowed file size reached?)", path, ErrWrite, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s: %w: no permission (%v)", path, ErrWrite, err)
	case sqlite3.SQLITE_CANTOPEN:
		if _, serr := os.Stat(path); serr != nil {
			return serr
		}
		return fmt.Errorf("%s: cannot be opened: no permission for the file or its folder (%v)", path, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s: another process has held the store for more than %v (%v)", path, busyTimeout, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// isBusy reports whether an error says that another process holds the file.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
}
