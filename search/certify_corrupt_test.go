package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planproof/grounder"
	"planproof/search/certificate"
)

// reference decides by the definition whether a certificate can be right: with sets of
// states as text, naive successors, and the bounds of parts compared over all reachable
// transitions. What it refuses the checker must refuse. (The converse need not hold for
// parts: the checker looks at abstract transitions, of which there are more.)
type reference struct {
	*naiveSpace
	cert *certificate.Certificate
	lay  *certificate.Layout
	list map[string]int
}

func referenceCheck(sp *naiveSpace, cert *certificate.Certificate) error {
	r := &reference{naiveSpace: sp, cert: cert, lay: certificate.NewLayout(sp.t), list: map[string]int{}}
	for i := range cert.Bounds {
		k := r.rowKey(r.row(i))
		if _, twice := r.list[k]; twice {
			return fmt.Errorf("state %d twice", i)
		}
		r.list[k] = i
	}
	if cert.Claim == certificate.Optimal {
		if cost, goal := r.replay(cert.Plan); !goal || cost != cert.Bound {
			return fmt.Errorf("plan of cost %d, goal %v", cost, goal)
		}
	}
	for g := range cert.Groups {
		if err := r.group(g); err != nil {
			return err
		}
	}
	for i := range cert.Bounds {
		if err := r.state(i); err != nil {
			return err
		}
	}
	if have := r.value(r.initial(), -1); have < cert.Bound {
		return fmt.Errorf("the initial state has %d of %d", have, cert.Bound)
	}
	return nil
}

func (r *reference) row(i int) []uint64 {
	w := r.lay.Words()
	return r.cert.Rows[i*w : i*w+w]
}

func (r *reference) rowKey(row []uint64) string { return fmt.Sprint(row) }

func (r *reference) key(values []int32) string {
	row := make([]uint64, r.lay.Words())
	r.lay.Pack(row, values)
	return r.rowKey(row)
}

// partValue is a part's value, of a zone 1 or 0.
func (r *reference) partValue(p *certificate.Part, values []int32) int64 {
	if len(p.Vars) == 0 {
		for _, f := range p.Facts {
			if values[f.Var] == f.Val {
				return 0
			}
		}
		return 1
	}
	at := int64(0)
	for _, v := range p.Vars {
		at = at*int64(r.t.Variables[v].Size()) + int64(values[v])
	}
	return p.Values[at]
}

func (r *reference) termValue(t certificate.Term, values []int32) int64 {
	p := &r.cert.Parts[t.Part]
	v := r.partValue(p, values)
	if len(p.Vars) == 0 && v > 0 {
		return t.Cost
	}
	return v
}

func (r *reference) groupValue(g int, values []int32) int64 {
	sum := int64(0)
	for _, t := range r.cert.Groups[g] {
		sum = plus(sum, r.termValue(t, values))
	}
	return sum
}

// group adds up by how much each term falls along reachable transitions.
func (r *reference) group(g int) error {
	for o := range r.t.Operators {
		most := make([]int64, len(r.cert.Groups[g]))
		for _, s := range r.states {
			next, _, ok := r.apply(s, o)
			if !ok {
				continue
			}
			for k, t := range r.cert.Groups[g] {
				from, to := r.termValue(t, s), r.termValue(t, next)
				if from > to {
					most[k] = max(most[k], from-to)
				}
			}
		}
		sum := int64(0)
		for _, x := range most {
			sum = plus(sum, x)
		}
		if sum > r.t.Operators[o].Cost {
			return fmt.Errorf("group %d needs %d of operator %d", g, sum, o)
		}
	}
	for _, s := range r.states {
		if r.holds(r.t.Goal, s) && r.groupValue(g, s) > 0 {
			return fmt.Errorf("group %d is positive in a goal state", g)
		}
	}
	return nil
}

// unpack finds the values of a listed state by trying all values of all variables.
func (r *reference) unpack(row []uint64) []int32 {
	values := append([]int32(nil), r.t.Init...)
	try := make([]uint64, len(row))
	for v := range values {
		if r.t.Variables[v].Layer >= 0 {
			continue
		}
		for val := range r.t.Variables[v].Size() {
			x := make([]int32, len(values))
			x[v] = int32(val)
			r.lay.Pack(try, x)
			x[v] = 0
			zero := make([]uint64, len(row))
			r.lay.Pack(zero, x)
			// The variable's own bits: those that its largest pattern can set.
			x[v] = int32(1)<<bitsFor(r.t.Variables[v].Size()) - 1
			mask := make([]uint64, len(row))
			r.lay.Pack(mask, x)
			same := true
			for w := range row {
				same = same && row[w]&mask[w] == try[w]
			}
			if same {
				values[v] = int32(val)
			}
		}
	}
	return r.close(values)
}

