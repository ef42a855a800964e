package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/planproof/planproof/search"
)

// Failed is the status of a row whose answer could not be had although no limit was
// reached and every feature is supported: costs beyond 63 bits, or a plan that the
// judge refused. Reason says which. The other statuses are those of package search.
const Failed search.Status = "error"

// proven reports whether a status is an answer that no further work can change.
func proven(s search.Status) bool { return s == search.SolvedOptimally || s == search.Unsolvable }

// Record is one row: what is known about a task under a schedule.
type Record struct {
	Key      Key
	Schedule string // canonical, empty for the domain's own costs
	Status   search.Status
	// Cost is the exact optimal cost, an integer, a decimal or a fraction, and Steps the
	// length of Plan; empty and 0 unless Status is SolvedOptimally.
	Cost  string
	Steps int
	Plan  []string // such as "(stack a b)", judged before it was stored
	// Reason explains a status that is no answer.
	Reason string
	// Search is the search that answered, such as astar(lmcut()), and Expanded the states
	// that it expanded; Version is the program's.
	Search   string
	Expanded int64
	Version  string
	// Table has the exact distances of all reachable states, Certificate a proof of the
	// answer that can be checked without trusting the search.
	Table, Certificate Attachment
	// Limits were in force when the answer was found, grounding included.
	Limits  search.Limits
	Elapsed time.Duration
	// Finished is when the row was made, in whole seconds.
	Finished time.Time
	// Names are the names under which the task was filled in, sorted. Lookup leaves them out.
	Names []string

	domainSum, problemSum [sha256.Size]byte
}

// Attachment is a file that belongs to a row.
type Attachment struct {
	// File is its path, relative to the folder of the store where it lies below that; empty
	// unless Status is Made.
	File string
	// Status is "" where none was asked for, Made, or the status that kept it from being made.
	Status string
}

// Made is the Status of an attachment that exists.
const Made = "made"

// merge adds to what a row has what was made later.
func (a Attachment) merge(found Attachment) Attachment {
	if found.Status == Made || a.Status != Made && found.Status != "" {
		return found
	}
	return a
}

// planText is the form in which plans are stored.
func (r *Record) planText() string { return strings.Join(r.Plan, "\n") }

// sumSize is the size of the checksum of a row, a truncated SHA-256.
const sumSize = 16

// checksum covers every column of a row.
func (r *Record) checksum() []byte {
	h := sha256.New()
	write := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	number := func(ns ...int64) {
		for _, v := range ns {
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(v))
			h.Write(n[:])
		}
	}
	h.Write(r.Key[:])
	h.Write(r.domainSum[:])
	h.Write(r.problemSum[:])
	for _, s := range []string{
		r.Schedule, string(r.Status), r.Cost, r.planText(), r.Reason, r.Search, r.Version,
		r.Table.File, r.Table.Status, r.Certificate.File, r.Certificate.Status,
	} {
		write(s)
	}
	number(int64(r.Steps), r.Expanded, int64(r.Limits.Wall), r.Limits.Memory, r.Limits.Nodes, int64(r.Elapsed), r.Finished.Unix())
	return h.Sum(nil)[:sumSize]
}

// nameSum is the checksum of a name of a row.
func nameSum(name string, key Key) []byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write([]byte(name))
	return h.Sum(nil)[:sumSize]
}

// ConflictError says that two proofs about one task contradict each other: a bug in
// planproof or a machine that computes wrongly. The store keeps what it has.
type ConflictError struct{ Have, Found *Record }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: the store has %s and now %s was found: one of them is wrong; please report it", e.Have.Key, e.Have.claim(), e.Found.claim())
}

// claim words what a proven row says.
func (r *Record) claim() string {
	if r.Status == search.SolvedOptimally {
		return "optimal cost " + r.Cost + " (" + r.Search + ")"
	}
	return string(r.Status) + " (" + r.Search + ")"
}

// merge decides what a row becomes when another result for its key arrives. It returns
// nil if the row stays as it is.
func merge(have, found *Record) (*Record, error) {
	switch {
	case proven(have.Status) && proven(found.Status):
		if have.Status != found.Status || have.Cost != found.Cost {
			return nil, &ConflictError{have, found}
		}
		// The proof that came first stays; a table or a certificate is added to it.
		merged := *have
		merged.Table, merged.Certificate = have.Table.merge(found.Table), have.Certificate.merge(found.Certificate)
		if merged.Table == have.Table && merged.Certificate == have.Certificate {
			return nil, nil
		}
		return &merged, nil
	case proven(have.Status):
		return nil, nil
	}
	return found, nil
}

// consistent reports why a record cannot be true, whatever its task: a solved one has a
// cost and a plan, the others have neither.
func (r *Record) consistent() error {
	solved := r.Status == search.SolvedOptimally
	switch r.Status {
	case search.SolvedOptimally, search.Unsolvable, search.Timeout, search.Memout, search.Nodeout, search.Unsupported, Failed:
	default:
		return fmt.Errorf("unknown status %q", r.Status)
	}
	switch {
	case solved != (r.Cost != ""):
		return fmt.Errorf("status %s with cost %q", r.Status, r.Cost)
	case r.Steps != len(r.Plan) || !solved && r.Steps > 0:
		return fmt.Errorf("status %s, %d steps and a plan of %d", r.Status, r.Steps, len(r.Plan))
	case r.Expanded < 0 || r.Limits.Wall < 0 || r.Limits.Memory < 0 || r.Limits.Nodes < 0 || r.Elapsed < 0 || r.Steps > math.MaxInt32:
		return fmt.Errorf("a figure is out of range")
	}
	for _, a := range []Attachment{r.Table, r.Certificate} {
		if (a.Status == Made) != (a.File != "") {
			return fmt.Errorf("a table or certificate of status %q with the file %q", a.Status, a.File)
		}
	}
	return nil
}
