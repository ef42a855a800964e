package dataset

import (
	"bytes"
	"context"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/planproof/planproof/internal/rowjson"
)

// Counter is a Writer whose file has another number of rows than it was given records.
type Counter interface {
	// Rows is the number of rows written so far; it is final after Close.
	Rows() int
}

// sink writes rows of one type to a file, in two steps: encode may be called for several
// rows at a time, write is called for one after the other.
type sink[T any] interface {
	encode([]T) (encoded[T], error)
	write(encoded[T]) error
	close() error
}

// encoded are rows as far as they can be written without knowing those before them: their
// text, or in a Parquet file the rows as they are.
type encoded[T any] struct {
	n    int
	text []byte
	rows []T
}

// jsonSink writes JSON Lines. Members stand in the order of T's fields.
type jsonSink[T any] struct{ w io.Writer }

func (s jsonSink[T]) encode(rows []T) (encoded[T], error) {
	var buf bytes.Buffer
	if err := rowjson.WriteLines(&buf, rows); err != nil {
		return encoded[T]{}, err
	}
	return encoded[T]{n: len(rows), text: buf.Bytes()}, nil
}

func (s jsonSink[T]) write(e encoded[T]) error {
	_, err := s.w.Write(e.text)
	return err
}

func (s jsonSink[T]) close() error { return nil }

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

func (s parquetSink[T]) encode(rows []T) (encoded[T], error) {
	return encoded[T]{n: len(rows), rows: rows}, nil
}

func (s parquetSink[T]) write(e encoded[T]) error {
	for i := range e.rows { // one by one: the bytes depend on it
		if _, err := s.w.Write(e.rows[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (s parquetSink[T]) close() error { return s.w.Close() }

// rowWriter is a Writer that turns each record into any number of rows.
type rowWriter[T any] struct {
	sink[T]
	make func(context.Context, *Record) ([]T, error)
	// leaveOut, if set, gets the records that make has no row for, with the reason.
	leaveOut func(r *Record, reason string, err error)
	// number, if set, numbers the rows of the file, from 0. Only Parquet files have such rows.
	number func(*T, int64)
	n      int
}

// madeRows is what a rowWriter makes of a record.
type madeRows[T any] struct {
	record *Record
	rows   encoded[T]
	reason string // why there are none, "" if that is how it is
	left   error
}

// Make implements Writer.
func (w *rowWriter[T]) Make(ctx context.Context, r *Record) (any, error) {
	rows, err := w.make(ctx, r)
	if err != nil {
		if reason := leftOut(err); reason != "" && w.leaveOut != nil {
			return madeRows[T]{record: r, reason: reason, left: err}, nil
		}
		return nil, err
	}
	e, err := w.encode(rows)
	return madeRows[T]{record: r, rows: e}, err
}

// Write implements Writer.
func (w *rowWriter[T]) Write(made any) error {
	m := made.(madeRows[T])
	if m.reason != "" {
		w.leaveOut(m.record, m.reason, m.left)
		return nil
	}
	if w.number != nil {
		for i := range m.rows.rows {
			w.number(&m.rows.rows[i], int64(w.n+i))
		}
	}
	w.n += m.rows.n
	return w.write(m.rows)
}

// Close implements Writer.
func (w *rowWriter[T]) Close() error { return w.close() }

// Rows implements Counter.
func (w *rowWriter[T]) Rows() int { return w.n }

// Columns implements Columned.
func (w *rowWriter[T]) Columns() reflect.Type {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Pointer { // the plain format's *Record
		return t.Elem()
	}
	return t
}

// newSink writes rows of one type to a file with the given ending.
func newSink[T any](w io.Writer, ext string) sink[T] {
	if ext == "parquet" {
		return newParquetSink[T](w)
	}
	return jsonSink[T]{w}
}

// rowsTo writes the rows that each makes of a record to a file with the given ending.
func rowsTo[T any](w io.Writer, ext string, each func(context.Context, *Record) ([]T, error)) *rowWriter[T] {
	return &rowWriter[T]{sink: newSink[T](w, ext), make: each}
}

// one is a row for each record.
func one[T any](row func(*Record) T) func(context.Context, *Record) ([]T, error) {
	return func(_ context.Context, r *Record) ([]T, error) { return []T{row(r)}, nil }
}

// begin starts a file of a trainer's format; ext is jsonl or parquet.
type begin func(w io.Writer, ext, split string, m *Manifest) (Writer, error)

// registerTrainer adds a format with files NAME/SPLIT.EXT: a folder of its own, since
// datasets.load_dataset reads only one kind of file in a folder.
func registerTrainer(name, doc, ext string, f begin) {
	register(Format{
		Name: name, Doc: doc,
		File: func(split string) string { return name + "/" + split + "." + ext },
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