func bitsFor(size int) (n uint) {
	for 1<<n < size {
		n++
	}
	return n
}

func (r *reference) value(values []int32, group int) int64 {
	have := int64(0)
	if i, ok := r.list[r.key(values)]; ok {
		have = r.cert.Bounds[i]
	}
	for g := range r.cert.Base {
		have = max(have, r.groupValue(g, values))
	}
	if group >= 0 {
		have = max(have, r.groupValue(group, values))
	}
	if !r.holds(r.t.Goal, values) && len(r.t.Operators) > 0 {
		least := int64(noPlan)
		for o := range r.t.Operators {
			least = min(least, r.t.Operators[o].Cost)
		}
		have = max(have, least)
	}
	return have
}

func (r *reference) state(i int) error {
	values, bound := r.unpack(r.row(i)), r.cert.Bounds[i]
	group, direct := int(r.cert.Evidence[i]>>1)-1, r.cert.Evidence[i]&1 != 0
	if direct {
		if group < 0 || r.groupValue(group, values) < bound {
			return fmt.Errorf("state %d is not proven by its group", i)
		}
		return nil
	}
	if bound > 0 && r.holds(r.t.Goal, values) {
		return fmt.Errorf("state %d is a goal", i)
	}
	for o := range r.t.Operators {
		if next, c, ok := r.apply(values, o); ok {
			if have := r.value(next, group); plus(have, c) < bound {
				return fmt.Errorf("state %d has bound %d, operator %d leads to %d", i, bound, o, have)
			}
		}
	}
	return nil
}

// mutation changes a certificate in a way that may make it wrong. It reports whether it
// found something to change, and whether it left parts and groups alone.
type mutation struct {
	name   string
	states bool // only states are changed: then the reference is exact
	change func(rng *rand.Rand, m *mutant) bool
}

type mutant struct {
	*certificate.Certificate
	task  *grounder.Task
	words int
	path  []string // rows of the states along the optimal plan, as text
}

func (m *mutant) remove(i int) {
	w := m.words
	m.Rows = slices.Delete(m.Rows, i*w, i*w+w)
	m.Bounds = slices.Delete(m.Bounds, i, i+1)
	m.Evidence = slices.Delete(m.Evidence, i, i+1)
}

// pick picks a listed state, every other time one along the optimal plan.
func (m *mutant) pick(rng *rand.Rand) (int, bool) {
	n := len(m.Bounds)
	if n == 0 {
		return 0, false
	}
	if rng.Intn(2) == 0 {
		for i := range n {
			if slices.Contains(m.path, fmt.Sprint(m.Rows[i*m.words:(i+1)*m.words])) && rng.Intn(3) == 0 {
				return i, true
			}
		}
	}
	return rng.Intn(n), true
}

func (m *mutant) table(rng *rand.Rand) *certificate.Part {
	for try := 0; try < 10 && len(m.Parts) > 0; try++ {
		if p := &m.Parts[rng.Intn(len(m.Parts))]; len(p.Vars) > 0 {
			return p
		}
	}
	return nil
}

func (m *mutant) zone(rng *rand.Rand) *certificate.Part {
	for try := 0; try < 10 && len(m.Parts) > 0; try++ {
		if p := &m.Parts[rng.Intn(len(m.Parts))]; len(p.Vars) == 0 {
			return p
		}
	}
	return nil
}

