package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
)

// MaxShards is the most parts that inputs are split into: each has an open file.
const MaxShards = 1000

// SplitOptions of Split.
type SplitOptions struct {
	// Schedules are the schedules of inputs that name none; nil means the domain's own costs.
	Schedules []costmodel.Schedule
	// Known, if set, is the file of a store; rows that it has an answer for are left out.
	Known string
	// Progress, if set, is called with the number of rows read.
	Progress func(rows int)
}

// SplitStats counts rows: an input under one schedule each.
type SplitStats struct {
	Rows     int   // written
	Known    int   // left out
	PerShard []int // written into each shard
	// Faults are the inputs that could not be read, in order of the input.
	Faults []Fault
}

// splitRow is an input with its texts and its schedule, as [Rows] reads it.
type splitRow struct {
	ID       string `json:"id"`
	Schedule string `json:"schedule"`
	Domain   string `json:"domain_text"`
	Problem  string `json:"problem_text"`
}

// Split distributes inputs over shards, which separate fills can work on: rows with one key
// are in one shard, so that no task is solved twice. shard is asked for the writer of a shard
// when its first row comes. A row depends on nothing but its input, and a shard on nothing but
// the inputs and the number of shards, 1 to [MaxShards].
func Split(ctx context.Context, inputs iter.Seq[Input], shards int, shard func(int) (io.Writer, error), opt SplitOptions) (SplitStats, error) {
	if shards < 1 || shards > MaxShards {
		return SplitStats{}, fmt.Errorf("inputs are split into 1 to %d shards, not %d", MaxShards, shards)
	}
	if opt.Schedules == nil {
		opt.Schedules = []costmodel.Schedule{{}}
	}
	var store *Store
	if opt.Known != "" {
		var err error
		if store, err = OpenReadOnly(opt.Known); err != nil {
			return SplitStats{}, err
		}
		defer store.Close()
	}
	stats := SplitStats{PerShard: make([]int, shards)}
	writers := make([]io.Writer, shards)
	for in := range inputs {
		if err := ctx.Err(); err != nil {
			return stats, err
		}
		err := in.each(opt.Schedules, func(t *Task) error {
			if known, err := store.answers(in.Name, t.Key); known || err != nil {
				stats.Known++
				return err
			}
			at := int(binary.BigEndian.Uint64(t.Key[:]) % uint64(shards))
			if writers[at] == nil {
				var err error
				if writers[at], err = shard(at); err != nil {
					return err
				}
			}
			stats.Rows++
			stats.PerShard[at]++
			return rowjson.WriteLine(writers[at], splitRow{in.Name, t.Schedule, t.Domain, t.Problem})
		}, func(err error) { stats.Faults = append(stats.Faults, Fault{Name: in.Name, Err: err}) })
		if err != nil {
			return stats, err
		}
		if opt.Progress != nil {
			opt.Progress(stats.Rows + stats.Known)
		}
	}
	return stats, nil
}

// answers reports whether the store has an answer to the row under this name. A nil store has none.
func (s *Store) answers(name string, key Key) (bool, error) {
	if s == nil {
		return false, nil
	}
	r, found, err := s.Lookup(key)
	if err != nil || !found || !proven(r.Status) {
		return false, err
	}
	return s.named(name, key)
}

// each hands the tasks of an input under its schedules, or these if it has none, to do, and what
// cannot be read to fault. It ends with an error of do.
func (in *Input) each(schedules []costmodel.Schedule, do func(*Task) error, fault func(error)) error {
	texts, err := in.texts()
	if err == nil {
		err = checkName(in.Name)
	}
	if err != nil {
		fault(err)
		return nil
	}
	if in.Schedules != nil {
		schedules = in.Schedules
	}
	for _, s := range schedules {
		task, err := texts.Task(s)
		if err != nil {
			fault(fmt.Errorf("%s: %w", in.Name, err))
			continue
		}
		if err := do(task); err != nil {
			return err
		}
	}
	return nil
}

// JSON is the object of the counts.
func (s *SplitStats) JSON() any {
	return map[string]any{"rows": s.Rows, "known": s.Known, "per_shard": s.PerShard, "errors": len(s.Faults)}
}

// WriteText writes the counts for people. name is that of the folder.
func (s *SplitStats) WriteText(w io.Writer, name string) error {
	_, err := fmt.Fprintf(w, "%s in %s (%d left out: known)\n", spell.Plural(s.Rows, "row"), name, s.Known)
	return err
}

// shardName is the name of a shard's file.
func shardName(i int) string { return fmt.Sprintf("shard-%04d.jsonl", i) }

// SplitFolder is [Split] into files of JSON Lines in a folder, shard-0000.jsonl and so on, without
// those that would be empty. The folder appears when it is complete, in place of an older one,
// which may hold nothing but shards.
func SplitFolder(ctx context.Context, inputs iter.Seq[Input], shards int, dir string, opt SplitOptions) (stats SplitStats, err error) {
	there, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stats, err
	}
	for _, f := range there {
		if ok, _ := filepath.Match("shard-*.jsonl", f.Name()); !ok {
			return stats, fmt.Errorf("%s holds %s, which is no shard; name another folder", dir, f.Name())
		}
	}
	err = outfile.WriteFolder(dir, func(temp string) (err error) {
		var files []*os.File
		var buffers []*bufio.Writer
		stats, err = Split(ctx, inputs, shards, func(i int) (io.Writer, error) {
			f, err := os.Create(filepath.Join(temp, shardName(i)))
			if err != nil {
				return nil, err
			}
			w := bufio.NewWriter(f)
			files, buffers = append(files, f), append(buffers, w)
			return w, nil
		}, opt)
		for i, f := range files {
			err = errors.Join(err, buffers[i].Flush(), f.Close())
		}
		return err
	})
	return stats, err
}
