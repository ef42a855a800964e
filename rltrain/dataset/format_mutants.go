package dataset

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/search"
)

// mutant is a spoiled plan.
type mutant struct {
	steps  []string
	origin string
}

// mutants spoils a plan in three ways: a step less, two neighbours swapped, another object
// in a step. They come in turn, one of each way, in an order drawn by the seed and the
// record's id; the same plan comes once.
func mutants(plan, objects []string, rng *rand.Rand) []mutant {
	ways := [][]mutant{nil, nil, nil}
	for i := range plan {
		ways[0] = append(ways[0], mutant{slices.Delete(slices.Clone(plan), i, i+1), fmt.Sprint("drop ", i+1)})
		if i > 0 {
			swapped := slices.Clone(plan)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			ways[1] = append(ways[1], mutant{swapped, fmt.Sprint("swap ", i)})
		}
		words := strings.Fields(strings.Trim(plan[i], "()"))
		for k := 1; k < len(words); k++ {
			if len(objects) < 2 {
				break
			}
			other := objects[rng.IntN(len(objects))]
			for other == words[k] {
				other = objects[rng.IntN(len(objects))]
			}
			changed := slices.Clone(words)
			changed[k] = other
			steps := slices.Clone(plan)
			steps[i] = "(" + strings.Join(changed, " ") + ")"
			ways[2] = append(ways[2], mutant{steps, fmt.Sprint("object ", i+1)})
		}
	}
	for _, w := range ways {
		rng.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	}
	seen := map[string]bool{strings.Join(plan, ""): true}
	var out []mutant
	for k, open := 0, true; open; k++ {
		open = false
		for _, w := range ways {
			if k >= len(w) {
				continue
			}
			open = true
			if key := strings.Join(w[k].steps, ""); !seen[key] {
				seen[key] = true
				out = append(out, w[k])
			}
		}
	}
	return out
}

// maxMutants bounds the spoiled plans of one record that are judged.
const maxMutants = 64

// synthetic returns the gold answer and as many invalid mutants as are asked for; mutants
// that are valid by chance come too. Where the task has constraints a plan that only they
// forbid is among them, as a response to the prompt without constraints.
func (c *candidates) synthetic(ctx context.Context, r *Record) ([]candidate, error) {
	f, err := c.m.answerForm(r)
	if err != nil {
		return nil, err
	}
	objects := make([]string, len(f.prob.Objects))
	for i, o := range f.prob.Objects {
		objects[i] = strings.ToLower(o.Name)
	}
	h := fnv.New64a()
	h.Write([]byte(r.ID))
	all := mutants(r.Gold.Plan, objects, rand.New(rand.NewPCG(c.m.Options.Seed, h.Sum64())))
	list := []candidate{{text: r.Answer, origin: "gold"}}
	told := [][]string{r.Gold.Plan}
	for _, m := range all[:min(len(all), maxMutants)] {
		list = append(list, candidate{text: f.write(m.steps), origin: m.origin})
		told = append(told, m.steps)
	}
	breaking, err := c.breaking(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if breaking != nil {
		list = append(list, candidate{text: f.write(breaking), origin: "constraints", unconstrained: true})
		told = append(told, breaking)
	}
	if err := c.judge(ctx, r, list); err != nil {
		return nil, err
	}
	if !list[0].valid {
		return nil, fmt.Errorf("internal error: %s: the gold answer is judged invalid; please report it", r.ID)
	}
	want := c.o.Mutants
	if want == 0 {
		want = DefaultMutants
	}
	var kept []candidate
	for i, x := range list {
		switch {
		case !slices.Equal(x.steps, told[i]) || x.unconstrained && x.valid:
			continue // it is not read as what it was written for, or breaks no constraint
		case !x.valid && !x.unconstrained:
			if want == 0 {
				continue
			}
			want--
		}
		kept = append(kept, x)
	}
	return kept, nil
}

// breaking returns a plan of the record's task without its constraints, a cheapest one;
// nil where the task has none, or no such plan is found within the limits.
func (c *candidates) breaking(ctx context.Context, r *Record, f *answerForm) ([]string, error) {
	if len(domains.Restrictions(f.prob)) == 0 {
		return nil, nil
	}
	free, err := domains.Unrestricted(f.prob)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	s := solver{limits: search.Limits{Memory: c.o.Limits.Memory, Nodes: c.o.Limits.Nodes, Wall: c.o.Limits.Wall}}
	gold, _, err := s.cheapest(ctx, free)
	if err != nil || gold == nil {
		return nil, err
	}
	return gold.Plan, nil
}
