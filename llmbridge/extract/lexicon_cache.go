package extract

import (
	"encoding/binary"
	"strconv"

	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/pddl"
)

// lexiconKey encodes everything about a task that its lexicon depends on, so that equal keys mean equal
// lexicons. The templates are not in it, because they follow from the actions.
func lexiconKey(kind string, dom *pddl.Domain, prob *pddl.Problem, classes []unaryFact) string {
	b := []byte(kind)
	add := func(names ...string) { // each with its length, so that no two lists look alike
		b = binary.AppendUvarint(b, uint64(len(names)))
		for _, n := range names {
			b = append(binary.AppendUvarint(b, uint64(len(n))), n...)
		}
	}
	vars := func(name string, params []pddl.Variable) {
		add(name)
		for _, p := range params {
			add(p.Name, strconv.Itoa(int(p.Type)))
		}
		add()
	}
	add(dom.Name)
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

// lexicons keeps the lexicons in use, by the number of their objects. Answers come by the thousand, for tasks of a few
// domains with a few sets of names. Compiling a lexicon costs as much as reading about ten answers, and a shared lexicon
// stays in the processor's cache. Each object takes about 2 kB.
var lexicons = lru.New(1<<14, func(_ string, r *lexicon) int64 { return int64(32 + len(r.objects)) })

// sharedLexicon returns the lexicon for a key, compiled if it is not kept. That of a very large task is not.
func sharedLexicon(key string, objects int, compile func() *lexicon) *lexicon {
	if objects > 1<<10 {
		return compile()
	}
	return lexicons.Get(key, compile)
}
