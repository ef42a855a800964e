package proof

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder/fdr"
)

// Refusal says where and why a certificate does not hold.
type Refusal struct {
	Where  string // "state 17 (...)", "group 3", ...; may be empty
	Reason string
}

func (r *Refusal) Error() string {
	if r.Where == "" {
		return r.Reason
	}
	return r.Where + ": " + r.Reason
}

// Report counts what Check has looked at, in the form of `check-certificate --json`.
type Report struct {
	States      int   `json:"states"`        // listed
	Direct      int   `json:"states_direct"` // of them proven by a group alone
	Transitions int64 `json:"transitions"`   // followed
	Groups      int   `json:"groups"`
	Zones       int   `json:"zones"`
	Tables      int   `json:"tables"`
	Entries     int64 `json:"table_entries"` // of all tables
}

// refuse ends the check.
func refuse(where, reason string, args ...any) {
	panic(stop{&Refusal{where, fmt.Sprintf(reason, args...)}})
}

const otherTask = "the certificate is about another task"

// Check decides whether a certificate of t holds. The theorem and its proof are in
// docs/CERTIFICATES.md. A nil error means that the claim is proven; a *Refusal that it is not;
// ErrMemory and the error of ctx that nothing was decided. memory bounds the bytes that the
// certificate and what is kept about it take.
func Check(ctx context.Context, t *Task, cert *Certificate, memory int64) (*Report, error) {
	c := &checker{machine: newMachine(ctx, t), cert: cert, lay: NewLayout(t.Variables, len(t.Fluents)), memory: memory - cert.bytes()}
	c.mark = make([]uint32, c.base[len(t.Variables)])
	c.inCut = make([]uint32, len(t.Operators))
	c.spent = make([]int64, len(t.Operators))
	c.values, c.other = make([]int32, c.lay.Entries()), make([]int32, c.lay.Entries())
	c.row, c.again = make([]uint64, c.lay.words), make([]uint64, c.lay.words)
	err := guard(func() {
		if cert.Task != t.Hash {
			refuse("", otherTask)
		}
		c.plan()
		c.never()
		c.parts()
		c.index()
		for i := range cert.Bounds {
			c.state(i)
		}
		c.claim()
	})
	if err != nil {
		return nil, err
	}
	return &c.report, nil
}

type checker struct {
	*machine
	cert   *Certificate
	lay    *Layout
	report Report
	memory int64 // left

	// Of parts and groups: what each part needs of operators' costs.
	needs     [][]share
	achievers [][]int32
	mark      []uint32 // by fact: the round in which it is in the zone looked at
	inCut     []uint32 // by operator
	round     uint32
	spent     []int64 // by operator
	touched   []fdr.OperatorID

	// table finds the listed states: open addressing, index + 1.
	table []uint32
	seed  maphash.Seed

	values, other []int32
	row, again    []uint64
	ops           []fdr.OperatorID
}

// plan checks that the plan of an optimal claim reaches the goal at the claimed cost.
func (c *checker) plan() {
	if c.cert.Claim != Optimal {
		return
	}
	cost := int64(0)
	copy(c.values, c.t.initial())
	c.lay.Pack(c.row, c.values)
	c.derive(c.values)
	for i, o := range c.cert.Plan {
		op := &c.t.Operators[o]
		if !holds(op.Pre, c.values) {
			refuse(fmt.Sprintf("plan step %d %s", i+1, c.t.OperatorName(o)), "it is not applicable")
		}
		c.worked(len(op.Effects) + len(c.values))
		cost = plus(cost, c.cost(op, c.values))
		c.apply(op)
		c.lay.Unpack(c.values, c.row)
		c.derive(c.values)
	}
	if !holds(c.t.Goal, c.values) {
		refuse("plan", "it does not reach the goal")
	}
	if cost != c.cert.Bound {
		refuse("plan", "it costs %s, the claim is %s", CostName(cost), CostName(c.cert.Bound))
	}
}