var mutations = []mutation{
	{"a state is dropped", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok {
			m.remove(i)
		}
		return ok
	}},
	{"a bound is raised", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok && m.Bounds[i] != certificate.Infinite {
			m.Bounds[i] += int64(1 + rng.Intn(2))
		}
		return ok && m.Bounds[i] != certificate.Infinite
	}},
	{"a bound is lowered", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok && m.Bounds[i] == certificate.Infinite {
			m.Bounds[i] = int64(rng.Intn(100))
		} else if ok {
			m.Bounds[i] = max(m.Bounds[i]-int64(1+rng.Intn(3)), 0)
		}
		return ok
	}},
	{"the evidence of a state is changed", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if ok {
			m.Evidence[i] = certificate.EvidenceOf(rng.Intn(len(m.Groups)+1)-1, rng.Intn(2) == 0)
		}
		return ok
	}},
	{"a state is replaced by another", true, func(rng *rand.Rand, m *mutant) bool {
		i, ok := m.pick(rng)
		if !ok {
			return false
		}
		values := append([]int32(nil), m.task.Init...)
		for v := range values {
			values[v] = int32(rng.Intn(m.task.Variables[v].Size()))
		}
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, values)
		for k := 0; k < len(m.Rows); k += m.words {
			if slices.Equal(m.Rows[k:k+m.words], row) {
				return false
			}
		}
		copy(m.Rows[i*m.words:], row)
		return true
	}},
	{"a goal state is listed", true, func(rng *rand.Rand, m *mutant) bool {
		if len(m.path) == 0 {
			return false
		}
		values := append([]int32(nil), m.task.Init...)
		for _, f := range m.task.Goal {
			values[f.Var] = f.Val
		}
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, values)
		for k := 0; k < len(m.Rows); k += m.words {
			if slices.Equal(m.Rows[k:k+m.words], row) {
				return false
			}
		}
		m.Rows = append(m.Rows, row...)
		m.Bounds = append(m.Bounds, int64(1+rng.Intn(3)))
		m.Evidence = append(m.Evidence, 0)
		return true
	}},
	{"the claim is raised", true, func(rng *rand.Rand, m *mutant) bool {
		if m.Claim != certificate.Optimal {
			return false
		}
		m.Claim, m.Plan = certificate.LowerBound, nil
		m.Bound += int64(1 + rng.Intn(3))
		if rng.Intn(3) == 0 {
			m.Claim, m.Bound = certificate.Unsolvable, certificate.Infinite
		}
		return true
	}},
	{"the claim of an optimal plan is changed", true, func(rng *rand.Rand, m *mutant) bool {
		if m.Claim != certificate.Optimal {
			return false
		}
		m.Bound = max(m.Bound+int64(1-2*rng.Intn(2)), 0)
		return true
	}},
	{"the plan is changed", true, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Plan) == 0 {
			return false
		}
		i := rng.Intn(len(m.Plan))
		if rng.Intn(2) == 0 {
			m.Plan = slices.Delete(slices.Clone(m.Plan), i, i+1)
		} else {
			m.Plan[i] = grounder.OperatorID(rng.Intn(len(m.task.Operators)))
		}
		return true
	}},
	{"a table entry is raised", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i := rng.Intn(len(p.Values))
		if p.Values[i] == certificate.Infinite {
			return false
		}
		p.Values[i] += int64(1 + rng.Intn(3))
		if rng.Intn(4) == 0 {
			p.Values[i] = certificate.Infinite
		}
		return true
	}},
	{"a table entry is lowered", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i := rng.Intn(len(p.Values))
		if p.Values[i] == certificate.Infinite {
			p.Values[i] = int64(rng.Intn(4))
		}
		p.Values[i] = max(p.Values[i]-int64(1+rng.Intn(2)), 0)
		return true
	}},
	{"two entries of a table change places", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.table(rng)
		if p == nil {
			return false
		}
		i, j := rng.Intn(len(p.Values)), rng.Intn(len(p.Values))
		p.Values[i], p.Values[j] = p.Values[j], p.Values[i]
		return p.Values[i] != p.Values[j]
	}},
	{"the value of a zone is raised", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) == 0 {
			return false
		}
		g := m.Groups[rng.Intn(len(m.Groups))]
		if len(g) == 0 {
			return false
		}
		t := &g[rng.Intn(len(g))]
		if t.Cost == certificate.Infinite {
			return false
		}
		if t.Cost++; rng.Intn(4) == 0 {
			t.Cost = certificate.Infinite
		}
		return true
	}},
	{"the initial state is put outside a zone of a goal fact", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.task.Goal) == 0 {
			return false
		}
		m.Parts = append(m.Parts, certificate.Part{Facts: []grounder.Fact{m.task.Goal[rng.Intn(len(m.task.Goal))]}})
		m.Groups = append(m.Groups, certificate.Group{{Part: int32(len(m.Parts) - 1), Cost: certificate.Infinite}})
		row := make([]uint64, m.words)
		certificate.NewLayout(m.task).Pack(row, m.task.Init)
		m.Rows, m.Bounds = row, []int64{certificate.Infinite}
		m.Evidence = []uint32{certificate.EvidenceOf(len(m.Groups)-1, true)}
		m.Claim, m.Bound, m.Plan = certificate.Unsolvable, certificate.Infinite, nil
		return true
	}},
	{"a fact is left out of a zone", false, func(rng *rand.Rand, m *mutant) bool {
		p := m.zone(rng)
		if p == nil || len(p.Facts) == 0 {
			return false
		}
		i := rng.Intn(len(p.Facts))
		p.Facts = slices.Delete(p.Facts, i, i+1)
		return true
	}},
	{"a term is counted twice", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) == 0 {
			return false
		}
		g := rng.Intn(len(m.Groups))
		if len(m.Groups[g]) == 0 {
			return false
		}
		m.Groups[g] = append(m.Groups[g], m.Groups[g][rng.Intn(len(m.Groups[g]))])
		return true
	}},
	{"a group is replaced by another's terms", false, func(rng *rand.Rand, m *mutant) bool {
		if len(m.Groups) < 2 {
			return false
		}
		m.Groups[rng.Intn(len(m.Groups))] = slices.Clone(m.Groups[rng.Intn(len(m.Groups))])
		return true
	}},
}

