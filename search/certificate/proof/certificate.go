package proof

import (
	"crypto/sha256"
	"hash/crc32"
	"math"

	"github.com/planproof/planproof/grounder/fdr"
)

// Magic begins every file; its digit is the version of the format.
const Magic = "PPCERT3\n"

// Castagnoli is the polynomial of the checksum at the end of a file.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Claim is what a certificate proves.
type Claim uint8

// Claims.
const (
	// LowerBound: no plan costs less than Bound.
	LowerBound Claim = iota
	// Optimal: no plan costs less than Bound, and Plan costs that much.
	Optimal
	// Unsolvable: there is no plan.
	Unsolvable
)

var claimNames = [...]string{"lower-bound", "optimal", "unsolvable"}

// String returns the claim's name in reports.
func (c Claim) String() string { return claimNames[c] }

// Infinite is the bound of a state from which the goal cannot be reached.
const Infinite int64 = math.MaxInt64

// Certificate is the content of a file. Costs are in units of Task.Unit,
// without CostBase.
type Certificate struct {
	Header
	Plan []fdr.OperatorID // of Optimal
	// Parts and Groups are bounds that hold in every state: see Part and Group. The first
	// Base groups count for each state that is not listed.
	Parts  []Part
	Groups []Group
	Base   int
	// The listed states: Layout.Words words each in Rows, a bound each in Bounds, and in
	// Evidence what says why: see EvidenceOf.
	Rows     []uint64
	Bounds   []int64
	Evidence []uint32
}

// Header is what can be read before the task is grounded.
type Header struct {
	// Task is Task.Hash of the ground task, Domain and Problem are SHA-256 of the texts (zero
	// when unknown); only Task must agree.
	Task, Domain, Problem [sha256.Size]byte
	// Whole says that the task was grounded with grounder.Options.KeepIrrelevant.
	Whole bool
	Claim Claim
	Bound int64 // Infinite for Unsolvable
	// Goal is the condition that took the place of the problem's goal, "(on a b)", and Step the step
	// whose precondition that is; both are "" of a certificate about the problem as it is. With the
	// claim Unsolvable they say that the condition never holds, and that the step never applies.
	Goal, Step string
}

// Part is a function from states to bounds that does not depend on how the state is
// reached: a table of abstract distances, or a zone.
//
// A table (Vars not empty) is indexed by the values of the state variables Vars, in
// increasing order, the last one fastest.
//
// A zone (Vars empty) is a set of facts, sorted, with one of the goal. In a state in which
// none of them holds some operator must bring the first one about. The zone's value, the
// Cost of a Term, is due in such states and 0 in others.
type Part struct {
	Vars   []int32
	Values []int64
	Facts  []fdr.Fact
}

// Term is a part in a group. Cost is the value of a zone and 0 for a table.
type Term struct {
	Part int32
	Cost int64
}

// bytes is what the lists of a certificate take.
func (c *Certificate) bytes() int64 {
	n := 4*int64(cap(c.Plan)) + 72*int64(cap(c.Parts)) + 24*int64(cap(c.Groups))
	for i := range c.Parts {
		p := &c.Parts[i]
		n += 4*int64(cap(p.Vars)) + 8*int64(cap(p.Values)+cap(p.Facts))
	}
	for _, g := range c.Groups {
		n += 16 * int64(cap(g))
	}
	return n + 8*int64(cap(c.Rows)+cap(c.Bounds)) + 4*int64(cap(c.Evidence))
}

// Group is a sum of parts that share the costs of the operators among them.
type Group []Term

// MaxGroups bounds the number of groups, so that evidence fits into 32 bits.
const MaxGroups = 1<<31 - 2

// SplitEvidence reads why the bound of a listed state holds. A direct bound is the value of
// the group in that state. Otherwise the bound follows from the successors; those that are
// not listed count with the greatest of the base groups and this group. Group is -1 for
// none.
func SplitEvidence(e uint32) (group int, direct bool) { return int(e>>1) - 1, e&1 != 0 }
