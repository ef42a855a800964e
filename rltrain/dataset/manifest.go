package dataset

import (
	"maps"
	"slices"
)

// ManifestSchema names the layout of a manifest.
const ManifestSchema = "planproof.dataset/1"

// Manifest describes a data set: manifest.json in its folder. Equal inputs and options
// give equal manifests.
type Manifest struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // of planproof
	// Options are those that decide on the rows.
	Options Settings `json:"options"`
	// Trainers are the options of the formats for trainers; nil for the usual ones.
	Trainers *TrainerOptions `json:"trainers,omitempty"`
	// Sources count the tasks that came in.
	Sources []SourceCount `json:"sources"`
	// Rows, and how many different structures they have.
	Rows       int `json:"rows"`
	Structures int `json:"structures"`
	// Constrained counts the rows whose task forbids actions.
	Constrained int `json:"constrained"`
	// Inexact counts the structures whose canonical form was not found within bounds; tasks
	// that differ only in names may have two of them, but never in two splits.
	Inexact int          `json:"inexact_structures"`
	Bins    []BinRange   `json:"bins"`
	Splits  []SplitCount `json:"splits"`
	// Prompts has the lengths of the column prompt, system message included.
	Prompts struct {
		Characters Histogram `json:"characters"`
		Words      Histogram `json:"words"`
	} `json:"prompts"`
	// Dropped counts the tasks left out by reason, and Faults says of each that something is
	// wrong with what it is.
	Dropped map[string]int `json:"dropped"`
	Faults  []Fault        `json:"faults"`
	Files   []File         `json:"files"`
}

// SourceCount is a source and the number of tasks it gave.
type SourceCount struct {
	Name  string `json:"name"`
	Tasks int    `json:"tasks"`
}

// BinRange is a bin of difficulties: those above Above, up to UpTo; nil is no bound.
type BinRange struct {
	Name  string   `json:"name"`
	Above *float64 `json:"above"`
	UpTo  *float64 `json:"up_to"`
	Rows  int      `json:"rows"`
}

// SplitCount counts the rows of a split.
type SplitCount struct {
	Name       string         `json:"name"`
	Rows       int            `json:"rows"`
	Structures int            `json:"structures"`
	Bins       map[string]int `json:"bins"`
	Families   map[string]int `json:"families"`
}

// Histogram tells how long prompts are.
type Histogram struct {
	Min   int   `json:"min"`
	Max   int   `json:"max"`
	Total int64 `json:"total"`
	// Half, nine tenths and 99 of 100 prompts are no longer than that.
	Half int `json:"p50"`
	P90  int `json:"p90"`
	P99  int `json:"p99"`
	// Bins are of equal width, a round number, and at most 20.
	Bins []LengthBin `json:"bins"`

	counts map[int]int
}

// LengthBin counts the lengths up to UpTo that are in no bin before.
type LengthBin struct {
	UpTo int `json:"up_to"`
	Rows int `json:"rows"`
}

// Fault is a task that is not in the data set, and why.
type Fault struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Err is the error itself, which may be diagnostics.
	Err error `json:"-"`
}

// File is a file of the data set.
type File struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Split  string `json:"split"`
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Reasons why a task is not in a data set.
const (
	DropBroken     = "broken"        // it cannot be read, or has no optimal plan that search could find and prove
	DropGoalHolds  = "goal_holds"    // the empty plan solves it
	DropUnsolvable = "unsolvable"    // it has no plan
	DropExcluded   = "excluded"      // another data set has its structure
	DropFree       = "unconstrained" // no action can be forbidden so that it binds and leaves the task solvable
	DropLimit      = "limit"         // a limit ended the search for its plan
	DropIsomorphic = "isomorphic"    // it is another but for the names of objects
	DropSame       = "same"          // it is another, text by text
)

func (h *Histogram) add(n int) {
	if h.counts == nil {
		h.counts = map[int]int{}
		h.Min = n
	}
	h.Min, h.Max = min(h.Min, n), max(h.Max, n)
	h.Total += int64(n)
	h.counts[n]++
}

// finish makes quantiles and bins of what was added.
func (h *Histogram) finish() {
	const most = 20
	lengths := slices.Sorted(maps.Keys(h.counts))
	rows := 0
	for _, n := range h.counts {
		rows += n
	}
	width := 1
	for k := 0; h.Max/width-h.Min/width >= most; k++ {
		width = []int{2, 5, 10}[k%3] * width / []int{1, 2, 5}[k%3] // 1, 2, 5, 10, 20, 50
	}
	h.Bins = []LengthBin{}
	seen := 0
	for _, n := range lengths {
		seen += h.counts[n]
		for _, q := range []struct {
			percent int
			to      *int
		}{{50, &h.Half}, {90, &h.P90}, {99, &h.P99}} {
			if *q.to == 0 && seen*100 >= rows*q.percent {
				*q.to = n
			}
		}
		upTo := (n/width+1)*width - 1
		if k := len(h.Bins); k == 0 || h.Bins[k-1].UpTo != upTo {
			h.Bins = append(h.Bins, LengthBin{UpTo: upTo})
		}
		h.Bins[len(h.Bins)-1].Rows += h.counts[n]
	}
}