// clone copies a certificate deeply.
func clone(c *certificate.Certificate) *certificate.Certificate {
	d := *c
	d.Plan, d.Rows, d.Bounds, d.Evidence = slices.Clone(c.Plan), slices.Clone(c.Rows), slices.Clone(c.Bounds), slices.Clone(c.Evidence)
	d.Parts = slices.Clone(c.Parts)
	for i := range d.Parts {
		p := &d.Parts[i]
		p.Vars, p.Values, p.Facts = slices.Clone(p.Vars), slices.Clone(p.Values), slices.Clone(p.Facts)
	}
	d.Groups = slices.Clone(c.Groups)
	for i := range d.Groups {
		d.Groups[i] = slices.Clone(d.Groups[i])
	}
	return &d
}

// pathRows returns the states along a plan as the text of their rows.
func pathRows(n naive, plan []grounder.OperatorID) (out []string) {
	lay := certificate.NewLayout(n.t)
	row := make([]uint64, lay.Words())
	s := n.initial()
	for _, o := range plan {
		lay.Pack(row, s)
		out = append(out, fmt.Sprint(row))
		s, _, _ = n.apply(s, int(o))
	}
	return out
}

// TestCorruptedCertificates changes certificates in ways that matter, writes them anew with
// right checksums, and holds the checker to the reference: whatever that one refuses must be
// refused, and where only states were changed, nothing else. With PLANPROOF_CERTIFICATES set
// it takes more and larger tasks.
func TestCorruptedCertificates(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	rounds, most := 1, 130
	if os.Getenv("PLANPROOF_CERTIFICATES") != "" {
		rounds, most = 6, 400
	}
	refused, harmless, total := map[string]int{}, 0, 0
	tasks := smallTasks(t)
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		task := tasks[name]
		sp := enumerate(task)
		if len(sp.states) > most {
			continue
		}
		for _, s := range []string{"astar(blind())", "astar(lmcut())", "astar(pdb(states=200))"} {
			r, c := certify(t, task, s)
			if c == nil {
				continue // the search refuses a feature
			}
			if err := referenceCheck(sp, c.Certificate); err != nil {
				t.Fatalf("%s, %s: the reference refuses the certificate itself: %v", name, s, err)
			}
			for _, mu := range mutations {
				for range rounds {
					m := &mutant{clone(c.Certificate), task, certificate.NewLayout(task).Words(), pathRows(sp.naive, r.Plan)}
					if !mu.change(rng, m) {
						continue
					}
					if compare(t, name+", "+s, mu, sp, m) {
						refused[mu.name]++
						total++
					} else {
						harmless++
					}
				}
			}
		}
	}
	for _, mu := range mutations {
		t.Logf("%4d refused: %s", refused[mu.name], mu.name)
		if refused[mu.name] == 0 {
			t.Errorf("no certificate was refused because %s", mu.name)
		}
	}
	t.Logf("%d refused, %d changes left a right certificate", total, harmless)
	if total < 200 {
		t.Errorf("only %d corrupted certificates were refused, want 200", total)
	}
}

