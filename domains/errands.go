package domains

import (
	"embed"
	"fmt"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/rowjson"
)

// The kinds household, office, robots and trip are four worlds of one generator: things go from state to state by means
// of tools. Each change has several tools, with attributes of their own: a missing tool, or an attribute that somebody
// does not want, rules out one plan and leaves another. A world has its domain and, in world.json, its words.

//go:embed */world.json
var worldFiles embed.FS

// errandWords are the words of a world.
type errandWords struct {
	Places   []string       `json:"places"`
	Extras   []string       `json:"extras"` // cupboards, robots or means of transport
	Families []errandFamily `json:"families"`
	Special  []string       `json:"special"` // tools that stand in one place, or that can be called from anywhere
	// Tools has attributes and, last, the cost of using it.
	Tools map[string]string `json:"tools"`
}

// maxErrandThings is how many things every world has names for.
const maxErrandThings = 8

// errandFamily is what can be done to things of a sort: each job changes their state by one of the tools.
type errandFamily struct {
	Things []string `json:"things"`
	Jobs   []struct {
		From  string   `json:"from"`
		To    string   `json:"to"`
		Tools []string `json:"tools"`
	} `json:"jobs"`
}

// errandWorld returns the words of a world.
func errandWorld(world string) *errandWords {
	errandWorlds.Lock()
	defer errandWorlds.Unlock()
	if w := errandWorlds.of[world]; w != nil {
		return w
	}
	text, err := worldFiles.ReadFile(path.Join(world, "world.json"))
	w := &errandWords{}
	if err == nil {
		err = rowjson.Unmarshal(text, w, false)
	}
	if err != nil {
		panic(err) // embedded, and read by the tests
	}
	errandWorlds.of[world] = w
	return w
}

var errandWorlds = struct {
	sync.Mutex
	of map[string]*errandWords
}{of: map[string]*errandWords{}}

// errands is a task before it is written.
type errands struct {
	words  *errandWords
	r      *random
	places []string
	links  [][2]int // both ways
	things []errandThing
	states []string
	tools  []string // in the order of their first job
	where  map[string]int
	turns  []string // facts
}

type errandThing struct {
	name, from, to string
	place, goal    int // goal is -1 if it may lie anywhere in the end
	suits          []string
}

// newErrands draws a task. Each thing follows a path of jobs of its family; each job has up to the given number of
// tools, and the first drawn suits the thing, so there is a plan.
func newErrands(world string, params []int, seed uint64) *errands {
	e := &errands{words: errandWorld(world), where: map[string]int{}}
	e.r = newRandom(uint64(world[0]), uint64(len(world)), uint64(params[0]), uint64(params[1]), seed)
	n := 3 + e.r.intn(3)
	for _, p := range e.r.perm(len(e.words.Places))[:n] {
		e.places = append(e.places, e.words.Places[p])
	}
	for i := 1; i < n; i++ {
		e.link(e.r.intn(i), i)
	}
	e.link(e.r.intn(n), e.r.intn(n))
	families := e.r.perm(len(e.words.Families))
	for i := range params[0] {
		e.thing(&e.words.Families[families[i%len(families)]], i/len(families), params[1])
	}
	return e
}

func (e *errands) link(a, b int) {
	if l := [2]int{min(a, b), max(a, b)}; a != b && !slices.Contains(e.links, l) {
		e.links = append(e.links, l)
	}
}

