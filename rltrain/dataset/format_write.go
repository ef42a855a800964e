package dataset

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Counter is a Writer whose file has another number of rows than it was given records.
type Counter interface {
	// Rows is the number of rows written so far; it is final after Close.
	Rows() int
}

// sink writes rows of one type to a file.
type sink[T any] interface {
	row(*T) error
	close() error
}

// jsonSink writes JSON Lines. Members stand in the order of T's fields.
type jsonSink[T any] struct{ enc *json.Encoder }

func newJSONSink[T any](w io.Writer) sink[T] {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return jsonSink[T]{enc}
}

func (s jsonSink[T]) row(r *T) error { return s.enc.Encode(r) }
func (s jsonSink[T]) close() error   { return nil }

// Groups of rows end at this many rows or bytes of text, whatever comes first, so that a
// file's bytes depend on its rows alone.
const rowGroup = 4096

// parquetSink writes a Parquet file. Nothing in it tells when or where it was written:
// created_by is fixed, and zstd's encoder is the same code on every machine (snappy's is
// not).
type parquetSink[T any] struct {
	w *parquet.GenericWriter[T]
}

func newParquetSink[T any](w io.Writer) sink[T] {
	return parquetSink[T]{parquet.NewGenericWriter[T](w,
		parquet.CreatedBy("planproof", "1", "0"),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.MaxRowsPerRowGroup(rowGroup),
	)}
}

func (s parquetSink[T]) row(r *T) error {
	_, err := s.w.Write([]T{*r})
	return err
}

func (s parquetSink[T]) close() error { return s.w.Close() }

// rowWriter is a Writer that turns each record into any number of rows.
type rowWriter[T any] struct {
	sink[T]
	make func(*Record) ([]T, error)
	// rest, if set, makes rows of all records when there are no more.
	rest func() ([]T, error)
	n    int
}

// Write implements Writer.
func (w *rowWriter[T]) Write(r *Record) error {
	rows, err := w.make(r)
	if err != nil {
		return err
	}
	return w.put(rows)
}

func (w *rowWriter[T]) put(rows []T) error {
	for i := range rows {
		if err := w.row(&rows[i]); err != nil {
			return err
		}
	}
	w.n += len(rows)
	return nil
}

// Close implements Writer.
func (w *rowWriter[T]) Close() error {
	if w.rest != nil {
		rows, err := w.rest()
		if err != nil {
			return err
		}
		if err := w.put(rows); err != nil {
			return err
		}
	}
	return w.close()
}

// Rows implements Counter.
func (w *rowWriter[T]) Rows() int { return w.n }

// rowsTo writes rows of one type to a file with the given ending.
func rowsTo[T any](w io.Writer, ext string, each func(*Record) ([]T, error), rest func() ([]T, error)) Writer {
	open := newJSONSink[T]
	if ext == "parquet" {
		open = newParquetSink[T]
	}
	return &rowWriter[T]{sink: open(w), make: each, rest: rest}
}

// one is a row for each record.
func one[T any](row func(*Record) T) func(*Record) ([]T, error) {
	return func(r *Record) ([]T, error) { return []T{row(r)}, nil }
}

// begin starts a file of a trainer's format; ext is jsonl or parquet.
type begin func(w io.Writer, ext, split string, m *Manifest) (Writer, error)

// registerTrainer adds a format with files FOLDER/SPLIT.EXT, in a folder of its name. Both
// forms of one format have the same folder.
func registerTrainer(name, doc, ext string, f begin) {
	folder := strings.TrimSuffix(name, "-parquet")
	register(Format{
		Name: name, Doc: doc,
		File: func(split string) string { return folder + "/" + split + "." + ext },
		New: func(w io.Writer, split string, m *Manifest) (Writer, error) {
			return f(w, ext, split, m)
		},
	})
}

// registerBoth adds a format as JSON Lines and, under the name with -parquet, as Parquet.
func registerBoth(name, doc string, f begin) {
	registerTrainer(name, doc, "jsonl", f)
	registerTrainer(name+"-parquet", doc+", as Parquet", "parquet", f)
}
