package prompt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
)

// examples makes the worked examples of a prompt. Their problems differ from the query and from each
// other, and none gives the query's answer away.
func (m *maker) examples(b *builder, query *item) ([]*item, error) {
	var out []*item
	rng := seeded.Rand(m.o.Seed, "examples")
	source, err := m.exampleSource(rng)
	if err != nil {
		return nil, err
	}
	for n := 0; len(out) < m.o.Shots; n++ {
		if n >= tries+m.o.Shots {
			return nil, optionError("only %d of %d examples could be made that differ from the query and from each other", len(out), m.o.Shots)
		}
		prob, err := source(len(out))
		if err != nil {
			return nil, err
		}
		if prob == nil || m.seen[taskKey(prob)] {
			continue
		}
		er, ok := m.renderer(prob)
		if !ok {
			return nil, optionError("an example belongs to another domain")
		}
		it, _, err := m.item(prob, er, rng, false)
		if err != nil {
			if len(m.o.Examples) > 0 || !errors.Is(err, ErrOption) {
				return nil, err
			}
			continue // this problem does not fit the kind; the next one may
		}
		m.seen[taskKey(prob)] = true
		if b.givesAway(it, query) {
			continue
		}
		out = append(out, it)
	}
	return out, nil
}

// givesAway reports whether an example shows what the query asks for: the same answer, where that is
// a plan or a state, or a plan that ends in the query's.
func (b *builder) givesAway(example, query *item) bool {
	asked := query.plan
	switch b.o.Kind {
	case KindVerification, KindUnsolvable:
		return false
	case KindExecution:
		asked = nil
	case KindReplanning:
		asked = query.after
	}
	for _, shown := range [][]string{example.plan, example.after} {
		if len(asked) > 0 && len(shown) >= len(asked) && slices.Equal(shown[len(shown)-len(asked):], asked) {
			return true
		}
	}
	return b.answer(example) == b.answer(query)
}

// exampleSource returns a function that returns problems for examples: those that were given, or tasks
// of the bundled generator, or random ones in the query's state space. A nil problem means: try again.
func (m *maker) exampleSource(rng *rand.Rand) (func(i int) (*pddl.Problem, error), error) {
	if m.o.Shots == 0 {
		return nil, nil
	}
	if len(m.o.Examples) > 0 {
		order := rng.Perm(len(m.o.Examples))
		return func(int) (*pddl.Problem, error) {
			if len(order) == 0 {
				return nil, optionError("%d examples are needed, but too few of those given differ from the query and from each other", m.o.Shots)
			}
			p := m.o.Examples[order[0]]
			order = order[1:]
			return m.prepare(p)
		}, nil
	}
	if kind, numbers, ok := bundledNumbers(m.task.Bundled); ok {
		smaller := m.o.Kind == KindGeneralise
		return func(int) (*pddl.Problem, error) {
			p, err := anotherBundled(kind, numbers, smaller, rng)
			if p == nil || err != nil {
				return nil, err
			}
			return m.prepare(p)
		}, nil
	}
	if m.o.Kind == KindGeneralise {
		return nil, optionError("generalisation needs smaller tasks of the same family: give --examples, or a bundled task whose size can shrink")
	}
	w, err := world.New(m.ctx, m.prob, m.o.Limits)
	if err != nil {
		return nil, err
	}
	return func(int) (*pddl.Problem, error) { return walked(w, rng) }, nil
}

// bundledNumbers splits the name of a bundled task. It returns false for other names, and for families
// whose last number is not random.
func bundledNumbers(name string) (domains.Info, []int, bool) {
	kind, rest, _ := strings.Cut(name, ":")
	for _, info := range domains.List() {
		if info.Name != kind || info.Last == "" || len(info.Params) == 0 && name == "" {
			continue
		}
		numbers := make([]int, len(info.Params))
		given := strings.Split(rest, "-")
		for i, p := range info.Params {
			numbers[i] = p.Default
			if i < len(given) && given[i] != "" {
				n, err := strconv.Atoi(given[i])
				if err != nil {
					return info, nil, false
				}
				numbers[i] = n
			}
		}
		return info, numbers, true
	}
	return domains.Info{}, nil, false
}

// bundled keeps the domains of examples.
var bundled = taskref.NewResolver(taskref.Options{CacheBytes: 4 << 20})

// anotherBundled loads a random task of the same generator, of the same size or smaller. It returns nil
// if the numbers drawn name no task.
func anotherBundled(kind domains.Info, numbers []int, smaller bool, rng *rand.Rand) (*pddl.Problem, error) {
	numbers = slices.Clone(numbers)
	if smaller {
		shrunk := false
		for i, p := range kind.Params {
			if low := max(p.Min, 2); numbers[i] > low {
				numbers[i] = low + rng.IntN(numbers[i]-low)
				shrunk = true
				break
			}
		}
		if !shrunk {
			return nil, optionError("%s has no smaller tasks to generalise from", kind.Name)
		}
	}
	parts := make([]string, 0, len(numbers)+1)
	for _, n := range numbers {
		parts = append(parts, strconv.Itoa(n))
	}
	parts = append(parts, strconv.Itoa(1+rng.IntN(1<<rng.IntN(14))))
	key, err := bundled.Bundled(kind.Name + ":" + strings.Join(parts, "-"))
	if err != nil {
		return nil, nil // beyond the last task: the next number may be smaller
	}
	p, ds := bundled.Parse(key, pddl.Options{})
	if p == nil {
		return nil, fmt.Errorf("internal error: a bundled task cannot be read: %w", ds.Err())
	}
	return p, nil
}

// walked makes a problem in the state space of another: random steps lead to its initial state, and
// further random steps to the state from which its goal is taken. It returns nil if no step is
// possible.
func walked(w *world.World, rng *rand.Rand) (*pddl.Problem, error) {
	st, _ := w.Walk(w.Sim.Initial(), rng.IntN(8), rng)
	next, steps := w.Walk(st, 2+rng.IntN(5), rng)
	goal := atomtext.Gained(w.Facts(st), w.Facts(next))
	if len(steps) == 0 || len(goal) == 0 {
		return nil, nil
	}
	rng.Shuffle(len(goal), func(i, j int) { goal[i], goal[j] = goal[j], goal[i] })
	goal = goal[:min(len(goal), 1+rng.IntN(3))]
	atomtext.Sort(goal)
	p, err := world.WithState(w.Prob, w.Facts(st))
	if err != nil {
		return nil, err
	}
	return world.WithGoal(p, goal)
}
