package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
)

// RenameStyle names a vocabulary for renamed domains.
type RenameStyle string

// Vocabularies. Both hide what a domain is about, so that a model has to plan by the
// rules it is told (Valmeekam et al., PlanBench, 2023, section 4).
const (
	// RenameMystery: English words that mislead.
	RenameMystery RenameStyle = "mystery"
	// RenameRandom: words of letters and digits.
	RenameRandom RenameStyle = "random"
)

// Renaming is a bijection between the names of a task and others: types,
// predicates, functions, actions and objects, in lower case, the domain's and
// problem's own names aside. Variables lose their names. No new name is an old one, a word of PDDL, or used
// twice, also across kinds.
type Renaming struct {
	Style      RenameStyle       `json:"style"`
	Seed       uint64            `json:"seed"`
	Types      map[string]string `json:"types,omitempty"`
	Predicates map[string]string `json:"predicates"`
	Functions  map[string]string `json:"functions,omitempty"`
	Actions    map[string]string `json:"actions"`
	Objects    map[string]string `json:"objects"`

	once sync.Once
	back map[string]string // new name -> old name; names are unique across kinds
}

// reservedNames have a meaning of their own in PDDL, or would be mistaken for a sign
// of it by other tools.
var reservedNames = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("object number define domain problem and or not imply exists forall when either " +
		"increase decrease assign scale-up scale-down undefined minimize maximize total-time total-cost is-violated " +
		"at start end over all duration always sometime within at-most-once sometime-after sometime-before always-within hold-during hold-after preference " +
		"true false plan action step the a an then first next finally") {
		m[w] = true
	}
	return m
}()

// NewRenaming draws a renaming of a task. Objects reports whether objects are renamed
// too; otherwise they keep their names. The same seed gives the same names.
func NewRenaming(prob *pddl.Problem, style RenameStyle, objects bool, seed uint64) (*Renaming, error) {
	dom := prob.Domain
	r := &Renaming{
		Style: style, Seed: seed,
		Types: map[string]string{}, Predicates: map[string]string{}, Functions: map[string]string{}, Actions: map[string]string{}, Objects: map[string]string{},
	}
	n, err := newNamer(prob, style, seed)
	if err != nil {
		return nil, err
	}
	enter := func(m map[string]string, kind nameKind, old string) {
		if old = strings.ToLower(old); m[old] == "" {
			m[old] = n.next(kind)
		}
	}
	for i, t := range dom.Types {
		if i != int(pddl.RootType) && t.Name != "" && !reservedNames[strings.ToLower(t.Name)] {
			enter(r.Types, nameNoun, t.Name)
		}
	}
	forbids := domains.RestrictionPredicates(prob)
	for _, p := range dom.Predicates {
		if forbids[strings.ToLower(p.Name)] == "" {
			enter(r.Predicates, nameNoun, p.Name)
		}
	}
	for _, f := range dom.Functions {
		if !reservedNames[strings.ToLower(f.Name)] {
			enter(r.Functions, nameNoun, f.Name)
		}
	}
	for _, a := range dom.Actions {
		enter(r.Actions, nameVerb, a.Name)
	}
	for _, a := range dom.Durative {
		enter(r.Actions, nameVerb, a.Name)
	}
	if objects {
		for _, o := range prob.Objects {
			enter(r.Objects, nameObject, o.Name)
		}
	}
	// A predicate that forbids an action goes by the action's new name: that it forbids
	// can be read off a renamed task too.
	for p, action := range forbids {
		r.Predicates[p] = strings.Replace(p, action, r.Actions[action], 1)
	}
	return r, nil
}

type nameKind uint8

const (
	nameNoun nameKind = iota
	nameVerb
	nameObject
)

// namer draws new names.
type namer struct {
	rng   *rand.Rand
	style RenameStyle
	used  map[string]bool
	words [2][]string
	count int
}

