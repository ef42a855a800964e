package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/llmbridge/extract"
)

// Settings are the options that decide on the rows of a data set.
type Settings struct {
	Seed uint64 `json:"seed"`
	// Dedup says which tasks count as the same: isomorphic, exact or none.
	Dedup string `json:"dedup"`
	// Names of objects: own, a pool of NamePools, or a list of names, "a,b,c".
	Names string `json:"names"`
	Split Ratio  `json:"split"`
	// SplitBy says what is never in two splits: "" for structures, SplitByDomain for domains.
	SplitBy string `json:"split_by,omitempty"`
	// BinCount bins hold about as many rows each, unless Edges are given: the upper ends of
	// all bins but the last.
	BinCount int       `json:"bins,omitempty"`
	Edges    []float64 `json:"bin_edges,omitempty"`
	// Constraints forbid actions; the zero value forbids none.
	Constraints Constraints `json:"constraints,omitzero"`
	// Goals is how many conditions of each goal are kept, drawn; 0 keeps all.
	Goals int `json:"goals,omitempty"`
	// Schedule prices the actions, in words; "" for the domain's own costs.
	Schedule string `json:"schedule,omitempty"`
	// Prompts, as prompt.Options has them.
	Style       string `json:"style"`
	Templates   string `json:"templates,omitempty"`
	Shots       int    `json:"shots,omitempty"`
	Reasoning   string `json:"reasoning,omitempty"`
	Incantation string `json:"incantation,omitempty"`
	System      string `json:"system,omitempty"`
	PlanTags    bool   `json:"plan_tags,omitempty"`
	// Answer is the reader that answers are for, "" for natural. The strict one has PlanTags.
	Answer extract.Kind `json:"answer,omitempty"`
	// Sample is how many tasks were chosen of each source; 0 for all.
	Sample int `json:"sample,omitempty"`
	// Excluded is how many structures of other data sets are left out.
	Excluded int `json:"excluded_structures,omitempty"`
	// Nodes bounds the search for the plan of a task; 0 is no bound.
	Nodes int64 `json:"nodes,omitempty"`
}

// Constraints say how many actions each task forbids, chosen so that each binds and the task
// stays solvable ([SampleRestrictions]).
type Constraints struct {
	// Min to Max actions are forbidden, as many as the seed says; 0 leaves a task as it is.
	Min int `json:"min"`
	Max int `json:"max"`
	// Variants is the number of restricted forms of each task; 0 stands for 1.
	Variants int `json:"variants,omitempty"`
	// Patterns forbids also all actions of a form, "(stack ? b)", and Dearer only what makes
	// the cheapest plan dearer.
	Patterns bool `json:"patterns,omitempty"`
	Dearer   bool `json:"dearer,omitempty"`
}

// Ways to tell whether two tasks are the same.
const (
	DedupIsomorphic = "isomorphic" // but for the names of objects
	DedupExact      = "exact"      // text by text
	DedupNone       = "none"
)

// SplitByDomain holds whole domains out, so that tests show what is learned across domains. Domains
// that mean the same are one, whatever they are called.
const SplitByDomain = "domain"

// Ratio says how many of 100 structures belong to each of Splits. Those of
// test-contaminated are in train as well.
type Ratio [4]float64

// DefaultRatio is that of the process-reward thesis (Chawla, section 3.2.4): 70 to train
// on, 10 to validate, 10 for a clean test and 10 for a contaminated one.
var DefaultRatio = Ratio{70, 10, 10, 10}

// ParseRatio reads "70,10,10,10".
func ParseRatio(text string) (Ratio, error) {
	var r Ratio
	bad := fmt.Errorf("%q does not split the structures: it takes four numbers, for %s, that add up to 100, as 70,10,10,10", text, strings.Join(Splits(), ", "))
	words := strings.Split(text, ",")
	if len(words) != len(r) {
		return r, bad
	}
	sum := 0.0
	for i, w := range words {
		x, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil || !(x >= 0 && x <= 100) {
			return r, bad
		}
		r[i] = x
		sum += x
	}
	if sum < 99.999999 || sum > 100.000001 {
		return r, bad
	}
	return r, nil
}

// ParseEdges reads "4,8,12".
func ParseEdges(text string) ([]float64, error) {
	var edges []float64
	for _, w := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
		if err != nil || !(x >= 0 && x < 1e15) {
			return nil, fmt.Errorf("%q is not a list of ends of bins, such as 4,8,12", text)
		}
		edges = append(edges, x)
	}
	if !slices.IsSorted(edges) || len(slices.Compact(slices.Clone(edges))) != len(edges) {
		return nil, fmt.Errorf("the ends of bins %q do not increase", text)
	}
	return edges, nil
}
