package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
)

// Ways to name objects, beside the pools.
const (
	NamesOwn        = "own"         // as the task has them
	NamesColourSets = "colour-sets" // one of two fixed sets of colours for each number of objects
)

// namePools are lists of names; any task can be told with any. What a list is too short for
// gets numbers.
var namePools = map[string][]string{
	"colours": strings.Fields(colourNames),
	"letters": strings.Split("abcdefghijklmnopqrstuvwxyz", ""),
	"words":   strings.Fields(wordNames),
}

const (
	colourNames = "violet teal brown pink green red amber ivory olive navy coral silver maroon beige indigo lime cyan magenta orange gold"
	wordNames   = "acorn anchor badge barrel basket beacon blanket bottle bridge bucket button cabin candle canvas carpet castle cello chalk cherry cloak " +
		"clover coin compass cookie cradle crystal curtain daisy diamond domino donkey dragon drum eagle easel engine falcon feather fiddle flute fossil " +
		"garlic ginger goblet guitar hammer harbor helmet hermit honey igloo jacket jigsaw kettle kitten ladder lantern lemon locket magnet mango maple " +
		"mirror mitten monkey muffin napkin needle nutmeg oyster paddle panda parrot pebble pencil pepper piano pigeon pillow pirate planet pocket pumpkin " +
		"puppet puzzle quiver rabbit radish ribbon rocket saddle sandal scarf shovel sparrow spider spoon squash statue sugar sunset teapot thimble ticket " +
		"tiger timber tomato trumpet tulip turtle umbrella vessel violin walnut wagon whistle window wizard yogurt zebra zipper"
)