func newNamer(prob *pddl.Problem, style RenameStyle, seed uint64) (*namer, error) {
	n := &namer{rng: world.Rand(seed, "rename "+string(style)), style: style, used: map[string]bool{}}
	switch style {
	case RenameRandom:
	case RenameMystery:
		for kind, list := range []string{mysteryNouns, mysteryVerbs} {
			words := strings.Fields(list)
			n.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			n.words[kind] = words
		}
	default:
		return nil, fmt.Errorf("there is no renaming %q: it is %s or %s", style, RenameMystery, RenameRandom)
	}
	for w := range reservedNames {
		n.used[w] = true
	}
	for _, w := range taskNames(prob) {
		n.used[w] = true
	}
	return n, nil
}

// taskNames lists the names that a task has already, in lower case.
func taskNames(prob *pddl.Problem) []string {
	dom := prob.Domain
	names := []string{dom.Name, prob.Name}
	for _, t := range dom.Types {
		names = append(names, t.Name)
	}
	for _, p := range dom.Predicates {
		names = append(names, p.Name)
	}
	for _, f := range dom.Functions {
		names = append(names, f.Name)
	}
	schema := func(s *pddl.Schema) {
		names = append(names, s.Name)
		for _, v := range s.Vars {
			names = append(names, strings.TrimPrefix(v.Name, "?"))
		}
	}
	for _, a := range dom.Actions {
		schema(&a.Schema)
	}
	for _, a := range dom.Durative {
		schema(&a.Schema)
	}
	for _, o := range prob.Objects {
		names = append(names, o.Name)
	}
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

// next returns a name that nothing has.
func (n *namer) next(kind nameKind) string {
	for {
		w := n.draw(kind)
		if !n.used[w] {
			n.used[w] = true
			return w
		}
	}
}

func (n *namer) draw(kind nameKind) string {
	if n.style == RenameRandom {
		// Sixteen signs, the first a letter: some readers take no other.
		const letters, signs = "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789"
		b := make([]byte, 16)
		for i := range b {
			b[i] = signs[n.rng.IntN(len(signs))]
		}
		b[0] = letters[n.rng.IntN(len(letters))]
		return string(b)
	}
	if kind == nameObject {
		n.count++
		return fmt.Sprintf("object_%d", n.count-1)
	}
	list := &n.words[kind]
	if len(*list) > 0 {
		w := (*list)[0]
		*list = (*list)[1:]
		return w
	}
	n.count++
	return fmt.Sprintf("%s%d", []string{"notion", "rite"}[kind], n.count)
}

// Words for mystery domains: common, and about nothing that domains are about.
const (
	mysteryNouns = "planet province harmony sorrow velvet thunder garden mercy copper winter lantern echo saffron marble justice whisper meadow compass feather anthem orchid " +
		"tundra riddle cinder mirth cobalt pilgrim island ember chorus gravity amber fable mosaic tempest cedar virtue zenith prairie quartz sonnet hollow glacier jasmine " +
		"thistle oracle monsoon vapor cathedral pepper lagoon parade scarlet nectar twilight basil canyon rumor ivory melody satin drizzle plume relic trellis wonder"
	mysteryVerbs = "attack feast succumb overcome admire borrow salute mourn sculpt whistle forgive polish summon ponder cherish scold inherit crown wander pardon tickle " +
		"baptize juggle envy knit rescue applaud scatter whittle bewitch marry confess brew mimic ransom hypnotize banish serenade praise garnish flatter console gossip " +
		"paint harvest nurse amuse tame braid haunt enlist blame bless trust recite sketch prune worship tempt embrace"
)

// Apply returns the renamed task. The texts are printed from the model:
// comments are gone, which could tell what the names hide.
func (r *Renaming) Apply(prob *pddl.Problem) (*pddl.Problem, error) {
	dom := *prob.Domain
	dom.Name = "renamed"
	dom.Types = slices.Clone(dom.Types)
	for i := range dom.Types {
		rename(&dom.Types[i].Name, r.Types)
	}
	dom.Predicates = slices.Clone(dom.Predicates)
	for i := range dom.Predicates {
		rename(&dom.Predicates[i].Name, r.Predicates)
		dom.Predicates[i].Params = plainVariables(dom.Predicates[i].Params)
	}
	dom.Functions = slices.Clone(dom.Functions)
	for i := range dom.Functions {
		rename(&dom.Functions[i].Name, r.Functions)
		dom.Functions[i].Params = plainVariables(dom.Functions[i].Params)
	}
	dom.Constants = r.objects(dom.Constants)
	dom.Actions = slices.Clone(dom.Actions)
	for i, a := range dom.Actions {
		c := *a
		rename(&c.Name, r.Actions)
		c.Vars = plainVariables(c.Vars)
		dom.Actions[i] = &c
	}
	dom.Durative = slices.Clone(dom.Durative)
	for i, a := range dom.Durative {
		c := *a
		rename(&c.Name, r.Actions)
		c.Vars = plainVariables(c.Vars)
		dom.Durative[i] = &c
	}
	dom.Axioms = slices.Clone(dom.Axioms)
	for i, a := range dom.Axioms {
		c := *a
		rename(&c.Name, r.Predicates)
		c.Vars = plainVariables(c.Vars)
		dom.Axioms[i] = &c
	}
	dom.Constraints = plainSchema(dom.Constraints)
	d, ds := pddl.ParseDomain(pddl.NewSource("renamed domain", dom.String()), pddl.Options{})
	if d == nil {
		return nil, fmt.Errorf("internal error: a renamed domain cannot be read: %w", ds.Err())
	}
	p := *prob
	p.Domain = &dom
	p.Name = "renamed"
	p.Objects = r.objects(p.Objects)
	p.Goal = *plainSchema(&p.Goal)
	p.Constraints = plainSchema(p.Constraints)
	q, ds := pddl.ParseProblem(pddl.NewSource("renamed problem", p.String()), d, pddl.Options{})
	if q == nil {
		return nil, fmt.Errorf("internal error: a renamed problem cannot be read: %w", ds.Err())
	}
	return q, nil
}

// plainVariables gives variables names that say nothing: theirs often tell what the
// names of types and predicates hide.
func plainVariables(vars []pddl.Variable) []pddl.Variable {
	vars = slices.Clone(vars)
	for i := range vars {
		vars[i].Name = fmt.Sprintf("?x%d", i+1)
	}
	return vars
}

func plainSchema(g *pddl.GoalSchema) *pddl.GoalSchema {
	if g == nil {
		return nil
	}
	c := *g
	c.Vars = plainVariables(c.Vars)
	return &c
}

func (r *Renaming) objects(list []pddl.Object) []pddl.Object {
	list = slices.Clone(list)
	for i := range list {
		rename(&list[i].Name, r.Objects)
	}
	return list
}

func rename(name *string, m map[string]string) {
	if w, ok := m[strings.ToLower(*name)]; ok {
		*name = w
	}
}

// Step renames a step, "(stack a b)"; words that the task does not have stay.
func (r *Renaming) Step(step string) string {
	return r.headed(step, r.Actions)
}

// Fact renames an atom, "(on a b)".
func (r *Renaming) Fact(atom string) string {
	return r.headed(atom, r.Predicates)
}

// headed renames the first word by heads and the others as objects.
func (r *Renaming) headed(text string, heads map[string]string) string {
	return mapWords(text, func(i int, w string) string {
		m := r.Objects
		if i == 0 {
			m = heads
		}
		if v, ok := m[w]; ok {
			return v
		}
		return w
	})
}

// Back gives a step or an atom of the renamed task its old names again. Back of Step
// and Back of Fact are the identity on the task's own, in lower case.
func (r *Renaming) Back(text string) string {
	r.once.Do(func() {
		r.back = map[string]string{}
		for _, m := range []map[string]string{r.Types, r.Predicates, r.Functions, r.Actions, r.Objects} {
			for old, w := range m {
				r.back[w] = old
			}
		}
	})
	return mapWords(text, func(_ int, w string) string {
		if v, ok := r.back[w]; ok {
			return v
		}
		return w
	})
}

// mapWords maps the words of "(a b c)".
func mapWords(text string, f func(i int, w string) string) string {
	w := atomtext.Words(strings.ToLower(text))
	for i := range w {
		w[i] = f(i, w[i])
	}
	return "(" + strings.Join(w, " ") + ")"
}
