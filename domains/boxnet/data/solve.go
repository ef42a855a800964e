package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/astar"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// MaxRow is the longest row that is read, in bytes.
const MaxRow = 16 << 20

// SolveOptions of Solve.
type SolveOptions struct {
	joint.Options
	JSON    bool
	Workers int
	// Certificates is a folder for the certificate of each row with a plan, ROW.cert; "" for none.
	Certificates string
	// AStar, if positive, is the weight with which the paper's search is run, too.
	AStar float64
}

// Stats counts answered rows.
type Stats struct{ Solved, Unsolvable, Limits, Errors int }

// Solve answers rows of instances, in order: {"id", "error"} for one that cannot be read.
func Solve(ctx context.Context, in io.Reader, out io.Writer, opt SolveOptions) (Stats, error) {
	if opt.Certificates != "" {
		if err := os.MkdirAll(opt.Certificates, 0o777); err != nil {
			return Stats{}, err
		}
	}
	var counts [3]atomic.Int64
	bad, err := Each(ctx, in, out, opt.Workers, func(ctx context.Context, line *rowstream.Line) ([]byte, error) {
		row, err := solveRow(ctx, line, &opt)
		if err != nil {
			return nil, err
		}
		switch {
		case row.Steps != nil:
			counts[0].Add(1)
		case row.Proved:
			counts[1].Add(1)
		default:
			counts[2].Add(1)
		}
		if opt.JSON {
			return append(rowjson.Append(nil, row), '\n'), nil
		}
		return fmt.Appendf(nil, "%s: %s", bytes.Trim(row.ID, `"`), row.Words()), nil
	})
	return Stats{int(counts[0].Load()), int(counts[1].Load()), int(counts[2].Load()), bad}, err
}

func solveRow(ctx context.Context, line *rowstream.Line, opt *SolveOptions) (*Row, error) {
	task, err := boxnet.ReadInstance(line.Text, true)
	if err != nil {
		return nil, err
	}
	own := opt.Options
	own.Certificate = opt.Certificates != ""
	res, err := joint.Solve(ctx, task, own)
	if err != nil {
		return nil, err
	}
	if res.Certificate != nil {
		path := filepath.Join(opt.Certificates, fmt.Sprintf("%d.cert", line.Row))
		if err := outfile.Write(path, outfile.Std{}, func(w io.Writer) error { _, err := res.Certificate.WriteTo(w); return err }); err != nil {
			return nil, err
		}
	}
	row := newRow(RowID(line), task, res)
	if opt.AStar > 0 && row.Steps != nil {
		found, err := astar.Search(ctx, task, astar.Options{Reading: opt.Reading, Weight: opt.AStar})
		if err != nil {
			return nil, err
		}
		steps := rowjson.Null
		if found.Found {
			steps = fmt.Appendf(nil, "%d", len(found.Plan))
		}
		row.AStar = &steps
	}
	return row, nil
}

// RowID is the id of a row, or its number.
func RowID(line *rowstream.Line) json.RawMessage {
	var id json.RawMessage
	_ = rowjson.EachMember(line.Text, func(name string, value []byte) error {
		if name == "id" {
			id = bytes.Clone(value)
		}
		return nil
	})
	if len(id) == 0 {
		return fmt.Appendf(nil, "%d", line.Row)
	}
	return id
}

// Each answers rows in order. A row that is no JSON, or whose answer is an error, is answered with
// {"id", "error"}; bad is their number.
func Each(ctx context.Context, in io.Reader, out io.Writer, workers int, answer func(context.Context, *rowstream.Line) ([]byte, error)) (bad int, err error) {
	w := bufio.NewWriter(out)
	var refused atomic.Int64
	refuse := func(line *rowstream.Line, err error) []byte {
		refused.Add(1)
		return refusal(line, err)
	}
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: workers, MaxLine: MaxRow},
		func(ctx context.Context, line *rowstream.Line) (text []byte) {
			defer func() {
				if x := recover(); x != nil {
					text = refuse(line, fmt.Errorf("internal error (please report it): %v", x))
				}
			}()
			line.Text = bytes.TrimSpace(line.Text)
			err := rowjson.Unmarshal(line.Text, new(struct{}), false)
			if line.Length > MaxRow {
				err = rowjson.Errorf(rowjson.CodeTooLong, "", "the row has %d bytes, more than %d", line.Length, MaxRow)
			}
			if err == nil {
				text, err = answer(ctx, line)
			}
			if err != nil {
				return refuse(line, err)
			}
			return text
		},
		func(text []byte) error {
			_, err := w.Write(text)
			return err
		}, w.Flush)
	return int(refused.Load()), err
}

func refusal(line *rowstream.Line, err error) []byte {
	id := rowjson.Null
	if rowjson.Valid(line.Text) {
		id = RowID(line)
	}
	return append(rowjson.Append(nil, struct {
		ID    json.RawMessage `json:"id"`
		Error string          `json:"error"`
	}{id, fmt.Sprintf("row %d: %s", line.Row, rowjson.Fault(err))}), '\n')
}
