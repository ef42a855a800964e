package extract

import (
	"encoding/binary"
	"strconv"
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
	b := []byte{byte(kind)}
	add := func(names ...string) { // each with its length, so that no two lists look alike
		b = binary.AppendUvarint(b, uint64(len(names)))
		for _, n := range names {
			b = append(binary.AppendUvarint(b, uint64(len(n))), n...)
		}
	}
	vars := func(name string, params []pddl.Variable) {
		add(name)
		for _, p := range params {
			add(p.Name)
		}
		add()
	}
	for _, t := range dom.Types {
		add(t.Name)
	}
	add()
	for _, p := range dom.Predicates {
		vars(p.Name, p.Params)
	}
	add()
	for _, a := range dom.Actions {
		vars(a.Name, a.Vars[:a.NumParams])
	}
	add()
	for _, a := range dom.Durative {
		vars(a.Name, a.Vars[:a.NumParams])
	}
	add()
	for _, o := range prob.Objects {
		add(o.Name, strconv.Itoa(int(o.Type)))
	}
	add()
	for _, c := range classes {
		add(strconv.Itoa(int(c.object)), strconv.Itoa(int(c.pred)))
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
