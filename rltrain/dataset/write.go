package dataset

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"
)

// ManifestName is the manifest's name in the folder of a data set.
const ManifestName = "manifest.json"

// Write writes all splits in the given formats into an existing folder, and then the
// cards and the manifest. What it has written when it fails is of no use.
func (s *Set) Write(ctx context.Context, dir string, formats []Format) error {
	done := 0
	s.manifest.Files = nil               // of an earlier call
	columns := map[string]reflect.Type{} // of JSON files; Parquet files say themselves what they hold
	for k, split := range Splits() {
		if len(s.rows[k]) == 0 {
			continue
		}
		files, err := s.open(dir, split, formats)
		if err != nil {
			return err
		}
		m := &s.manifest
		err = inOrder(ctx, len(s.rows[k]), s.o.Threads, func(ctx context.Context, i int) (*madeRecord, error) {
			return s.make(ctx, split, s.rows[k][i], files), nil
		}, func(_ int, r *madeRecord) error {
			if r.err != nil {
				return r.err
			}
			m.Splits[k].Families[r.family]++
			m.Prompts.Characters.add(r.characters)
			m.Prompts.Words.add(r.words)
			for i, f := range files {
				if err := f.rows.Write(r.made[i]); err != nil {
					return err
				}
			}
			done++
			s.progress("writing", done, m.Rows)
			return nil
		})
		for _, f := range files {
			if c, ok := f.rows.(Columned); ok && path.Ext(f.name) == ".jsonl" {
				columns[f.format] = c.Columns()
			}
			err = errors.Join(err, f.close(err))
			m.Files = append(m.Files, File{
				Name: f.name, Format: f.format, Split: split, Rows: f.count(len(s.rows[k])), Bytes: f.bytes, SHA256: hex.EncodeToString(f.hash.Sum(nil)),
			})
		}
		if err != nil {
			return err
		}
	}
	s.manifest.Prompts.Characters.finish()
	s.manifest.Prompts.Words.finish()
	if err := s.manifest.writeCards(dir, columns); err != nil {
		return err
	}
	text, err := rowjson.Indented(&s.manifest)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestName), append(text, '\n'), 0o666)
}

// madeRecord is what a record becomes in each of several files. Its error waits for its
// turn, so that the first of several faults is reported, whatever the number of threads.
type madeRecord struct {
	made              []any
	family            string
	characters, words int
	err               error
}

func (s *Set) make(ctx context.Context, split string, row row, files []*outFile) *madeRecord {
	r, err := s.record(ctx, split, row)
	if err != nil {
		return &madeRecord{err: err}
	}
	out := &madeRecord{
		family: r.Family, characters: utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.Prompt),
		words: len(strings.Fields(r.System)) + len(strings.Fields(r.Prompt)),
	}
	for _, f := range files {
		made, err := f.rows.Make(ctx, r)
		if err != nil {
			return &madeRecord{err: err}
		}
		out.made = append(out.made, made)
	}
	r.shared = nil // the record may wait for its turn
	return out
}

// outFile is a file that is being written.
type outFile struct {
	name, format string
	file         *os.File
	buf          *bufio.Writer
	hash         hash.Hash
	bytes        int64
	rows         Writer
}

// Write implements io.Writer for what the format writes.
func (f *outFile) Write(p []byte) (int, error) {
	n, err := f.buf.Write(p)
	f.hash.Write(p[:n])
	f.bytes += int64(n)
	return n, err
}

var _ io.Writer = (*outFile)(nil)

// count is the number of rows of a file that was given so many records.
func (f *outFile) count(records int) int {
	if c, ok := f.rows.(Counter); ok {
		return c.Rows()
	}
	return records
}

func (s *Set) open(dir, split string, formats []Format) ([]*outFile, error) {
	var files []*outFile
	fail := func(err error) ([]*outFile, error) {
		for _, f := range files {
			f.file.Close()
		}
		return nil, err
	}
	for _, format := range formats {
		f := &outFile{name: format.File(split), format: format.Name, hash: sha256.New()}
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			f.file, err = os.Create(path)
		}
		if err != nil {
			return fail(err)
		}
		files = append(files, f)
		f.buf = bufio.NewWriterSize(f.file, 1<<16)
		if f.rows, err = format.New(f, split, &s.manifest); err != nil {
			return fail(err)
		}
	}
	return files, nil
}

// close ends a file; failed is what went wrong before.
func (f *outFile) close(failed error) error {
	var err error
	if failed == nil {
		if err = f.rows.Close(); err == nil {
			err = f.buf.Flush()
		}
		if err == nil {
			err = f.file.Sync()
		}
	}
	return errors.Join(err, f.file.Close())
}
