package certificate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"io"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/certificate/proof"
)

// What a certificate consists of, and what is said of it: see package proof.
type (
	// Certificate is the content of a file.
	Certificate = proof.Certificate
	// Header is what can be read before the task is grounded.
	Header = proof.Header
	// Claim is what a certificate proves.
	Claim = proof.Claim
	// Part is a function from states to bounds: a table or a zone.
	Part = proof.Part
	// Term is a part in a group.
	Term = proof.Term
	// Group is a sum of parts that share the costs of the operators among them.
	Group = proof.Group
	// Layout says how a certificate writes a state.
	Layout = proof.Layout
	// Report counts what Check has looked at.
	Report = proof.Report
	// Refusal says where and why a certificate does not hold.
	Refusal = proof.Refusal
	// FormatError says why a file is not a readable certificate.
	FormatError = proof.FormatError
)

// Claims.
const (
	LowerBound = proof.LowerBound // no plan costs less than Bound
	Optimal    = proof.Optimal    // and Plan costs that much
	Unsolvable = proof.Unsolvable // there is no plan
)

// Infinite is the bound of a state from which the goal cannot be reached.
const Infinite = proof.Infinite

// MaxGroups bounds the number of groups, so that evidence fits into 32 bits.
const MaxGroups = proof.MaxGroups

// ErrMemory says that a certificate needs more memory than allowed.
var ErrMemory = proof.ErrMemory

// EvidenceOf encodes why the bound of a listed state holds: see [proof.SplitEvidence].
func EvidenceOf(group int, direct bool) uint32 {
	e := uint32(group+1) << 1
	if direct {
		e |= 1
	}
	return e
}

// ListBytes is the memory for listing n states of some words each: words, bound, evidence,
// and the order in which they are written.
func ListBytes(n, words int) int64 { return int64(n) * (8*int64(words) + 16) }

// SetTexts records the texts of a problem and its domain.
func SetTexts(h *Header, p *pddl.Problem) { h.Domain, h.Problem = textSums(p) }

// SameTexts reports whether a certificate was made for these texts, byte by byte. The task
// that they mean is compared in any case, by Header.Task.
func SameTexts(h *Header, p *pddl.Problem) bool {
	domain, problem := textSums(p)
	return h.Domain == domain && h.Problem == problem
}

func textSums(p *pddl.Problem) (domain, problem [sha256.Size]byte) {
	return sha256.Sum256([]byte(p.Domain.Source.Text)), sha256.Sum256([]byte(p.Source.Text))
}

// taskOf returns a ground task as the checker knows it. It shares the lists of t.
func taskOf(t *grounder.Task) *proof.Task {
	p := &proof.Task{
		Hash: TaskHash(t), Variables: t.Variables, Init: t.Init, Goal: t.Goal, Operators: make([]proof.Operator, t.Operators.Len()), Axioms: t.Axioms,
		Unit: t.CostUnit.String(), Base: t.CostBase.String(), OperatorName: t.OperatorName,
	}
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		p.Operators[i] = proof.Operator{Pre: op.Pre, Effects: op.Effects, Cost: op.Cost, CondCosts: op.CondCosts}
	}
	if n := t.Numeric; n != nil {
		p.Comparisons = n.Comparisons
		for i := range n.Fluents {
			f := &n.Fluents[i]
			p.Fluents = append(p.Fluents, proof.Fluent{Name: f.Name, Unit: f.Unit.String(), Init: f.Init})
		}
		for i := range p.Operators {
			p.Operators[i].Changes = n.Changes[i]
		}
	}
	return p
}

// NewLayout returns the layout of the states of t.
func NewLayout(t *grounder.Task) *Layout {
	fluents := 0
	if t.Numeric != nil {
		fluents = len(t.Numeric.Fluents)
	}
	return proof.NewLayout(t.Variables, fluents)
}

// TaskHash is a SHA-256 digest of all of a task that a certificate speaks of: of the task as a
// file has it.
func TaskHash(t *grounder.Task) (sum [sha256.Size]byte) {
	h := sha256.New()
	e := &encoder{out: bufio.NewWriterSize(h, 1<<16)}
	e.task(t)
	e.out.Flush()
	h.Sum(sum[:0])
	return sum
}

// Check decides whether a certificate of t holds: see [proof.Check].
func Check(ctx context.Context, t *grounder.Task, cert *Certificate, memory int64) (*Report, error) {
	return proof.Check(ctx, taskOf(t), cert, memory)
}

// Reader reads one certificate from a file, compressed by gzip or not.
type Reader struct{ *proof.Reader }

// NewReader reads the header. Its error is a *FormatError or one of r.
func NewReader(r io.Reader) (*Reader, error) {
	d, err := proof.NewReader(r)
	return &Reader{d}, err
}

// Read reads the rest, given the task that Header.Task names: see [proof.Reader.Read]. The task in
// the file is passed over.
func (d *Reader) Read(ctx context.Context, t *grounder.Task, memory int64) (*Certificate, error) {
	return d.Reader.Read(ctx, taskOf(t), memory)
}
