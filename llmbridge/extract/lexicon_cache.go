package extract

import (
	"encoding/binary"
	"sync"

	"github.com/planproof/planproof/pddl"
)

// lexiconKind says what a lexicon reads.
type lexiconKind byte

const (
	lexPlans lexiconKind = iota
	lexFacts
)

// lexiconKey encodes everything about a task that its lexicon depends on, so that equal keys mean equal
// lexicons. The templates are not in it, because they follow from the actions.
func lexiconKey(kind lexiconKind, dom *pddl.Domain, prob *pddl.Problem, classes []unaryFact) string {
	b := make([]byte, 1, 1<<10)
	b[0] = byte(kind)
	num := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(s string) {
		num(len(s))
		b = append(b, s...)
	}
	vars := func(params []pddl.Variable) {
		num(len(params))
		for _, p := range params {
			text(p.Name)
		}
	}
	num(len(dom.Types))
	for _, t := range dom.Types {
		text(t.Name)
	}
	num(len(dom.Predicates))
	for _, p := range dom.Predicates {
		text(p.Name)
		vars(p.Params)
	}
	num(len(dom.Actions))
	for _, a := range dom.Actions {
		text(a.Name)
		vars(a.Vars[:a.NumParams])
	}
	num(len(dom.Durative))
	for _, a := range dom.Durative {
		text(a.Name)
		vars(a.Vars[:a.NumParams])
	}
	num(len(prob.Objects))
	for _, o := range prob.Objects {
		text(o.Name)
		num(int(o.Type))
	}
	for _, c := range classes {
		num(int(c.object))
		num(int(c.pred))
	}
	return string(b)
}

// lexiconCache keeps the lexicons in use. Answers come by the thousand, for tasks of a few domains with a
// few sets of names. Compiling a lexicon costs as much as reading about ten answers, and a shared
// lexicon stays in the processor's cache.
type lexiconCache struct {
	mu     sync.Mutex
	byKey  map[string]*lexicon
	weight int
}

// maxCachedWeight bounds the cache. A lexicon weighs lexiconWeight plus one per object; a unit is about
// 2 kB.
const (
	maxCachedWeight = 1 << 14
	lexiconWeight   = 32
)

var lexicons = lexiconCache{byKey: map[string]*lexicon{}}

// get returns the lexicon for a key, compiled if it is not in the cache. A full cache is emptied. The
// lexicon of a very large task is not kept.
func (c *lexiconCache) get(key string, objects int, compile func() *lexicon) *lexicon {
	c.mu.Lock()
	l := c.byKey[key]
	c.mu.Unlock()
	if l != nil {
		return l
	}
	l = compile()
	weight := lexiconWeight + objects
	if weight > maxCachedWeight/16 {
		return l
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.byKey[key]; other != nil {
		return other
	}
	if c.weight += weight; c.weight > maxCachedWeight {
		clear(c.byKey)
		c.weight = weight
	}
	c.byKey[key] = l
	return l
}