// apply turns row, which packs the state in values, into the state after an operator.
func (c *checker) apply(op *Operator) {
	for k := range op.Effects {
		if e := &op.Effects[k]; holds(e.Cond, c.values) {
			c.lay.set(c.row, e.Var, e.Val)
		}
	}
	for f, x := range c.changed(op, c.values) {
		c.row[c.lay.facts+f] = uint64(x)
	}
}

func (c *checker) parts() {
	c.indexAchievers()
	for i := range c.cert.Parts {
		p := &c.cert.Parts[i]
		var need []share
		if len(p.Vars) > 0 {
			need = c.tableShares(i, p)
			c.report.Tables++
			c.report.Entries += int64(len(p.Values))
		} else {
			need = c.zoneShares(i, p)
			c.report.Zones++
		}
		c.needs = append(c.needs, need)
		c.take(16*int64(cap(need)) + 24)
	}
	for i := range c.cert.Groups {
		c.checkGroup(i)
		c.report.Groups++
	}
}

// take counts bytes that are kept.
func (c *checker) take(bytes int64) {
	if c.memory -= bytes; c.memory < 0 {
		panic(stop{ErrMemory})
	}
}

// index builds the table of the listed states, which must be states and all different.
func (c *checker) index() {
	n, w := len(c.cert.Bounds), c.lay.words
	often := make([]int, len(c.mark)) // by fact: in how many of the states looked at it holds
	size := 1 << bits.Len(uint(2*n)|15)
	c.take(int64(size) * 4)
	c.table = make([]uint32, size)
	c.seed = maphash.MakeSeed()
	for i := range n {
		c.worked(len(c.values))
		row := c.cert.Rows[i*w : i*w+w]
		if !c.lay.valid(row, c.values, c.again) {
			refuse(fmt.Sprintf("listed state %d", i+1), "it is no state of the task: a variable has a value outside its range")
		}
		at := c.slot(row)
		if c.table[at] != 0 {
			refuse(c.stateName(i), "it is listed twice")
		}
		c.table[at] = uint32(i + 1)
		if i%(n/maxSample+1) == 0 {
			c.derive(c.values)
			for v, val := range c.values[:len(c.t.Variables)] {
				often[c.base[v]+int(val)]++
			}
		}
	}
	c.arrange(often)
}

// maxSample is how many states decide under which fact an operator is listed: that makes
// the check faster or slower, and nothing else.
const maxSample = 4096

// slot returns the slot of the table where row is or would be.
func (c *checker) slot(row []uint64) int {
	var h uint64
	for _, x := range row {
		h = maphash.Comparable(c.seed, h^x)
	}
	mask := len(c.table) - 1
	at := int(h) & mask
	for ; c.table[at] != 0; at = (at + 1) & mask {
		if i := int(c.table[at]-1) * len(row); slices.Equal(c.cert.Rows[i:i+len(row)], row) {
			break
		}
	}
	return at
}

// state checks a listed bound.
func (c *checker) state(i int) {
	w := c.lay.words
	row, bound := c.cert.Rows[i*w:i*w+w], c.cert.Bounds[i]
	group, direct := SplitEvidence(c.cert.Evidence[i])
	c.report.States++
	c.worked(len(c.values))
	c.lay.Unpack(c.values, row)
	if direct {
		c.report.Direct++
		if group < 0 {
			refuse(c.stateName(i), "its bound is said to be direct, without a group")
		}
		if v := c.groupValue(group, c.values); v < bound {
			refuse(c.stateName(i), "its bound is %s, but %s gives %s", CostName(bound), groupName(group), CostName(v))
		}
		return
	}
	c.derive(c.values)
	if bound > 0 && holds(c.t.Goal, c.values) {
		refuse(c.stateName(i), "its bound is %s, but the goal holds there", CostName(bound))
	}
	c.ops = c.applicable(c.ops[:0], c.values)
	for _, o := range c.ops {
		op := &c.t.Operators[o]
		need := bound
		if bound < Infinite {
			need -= c.cost(op, c.values)
		}
		if c.report.Transitions++; need <= 0 {
			continue
		}
		c.worked(len(op.Effects) + len(c.values))
		copy(c.row, row)
		c.apply(op)
		if have := c.value(c.row, group, need); have < need {
			refuse(c.stateName(i), "its bound is %s, but %s leads to %s, of bound %s", CostName(bound), c.t.OperatorName(o), c.rowName(c.row), CostName(have))
		}
	}
}