// thing draws one thing and its jobs; round counts the things of the family before it.
func (e *errands) thing(f *errandFamily, round, tools int) {
	t := errandThing{place: e.r.intn(len(e.places)), goal: -1}
	free := slices.DeleteFunc(slices.Clone(f.Things), func(s string) bool {
		return slices.ContainsFunc(e.things, func(o errandThing) bool { return o.name == s })
	})
	t.name = free[e.r.intn(len(free))]
	var chain []int // the jobs one after the other; others are shortcuts
	for i, j := range f.Jobs {
		if len(chain) == 0 || f.Jobs[chain[len(chain)-1]].To == j.From {
			chain = append(chain, i)
		}
	}
	jobs := 1 + e.r.intn(min(3, len(chain)))
	first := e.r.intn(len(chain) - jobs + 1)
	part := chain[first : first+jobs]
	t.from, t.to = f.Jobs[part[0]].From, f.Jobs[part[jobs-1]].To
	states := []string{t.from}
	for _, i := range part {
		states = append(states, f.Jobs[i].To)
	}
	for i, j := range f.Jobs {
		shortcut := !slices.Contains(part, i)
		if slices.Contains(states, j.From) && slices.Contains(states, j.To) && (!shortcut || e.r.intn(2) == 0) {
			e.job(&t, j.From, j.To, j.Tools, tools, shortcut)
		}
	}
	for _, s := range states {
		if !slices.Contains(e.states, s) {
			e.states = append(e.states, s)
		}
	}
	if e.r.intn(2) == 0 {
		t.goal = e.r.intn(len(e.places))
	}
	e.things = append(e.things, t)
}

// job draws tools for a change of a thing's state.
func (e *errands) job(t *errandThing, from, to string, names []string, tools int, shortcut bool) {
	for k, i := range e.r.perm(len(names))[:min(tools, len(names))] {
		w := names[i]
		if !slices.Contains(e.tools, w) {
			e.tools = append(e.tools, w)
			e.where[w] = e.r.intn(len(e.places))
		}
		fact := fmt.Sprintf("(turns %s %s %s)", w, from, to)
		if !slices.Contains(e.turns, fact) {
			e.turns = append(e.turns, fact)
		}
		if (k == 0 && !shortcut || e.r.intn(4) > 0) && !slices.Contains(t.suits, w) {
			t.suits = append(t.suits, w)
		}
	}
}

// attributes of a tool, and the cost of using it.
func (e *errands) attributes(tool string) (list []string, cost int) {
	list = strings.Fields(e.words.Tools[tool])
	cost, err := strconv.Atoi(list[len(list)-1])
	if err != nil {
		panic(fmt.Sprintf("%s has no cost", tool))
	}
	return list[:len(list)-1], cost
}

// drawExtras draws up to n different extras, at least one.
func (e *errands) drawExtras(n int) (list []string) {
	for _, i := range e.r.perm(len(e.words.Extras))[:1+e.r.intn(n)] {
		list = append(list, e.words.Extras[i])
	}
	return list
}

// errandProblem returns the generator of a world's problems. An extra writes what only that world has.
func errandProblem(world string) func(name string, params []int, seed *big.Int) string {
	return func(name string, params []int, seed *big.Int) string {
		e := newErrands(world, params, seed.Uint64())
		w := newWriter(name, world)
		o := &errandText{e: e, w: w}
		errandExtras[world](o)
		w.section("objects")
		for _, g := range append(o.objects, errandGroup{e.states, "state"}) {
			w.objects(g.names, g.typ)
		}
		w.end()
		w.section("init")
		w.line("(= (total-cost) 0)")
		for _, l := range e.links {
			for _, d := range [][2]int{l, {l[1], l[0]}} {
				for _, f := range o.linked {
					w.line(f, e.places[d[0]], e.places[d[1]])
				}
			}
		}
		for _, f := range append(o.facts, e.turns...) {
			w.line("%s", f)
		}
		for _, t := range e.things {
			w.line("(is %s %s)", t.name, t.from)
			for _, s := range t.suits {
				w.line("(suits %s %s)", s, t.name)
			}
		}
		w.end()
		w.section("goal (and")
		for _, t := range e.things {
			w.line("(is %s %s)", t.name, t.to)
			if t.goal >= 0 && o.lie {
				w.line("(lies %s %s)", t.name, e.places[t.goal])
			}
		}
		for _, g := range o.goals {
			w.line("%s", g)
		}
		w.b.WriteString(")")
		w.end()
		w.section("metric minimize (total-cost)")
		w.end()
		return w.finish()
	}
}
