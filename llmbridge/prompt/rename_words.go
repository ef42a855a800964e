package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
)

// reservedNames have a meaning in PDDL or may have one for other tools.
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
	n := &namer{rng: seeded.Rand(seed, "rename "+string(style)), style: style, used: map[string]bool{}}
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

// taskNames lists the names that a task uses, in lower case.
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

// next returns an unused name.
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
		// Sixteen characters, the first a letter, as some readers require.
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

// Words for mystery domains: common words that have nothing to do with planning domains.
const (
	mysteryNouns = "planet province harmony sorrow velvet thunder garden mercy copper winter lantern echo saffron marble justice whisper meadow compass feather anthem orchid " +
		"tundra riddle cinder mirth cobalt pilgrim island ember chorus gravity amber fable mosaic tempest cedar virtue zenith prairie quartz sonnet hollow glacier jasmine " +
		"thistle oracle monsoon vapor cathedral pepper lagoon parade scarlet nectar twilight basil canyon rumor ivory melody satin drizzle plume relic trellis wonder"
	mysteryVerbs = "attack feast succumb overcome admire borrow salute mourn sculpt whistle forgive polish summon ponder cherish scold inherit crown wander pardon tickle " +
		"baptize juggle envy knit rescue applaud scatter whittle bewitch marry confess brew mimic ransom hypnotize banish serenade praise garnish flatter console gossip " +
		"paint harvest nurse amuse tame braid haunt enlist blame bless trust recite sketch prune worship tempt embrace"
)