// value returns the bound of the state in row, or less if that is enough for need: of
// a listed state its bound; else, and of a listed state too, the best of the base groups,
// the group named by its predecessor, and the cost of the cheapest operator unless the
// goal holds.
func (c *checker) value(row []uint64, group int, need int64) int64 {
	have := int64(0)
	if i := c.table[c.slot(row)]; i > 0 {
		if have = c.cert.Bounds[i-1]; have >= need {
			return have
		}
	}
	c.lay.Unpack(c.other, row)
	for g := range c.cert.Base {
		if have = max(have, c.groupValue(g, c.other)); have >= need {
			return have
		}
	}
	if group >= 0 {
		if have = max(have, c.groupValue(group, c.other)); have >= need {
			return have
		}
	}
	if c.step > have {
		c.derive(c.other)
		if !holds(c.t.Goal, c.other) {
			have = c.step
		}
	}
	return have
}

// claim checks the bound of the initial state.
func (c *checker) claim() {
	c.lay.Pack(c.row, c.t.initial())
	if have := c.value(c.row, -1, c.cert.Bound); have < c.cert.Bound {
		refuse("initial state", "its bound is %s, the claim is %s", CostName(have), CostName(c.cert.Bound))
	}
}

// never checks what a certificate says of a step: there is no plan for the goal, and whenever an
// operator of that name can be applied, the goal holds. So none ever can.
func (c *checker) never() {
	if c.cert.Step == "" || c.cert.Claim != Unsolvable {
		return
	}
	for o := range c.t.Operators {
		if c.t.OperatorName(fdr.OperatorID(o)) != c.cert.Step {
			continue
		}
		known := c.consequences(c.t.Operators[o].Pre)
		for _, f := range c.t.Goal {
			if !known[f] {
				refuse("step "+c.cert.Step, "it may apply where %s, of the goal, does not hold", c.factName(f))
			}
		}
	}
}

// CostName writes a cost or a bound.
func CostName(c int64) string {
	if c == Infinite {
		return "infinite"
	}
	return fmt.Sprint(c)
}

func groupName(i int) string { return fmt.Sprintf("group %d", i+1) }
func zoneName(i int) string  { return fmt.Sprintf("part %d (a zone)", i+1) }
func tableName(i int) string { return fmt.Sprintf("part %d (a table)", i+1) }

func (c *checker) factName(f fdr.Fact) string { return c.t.Variables[f.Var].Values[f.Val] }

func (c *checker) stateName(i int) string {
	w := c.lay.words
	return fmt.Sprintf("listed state %d (%s)", i+1, c.rowName(c.cert.Rows[i*w:i*w+w]))
}

// maxNamed bounds the atoms by which a state is named.
const maxNamed = 12

// rowName names a state by the atoms that hold in it.
func (c *checker) rowName(row []uint64) string {
	values := make([]int32, c.lay.Entries())
	c.lay.Unpack(values, row)
	var names []string
	for v, val := range values[:len(c.t.Variables)] {
		name, isAtom := strings.CutPrefix(c.factName(fdr.Fact{Var: int32(v), Val: val}), "Atom ")
		if isAtom && c.t.Variables[v].Layer < 0 {
			names = append(names, name)
		}
	}
	for f := range c.t.Fluents {
		names = append(names, fmt.Sprintf("%s %d", c.t.Fluents[f].Name, number(values[len(c.t.Variables):], f)))
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed], "...")
	}
	return strings.Join(names, ", ")
}

// entryName names the table entry at which s stands.
func (c *checker) entryName(i int, s *tableSpace) string {
	var names []string
	for k, v := range s.p.Vars {
		names = append(names, c.factName(fdr.Fact{Var: v, Val: s.digits[k]}))
	}
	return fmt.Sprintf("%s, entry %s", tableName(i), strings.Join(names, ", "))
}