// NamePools lists what Settings.Names can be, beside lists of names.
func NamePools() []string {
	names := []string{NamesOwn, NamesColourSets}
	for n := range namePools {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// colourSets are the two fixed sets of colours by the number of objects. Those for three
// are the thesis's (Chawla, section 3.2.2); for other sizes it names none.
var colourSets = map[int][2]string{
	3: {"violet teal brown", "pink green red"},
	4: {"amber navy coral lime", "olive indigo beige silver"},
	5: {"maroon cyan gold teal pink", "ivory orange green violet navy"},
	6: {"red beige lime indigo brown magenta", "silver coral amber cyan olive maroon"},
}

// namer names the objects of tasks.
type namer struct {
	way  string
	seed uint64
	// exchange allows a task's own names in another order. Where several tasks have one
	// structure, that might be another one of them.
	exchange bool
}

// names returns names for the problem's own objects, nil to keep theirs. A task is told
// under up to two different lists of names, copy 0 and 1. id is that of the task.
func (n *namer) names(p *pddl.Problem, id string, copy int) ([]string, error) {
	own := p.Objects[len(p.Domain.Constants):]
	rng := seeded.Rand(n.seed, "names "+id)
	switch n.way {
	case NamesOwn:
		if copy == 0 {
			return nil, nil
		}
		if n.exchange {
			if names := exchanged(p, rng); names != nil {
				return names, nil
			}
		}
		return drawNames(p, own, 0, namePools["words"], rng), nil
	case NamesColourSets:
		sets, ok := colourSets[len(own)]
		if !ok {
			return nil, fmt.Errorf("there are colour sets for 3 to 6 objects, and the task has %d: take the names of a pool", len(own))
		}
		names := strings.Fields(sets[(rng.IntN(2)+copy)%2])
		used := domainNames(p.Domain)
		for _, w := range names {
			if used[w] {
				return nil, fmt.Errorf("the domain has the name %s of the colour sets", w)
			}
		}
		return names, nil
	}
	pool, err := namePool(n.way)
	if err != nil {
		return nil, err
	}
	return drawNames(p, nil, copy, pool, rng), nil
}

// namePool returns the names of a pool: one of namePools, or those of a list "a,b,c".
func namePool(way string) ([]string, error) {
	if pool, ok := namePools[way]; ok {
		return pool, nil
	}
	if !strings.Contains(way, ",") {
		return nil, fmt.Errorf("there are no names %q: there are %s, and lists such as a,b,c", way, strings.Join(NamePools(), ", "))
	}
	names := strings.Split(strings.ToLower(way), ",")
	for i, n := range names {
		if !isName(n) {
			return nil, fmt.Errorf("%q in the list of names is no name of an object", n)
		}
		if slices.Contains(names[:i], n) {
			return nil, fmt.Errorf("the list of names has %q twice", n)
		}
	}
	return names, nil
}

// isName tells whether PDDL can have an object of this name.
func isName(s string) bool {
	for i, c := range []byte(s) {
		if letter := 'a' <= c && c <= 'z'; !letter && (i == 0 || !('0' <= c && c <= '9') && c != '-' && c != '_') {
			return false
		}
	}
	return s != ""
}

// drawNames draws names for the own objects of a problem that mean nothing else in it, and
// none of those to avoid. Those of copy 1 are all others than those of copy 0, or, of a
// pool that is too small for that, make another task of it.
func drawNames(p *pddl.Problem, avoid []pddl.Object, copy int, pool []string, rng *rand.Rand) []string {
	n := len(p.Objects) - len(p.Domain.Constants)
	used := domainNames(p.Domain)
	for i := range avoid {
		used[strings.ToLower(avoid[i].Name)] = true
	}
	var free []string
	add := func(w string) {
		if !used[w] {
			used[w] = true
			free = append(free, w)
		}
	}
	for _, w := range pool {
		add(w)
	}
	for k := 2; len(free) < n; k++ {
		for _, w := range pool {
			add(fmt.Sprint(w, k))
		}
	}
	shuffle := func(list []string) {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	shuffle(free)
	switch {
	case copy == 0:
		return free[:n]
	case len(free) >= 2*n:
		return free[n : 2*n]
	}
	first := namedHash(p, free[:n])
	other := slices.Clone(free)
	for range exchangeTrials {
		if shuffle(other); namedHash(p, other[:n]) != first {
			return other[:n]
		}
	}
	for k := 2; len(free) < 2*n; k++ { // all objects are alike
		for _, w := range pool {
			add(fmt.Sprint(w, k))
		}
	}
	return free[n : 2*n]
}

// exchangeTrials is how many orders of names are tried for one that makes another task.
const exchangeTrials = 16

// namedHash identifies a problem with other names for its own objects, whatever their order.
func namedHash(p *pddl.Problem, names []string) [32]byte {
	r := newRelations(p)
	order := make([]int, r.n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	label := make([]int32, r.n)
	sum := [32]byte{}
	for l, o := range order {
		label[o] = int32(l)
		sum = hashText(string(sum[:]) + names[o])
	}
	return r.certificate(sum, label)
}

// exchanged returns the objects' own names, exchanged among objects of one type so that
// the task is not the same any more; nil if a few trials find no such exchange.
func exchanged(p *pddl.Problem, rng *rand.Rand) []string {
	r := newRelations(p)
	byType := map[string][]int{}
	for i, t := range r.types {
		byType[t] = append(byType[t], i)
	}
	own := namedHash(p, r.names)
	for range exchangeTrials {
		names := make([]string, r.n)
		for i := range r.n { // by object, not by type: maps have no order
			if same := byType[r.types[i]]; same[0] == i {
				to := slices.Clone(same)
				rng.Shuffle(len(to), func(x, y int) { to[x], to[y] = to[y], to[x] })
				for k, o := range same {
					names[o] = r.names[to[k]]
				}
			}
		}
		if namedHash(p, names) != own {
			return names
		}
	}
	return nil
}

// domainNames has all names that mean something in a domain, and the words of PDDL that
// could be taken for names.
func domainNames(d *pddl.Domain) map[string]bool {
	used := map[string]bool{"object": true, "number": true, "either": true, "not": true, "and": true, "or": true}
	add := func(name string) { used[strings.ToLower(name)] = true }
	for i := range d.Types {
		add(d.Types[i].Name)
	}
	for i := range d.Constants {
		add(d.Constants[i].Name)
	}
	for i := range d.Predicates {
		add(d.Predicates[i].Name)
	}
	for i := range d.Functions {
		add(d.Functions[i].Name)
	}
	for _, a := range d.Actions {
		add(a.Name)
	}
	for _, a := range d.Nature() {
		add(a.Name)
	}
	for _, a := range d.Durative {
		add(a.Name)
	}
	return used
}

// rename returns the problem with other names for its own objects, read again from its
// text, and what maps a step.
func rename(p *pddl.Problem, names []string) (*pddl.Problem, func(step string) string, error) {
	first := len(p.Domain.Constants)
	q := *p
	q.Objects = slices.Clone(p.Objects)
	to := map[string]string{}
	for i, n := range names {
		to[strings.ToLower(p.Objects[first+i].Name)] = n
		q.Objects[first+i].Name = n
	}
	r, diags := pddl.ParseProblem(pddl.NewSource(p.Name, q.String()), p.Domain, pddl.Options{})
	if r == nil || diags.HasErrors() {
		return nil, nil, fmt.Errorf("internal error: a renamed problem cannot be read: %w", diags.Err())
	}
	step := func(s string) string {
		words := strings.Fields(strings.Trim(s, "()"))
		for i := 1; i < len(words); i++ {
			if n, ok := to[words[i]]; ok {
				words[i] = n
			}
		}
		return "(" + strings.Join(words, " ") + ")"
	}
	return r, step, nil
}