// compare holds the checker to the reference and reports whether a mutant is wrong.
func compare(tb rapid.TB, where string, mu mutation, sp *naiveSpace, m *mutant) bool {
	want := referenceCheck(sp, m.Certificate)
	_, _, err := check(tb, m.task, m.Certificate)
	switch {
	case want != nil && err == nil:
		tb.Errorf("%s, %s: accepted, the reference says: %v", where, mu.name, want)
	case want == nil && err != nil && mu.states:
		tb.Errorf("%s, %s: refused (%v), the reference accepts", where, mu.name, err)
	}
	return want != nil
}

// TestCorruptedRandomTasks does the same on random tasks with axioms, conditional effects and
// costs, operators of cost 0 and goals out of reach.
func TestCorruptedRandomTasks(t *testing.T) {
	wrong := 0
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		s := rapid.SampledFrom(certifiedSearches).Draw(t, "search")
		r, c := certify(t, task, s)
		if c == nil {
			return
		}
		sp := enumerate(task)
		if err := referenceCheck(sp, c.Certificate); err != nil {
			t.Fatalf("the reference refuses the certificate itself: %v", err)
		}
		rng := rand.New(rand.NewSource(int64(rapid.Uint32().Draw(t, "seed"))))
		for _, mu := range mutations {
			m := &mutant{clone(c.Certificate), task, certificate.NewLayout(task).Words(), pathRows(sp.naive, r.Plan)}
			if mu.change(rng, m) && compare(t, s, mu, sp, m) {
				wrong++
			}
		}
	})
	t.Logf("%d wrong certificates", wrong)
}

// TestForeignCertificates gives every certificate of one task to another of the same shape,
// with and without the name of the other task in it.
func TestForeignCertificates(t *testing.T) {
	tasks := map[string]*grounder.Task{}
	for name, task := range smallTasks(t) {
		if strings.HasPrefix(name, "blocksworld-4") || strings.HasPrefix(name, "blocksworld-5") {
			tasks[name] = task
		}
	}
	forged := 0
	for from, a := range tasks {
		_, c := certify(t, a, "astar(blind())")
		for to, b := range tasks {
			if from == to {
				continue
			}
			if _, _, err := check(t, b, c.Certificate); err == nil || !strings.Contains(err.Error(), "another task") {
				t.Errorf("the certificate of %s for %s: %v", from, to, err)
			}
			if len(a.Operators) != len(b.Operators) || len(a.Variables) != len(b.Variables) {
				continue
			}
			m := clone(c.Certificate)
			m.Task = certificate.TaskHash(b)
			want := referenceCheck(enumerate(b), m)
			if _, _, err := check(t, b, m); want != nil && err == nil {
				t.Errorf("the forged certificate of %s for %s is accepted; the reference says: %v", from, to, want)
			}
			if want != nil {
				forged++
			}
		}
	}
	if forged == 0 {
		t.Error("no forged certificate was wrong")
	}
}

// TestDamagedCertificates cuts files short and flips bits: the checksum refuses most, the
// reader the rest.
func TestDamagedCertificates(t *testing.T) {
	for name, task := range smallTasks(t) {
		_, c := certify(t, task, "auto()")
		var file bytes.Buffer
		if err := certificate.Write(&file, task, c.Certificate); err != nil {
			t.Fatal(err)
		}
		data := file.Bytes()
		try := func(what string, data []byte) {
			rd, err := certificate.NewReader(bytes.NewReader(data))
			if err != nil {
				return
			}
			if read, err := rd.Read(task, 1<<20); err == nil {
				_, err = certificate.Check(context.Background(), task, read, 1<<20)
				t.Errorf("%s: %s: read (%v)", name, what, err)
			}
		}
		rng := rand.New(rand.NewSource(2))
		for range 20 {
			n := rng.Intn(len(data))
			try(fmt.Sprintf("cut after %d bytes", n), data[:n])
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << rng.Intn(8)
			try(fmt.Sprintf("a flipped bit in byte %d", n), flipped)
		}
		try("a byte too many", append(bytes.Clone(data), 0))
	}
}
