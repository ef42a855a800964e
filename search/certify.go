package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// ErrNoClaim is returned by Certify for a result that claims nothing: one that a limit ended.
var ErrNoClaim = errors.New("only an optimal plan or a proof that there is none can be certified")

// ErrNumbers is returned by Certify where a state that has to be listed leads to a value beyond 63 bits.
var ErrNumbers = errors.New("values of fluents exceed 63 bits")

// Certification is a certificate with what it took to make it.
type Certification struct {
	*certificate.Certificate
	Expanded, Evaluated int64
	CPUSeconds          float64
}

// Certify makes a certificate of what Run has found out about t: that no plan costs less
// than r.Cost, or that no plan exists. It does not keep the search's own data but
// searches again, knowing the answer (see certifier), with the bounds of the search that
// answered: no bounds for blind ones and for numeric tasks, the tables of pdb, the landmarks of landmarks,
// else those of LM-cut.
//
// Errors are ErrNoClaim, ErrNumbers, a *LimitError when a limit or ctx ends it, and an internal error
// where the claim turns out to be wrong.
func Certify(ctx context.Context, t *grounder.Task, r *Result, lim Limits, o Observer) (*Certification, error) {
	if r.Status != SolvedOptimally && r.Status != Unsolvable {
		return nil, ErrNoClaim
	}
	if r.Status == SolvedOptimally && r.Cost == certificate.Infinite {
		return nil, fmt.Errorf("%w: a cost of 2^63-1 is not told from an infinite one", ErrNoClaim)
	}
	if err := state.CheckTask(t); err != nil {
		return nil, err
	}
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	clock := lim.clock(ctx)
	c, err := newCertifier(t, r, lim, clock)
	switch {
	case errors.Is(err, heuristic.ErrTime):
		return nil, &LimitError{Status: Timeout}
	case errors.Is(err, heuristic.ErrMemory):
		return nil, &LimitError{Status: Memout}
	}
	if err != nil {
		return nil, err
	}
	var snapshot Result
	for {
		if clock.Expired() {
			return nil, &LimitError{Status: Timeout, States: int64(c.reg.Len())}
		}
		if c.run(slice) {
			break
		}
		if o != nil {
			c.progress(&snapshot)
			snapshot.SearchCPUSeconds = clock.Used().Seconds()
			o(&snapshot)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	cert, err := c.certificate()
	if err != nil {
		return nil, err
	}
	return &Certification{
		Certificate: cert, Expanded: c.stats.Expanded, Evaluated: c.stats.Evaluated,
		CPUSeconds: clock.Used().Seconds(),
	}, nil
}

// certifier is uniform-cost search that does not look for a goal but leaves out every state
// whose bound is proven: a state reached at cost g needs the bound C - g, where C is the
// claimed cost (infinite if there is no plan). It is proven at once, by a group of the
// certificate, or follows from the bounds of its successors, which are searched. Since
// states come in order of g, each is looked at once, with its final need.
//
// Groups are tried in this order, the fastest first: those that hold everywhere (and the
// cheapest operator's cost); the landmarks of the state that this one was reached from; those
// that proved other states most recently; the landmarks of the state itself.
type certifier struct {
	*nodes
	claim  certificate.Claim
	bound  int64           // C
	step   int64           // the cost of the cheapest operator
	tables *heuristic.PDB  // nil without
	used   []bool          // orders of tables that prove some state's bound
	zoned  heuristic.Zoned // nil without
	store  *groupStore
	stop   func() bool // asked while a state is evaluated
	late   bool        // it was answered with yes: the state at hand is the last
	recent []int32     // groups, those used last in front
	zones  []heuristic.Zone
	plan   []grounder.OperatorID
	popped int
	began  bool
	next   int     // state to be reviewed
	other  []int32 // a successor in a review
	err    error
}

// The word behind the cost in a certifier's node: a group (plus 1) in its lower half and
// what became of the state.
const (
	nodeProof = 1

	proofOpen     = 0       // not looked at; the group is that of its parent
	proofBase     = 1 << 32 // holds everywhere
	proofDirect   = 2 << 32 // by the group
	proofExpanded = 3 << 32 // by its successors and the group
	proofKind     = 3 << 32

	proofListed = 4 << 32 // proofDirect, and the predecessors' groups are not enough
)

// maxRecent is how many groups are tried before a state gets one of its own.
const maxRecent = 16

func newCertifier(t *grounder.Task, r *Result, lim Limits, clock *cpuclock.Clock) (*certifier, error) {
	s := state.NewSystem(t)
	c := &certifier{nodes: newNodes(s, "certify", 2, lim), store: newGroupStore(t), bound: r.Cost, claim: certificate.Optimal, plan: r.Plan}
	c.stop = func() bool { c.late = clock.Expired(); return c.late }
	if r.Status == Unsolvable {
		c.bound, c.claim = certificate.Infinite, certificate.Unsolvable
	}
	c.step = heuristic.NewBlind(t).Step()
	p, err := parseSearch(r.Search)
	if err != nil {
		return nil, err
	}
	c.extra = c.store.bytes
	c.other = make([]int32, state.Unpacked(t))
	if t.Numeric != nil {
		return c, nil // zones and tables know nothing of numbers
	}
	if p.search.Name == "ucs" || p.heuristic != nil && p.heuristic.Name == "blind" {
		return c, nil
	}
	if p.heuristic != nil && p.heuristic.Name == "pdb" {
		h, err := p.heuristic.Build(t, p.settings, lim.budget(clock))
		if err != nil {
			return nil, err
		}
		c.tables = h.(*heuristic.PDB)
		c.used = make([]bool, len(c.tables.Tables()))
		c.extra = func() int64 { return c.store.bytes() + h.Bytes() }
		return c, nil
	}
	info, settings := heuristic.Lookup("lmcut"), map[string]int64(nil)
	if p.heuristic != nil && p.heuristic.Name == "landmarks" {
		info, settings = p.heuristic, p.settings
	}
	if info.Check(t) != nil {
		return c, nil // blind then
	}
	h, err := info.Build(t, settings, lim.budget(clock))
	switch {
	case errors.Is(err, heuristic.ErrTime):
		return nil, err
	case err != nil:
		return c, nil
	}
	c.zoned = h.(heuristic.Zoned)
	c.extra = func() int64 { return c.store.bytes() + h.Bytes() }
	return c, nil
}

func (c *certifier) begin() {
	c.began = true
	row := c.Initial()
	id, _ := c.reg.Insert(row, c.reg.Hash(row))
	if c.bound > 0 {
		c.open.Push(id, 0, 0)
	}
}

func (c *certifier) run(units int64) bool {
	if !c.began {
		c.begin()
	}
	perState, perNext := c.WorkPerState(), 32+4*int64(c.words)
	for units > 0 && c.err == nil && !c.late {
		if c.open.Len() == 0 {
			return c.review(units)
		}
		id, _, _ := c.open.Pop()
		units -= 8
		// States that a group proves are not expanded, but groups take memory too.
		if c.popped++; c.maxBytes > 0 && c.popped&255 == 0 && c.bytes() > c.maxBytes {
			c.err = c.memout()
			continue
		}
		rec := c.reg.Record(id)
		node := rec[c.words:]
		if node[nodeProof]&proofKind != proofOpen {
			continue
		}
		c.Unpack(rec, c.x)
		before := c.work()
		done := c.prove(rec, node)
		units -= c.work() - before + perState
		if done || c.err != nil || c.late {
			continue
		}
		ops := c.Applicable(c.x)
		if c.full(len(ops)) {
			c.err = &LimitError{Status: c.end.Status, States: int64(c.reg.Len())}
			continue
		}
		c.stats.Expanded++
		c.expand(rec)
		units -= perNext * int64(len(ops))
	}
	return c.err != nil
}

func (c *certifier) work() int64 {
	w := c.store.work
	if c.zoned != nil {
		w += c.zoned.Work()
	}
	if c.tables != nil {
		w += c.tables.Work()
	}
	return w
}

// prove finds a group that proves the bound which the state in x needs, and records it.
// Without such a group it records that the state is expanded, and with which group.
func (c *certifier) prove(rec, node []uint64) bool {
	need := c.bound
	if need < certificate.Infinite {
		need -= int64(node[nodeCost])
	}
	goal := c.IsGoal(rec, c.x)
	if !goal && c.step >= need {
		node[nodeProof] = proofBase
		return true
	}
	if c.tables != nil {
		c.stats.Evaluated++
		if i := c.tables.Reaches(c.x.Values, need); i >= 0 {
			c.used[i] = true
			node[nodeProof] = proofBase
			return true
		}
	}
	if parent := int32(node[nodeProof]) - 1; parent >= 0 && c.store.value(parent, c.x.Values) >= need {
		node[nodeProof] = proofDirect | uint64(parent+1)
		return true
	}
	for i, g := range c.recent {
		if c.store.value(g, c.x.Values) >= need {
			copy(c.recent[1:i+1], c.recent[:i])
			c.recent[0] = g
			node[nodeProof] = proofDirect | uint64(g+1)
			return true
		}
	}
	group := int32(-1)
	if c.zoned != nil {
		var h int64
		c.stats.Evaluated++
		c.zones, h = c.zoned.Zones(c.zones[:0], c.x.Values, c.stop)
		if h >= need || need < certificate.Infinite && h > 0 {
			group = c.store.add(c.zones)
		}
		if h >= need {
			c.recent = append(c.recent, 0)
			copy(c.recent[1:], c.recent)
			c.recent[0] = group
			c.recent = c.recent[:min(len(c.recent), maxRecent)]
			node[nodeProof] = proofDirect | uint64(group+1)
			return true
		}
	}
	if goal {
		c.err = fmt.Errorf("internal error: a goal state is reached at cost %d, below the claimed %d: please report it", node[nodeCost], c.bound)
		return false
	}
	node[nodeProof] = proofExpanded | uint64(group+1)
	return false
}

// expand enters the successors of the state unpacked in x under the operators in x.Ops that
// are reached below the claimed cost.
func (c *certifier) expand(rec []uint64) {
	w := c.words
	parentG := int64(rec[w+nodeCost])
	c.stats.Generated += int64(len(c.x.Ops))
	for _, op := range c.x.Ops {
		if !c.Applier.Fits(c.x.Values, op) {
			c.err = ErrNumbers
			return
		}
		g := int64(0)
		if c.bound < certificate.Infinite {
			cost, ok := c.Applier.Cost(c.x.Values, op)
			g = parentG + cost
			if !ok || g < 0 || g >= c.bound {
				continue
			}
		}
		c.Applier.Apply(c.x.Next, rec[:w], c.x.Values, op)
		next, isNew := c.reg.Insert(c.x.Next, c.reg.Hash(c.x.Next))
		node := c.reg.Record(next)[w:]
		if !isNew && g >= int64(node[nodeCost]) {
			continue
		}
		node[nodeCost] = uint64(g)
		node[nodeProof] = rec[w+nodeProof] & math.MaxUint32
		c.open.Push(next, g, 0)
	}
}

// review finds out which states with a direct proof need not be listed: those that the groups
// of all their predecessors prove as well. It reports whether it has come to an end.
func (c *certifier) review(units int64) bool {
	perState, perNext := c.WorkPerState(), 32+4*int64(c.words)
	if c.next == 0 && c.reg.Len() > 0 {
		c.reg.Record(0)[c.words+nodeProof] |= proofListed // the initial state
	}
	for ; c.next < c.reg.Len(); c.next++ {
		if units <= 0 {
			return false
		}
		rec := c.reg.Record(state.StateID(c.next))
		node := rec[c.words:]
		if node[nodeProof]&proofKind != proofExpanded {
			continue
		}
		c.Unpack(rec, c.x)
		ops := c.Applicable(c.x)
		before := c.store.work
		for _, op := range ops {
			c.reviewEdge(rec, op)
		}
		units -= perState + perNext*int64(len(ops)) + c.store.work - before
	}
	return true
}

func (c *certifier) reviewEdge(rec []uint64, op grounder.OperatorID) {
	node := rec[c.words:]
	need := c.bound
	if need < certificate.Infinite {
		cost, ok := c.Applier.Cost(c.x.Values, op)
		if need -= plus(int64(node[nodeCost]), cost); !ok || need <= 0 {
			return
		}
	}
	c.Applier.Apply(c.x.Next, rec[:c.words], c.x.Values, op)
	id, _ := c.reg.Find(c.x.Next)
	next := c.reg.Record(id)[c.words:]
	if next[nodeProof]&(proofKind|proofListed) != proofDirect {
		return
	}
	c.Packer.Unpack(c.other, c.x.Next)
	if g := int32(node[nodeProof]) - 1; g < 0 || c.store.value(g, c.other) < need {
		next[nodeProof] |= proofListed
	}
}

func (c *certifier) memout() error {
	return &LimitError{Status: Memout, States: int64(c.reg.Len())}
}
