package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// The file names itself: SQLite's header has room for an application and its version.
const (
	applicationID = 0x5050_4754 // "PPGT"
	schemaVersion = 1
	header        = "SQLite format 3\x00"
)

// busyTimeout is how long a writer waits for another one.
const busyTimeout = 30 * time.Second

// schema holds texts once, whatever the number of tasks and schedules that share them.
// STRICT makes SQLite itself refuse a value of the wrong kind.
const schema = `
CREATE TABLE text (
	sum  BLOB PRIMARY KEY,  -- SHA-256 of the text
	body BLOB NOT NULL      -- the text, compressed with DEFLATE
) STRICT;
CREATE TABLE truth (
	key          BLOB PRIMARY KEY,
	domain       BLOB NOT NULL,     -- text.sum
	problem      BLOB NOT NULL,     -- text.sum
	schedule     TEXT NOT NULL,
	status       TEXT NOT NULL,
	cost         TEXT NOT NULL,
	steps        INTEGER NOT NULL,
	plan         TEXT NOT NULL,     -- a step a line
	reason       TEXT NOT NULL,
	search       TEXT NOT NULL,
	expanded     INTEGER NOT NULL,
	version      TEXT NOT NULL,
	tablefile    TEXT NOT NULL,
	tablestatus  TEXT NOT NULL,
	certfile     TEXT NOT NULL,
	certstatus   TEXT NOT NULL,
	limit_time   INTEGER NOT NULL,  -- nanoseconds
	limit_memory INTEGER NOT NULL,  -- bytes
	limit_nodes  INTEGER NOT NULL,
	elapsed      INTEGER NOT NULL,  -- nanoseconds
	finished     INTEGER NOT NULL,  -- seconds since 1970
	sum          BLOB NOT NULL      -- checksum of the columns above
) STRICT, WITHOUT ROWID;
CREATE TABLE name (
	name TEXT NOT NULL,
	key  BLOB NOT NULL,     -- truth.key
	sum  BLOB NOT NULL,     -- checksum of both
	PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_key ON name(key);
`

// Store is an open store. Its methods are safe for concurrent use.
type Store struct {
	path     string
	db       *sql.DB
	readOnly bool
}

// Open opens a store for reading and writing and makes it if there is none. Several
// processes may have one store open at the same time.
func Open(path string) (*Store, error) {
	if err := lookAt(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := open(path, "mode=rwc", false)
	if err != nil {
		return nil, err
	}
	// SQLite does not wait when two processes make one file a write-ahead log at the same time.
	err = s.prepare()
	for until := time.Now().Add(busyTimeout); isBusy(err) && time.Now().Before(until); err = s.prepare() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		s.db.Close()
		return nil, s.explain(err)
	}
	return s, nil
}

// OpenReadOnly opens an existing store for reading, also while others write it, and on
// a medium that cannot be written.
func OpenReadOnly(path string) (*Store, error) {
	if err := lookAt(path); err != nil {
		return nil, err
	}
	s, err := open(path, "mode=ro", true)
	if err != nil {
		return nil, err
	}
	err = s.identify()
	if mayNotWriteBeside(err) && !waiting(path) {
		// SQLite wants to make files beside the store. Where it may not, and no
		// write-ahead log is waiting to be read, nobody can be writing: the file is complete.
		s.db.Close()
		if s, err = open(path, "mode=ro&immutable=1", true); err != nil {
			return nil, err
		}
		err = s.identify()
	}
	if err != nil {
		s.db.Close()
		return nil, s.explain(err)
	}
	return s, nil
}

// waiting reports whether the write-ahead log of a store holds something.
func waiting(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// lookAt refuses a file that is clearly not a store before the database touches it.
func lookAt(path string) error {
	if path == "" {
		return errors.New("the name of the store is empty")
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: not a regular file", path, ErrNotAStore)
	}
	if info.Size() == 0 {
		return nil // just made, by this process or another
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(header))
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte(header)) {
		return fmt.Errorf("%s: %w, or its first page is damaged", path, ErrNotAStore)
	}
	return nil
}

func open(path, mode string, readOnly bool) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// The pragmas set no property of the file: it may turn out to be somebody else's.
	dsn := "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + mode + "&_txlock=immediate" +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()) +
		"&_pragma=synchronous(FULL)&_pragma=trusted_schema(OFF)&_pragma=cell_size_check(ON)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return &Store{path: path, db: db, readOnly: readOnly}, nil
}

// Close ends all use of the store.
func (s *Store) Close() error { return s.explain(s.db.Close()) }

// identity is what the header of a database says of it.
type identity struct {
	application, version int64
	tables               int
}

type querier interface {
	QueryRow(query string, args ...any) *sql.Row
}

// readIdentity reads it by one statement: another process may be making the store, and half
// of what was there before and half of what it wrote would look like damage.
func readIdentity(q querier) (id identity, err error) {
	err = q.QueryRow(`SELECT (SELECT count(*) FROM sqlite_schema), (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version)`).Scan(&id.tables, &id.application, &id.version)
	return id, err
}

// fresh reports whether the database is empty: a store that has yet to be made.
func (id identity) fresh() bool { return id == identity{} }

// check refuses the databases of other programs and versions.
func (id identity) check(path string) error {
	switch {
	case id.application != applicationID:
		return fmt.Errorf("%s: %w but a database of another program", path, ErrNotAStore)
	case id.version > schemaVersion:
		return fmt.Errorf("%s: %w: its schema has version %d, this program knows %d", path, ErrVersion, id.version, schemaVersion)
	case id.version != schemaVersion || id.tables == 0:
		return fmt.Errorf("%s: %w: its header names schema %d", path, ErrDamaged, id.version)
	}
	return nil
}

func (s *Store) identify() error {
	id, err := readIdentity(s.db)
	if err != nil {
		return err
	}
	if id.fresh() {
		return fmt.Errorf("%s: %w: it is empty", s.path, ErrNotAStore)
	}
	return id.check(s.path)
}

// prepare makes the tables of a new store and checks an old one. All of it happens in
// one transaction, so that two processes may do it at once and either may die.
func (s *Store) prepare() error {
	id, err := readIdentity(s.db)
	if err != nil {
		return err
	}
	if !id.fresh() {
		if err := id.check(s.path); err != nil {
			return err
		}
	}
	var mode string
	if err := s.db.QueryRow("PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%s: the file system does not allow a write-ahead log (journal mode %s)", s.path, mode)
	}
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if id, err = readIdentity(tx); err != nil {
		return err
	}
	if !id.fresh() {
		return id.check(s.path)
	}
	for _, stmt := range []string{schema, fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)} {
		if _, err := tx.Exec(stmt); err != nil {
			return err
		}
	}
	return tx.Commit()
}
