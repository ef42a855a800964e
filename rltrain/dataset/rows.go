package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// told is the task of a row: under its names, with its plan.
type told struct {
	inst *Instance
	gold *Gold
}

// tell makes the task of a row.
func (s *Set) tell(r row) (*told, error) {
	it := &s.items[r.item]
	inst, err := s.instance(it)
	if err != nil {
		return nil, err
	}
	t := &told{inst: inst, gold: it.gold}
	if t.gold == nil {
		t.gold = inst.Gold
	}
	names, err := s.namer.names(inst.Problem, fmt.Sprint(inst.ID, it.variant), int(r.copy))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inst.ID, err)
	}
	c := *inst
	t.inst = &c
	if it.again > 0 {
		c.ID += fmt.Sprintf("+%d", it.again)
	}
	if it.variant > 0 {
		c.ID += fmt.Sprintf("~%d", it.variant)
	}
	if names == nil {
		return t, nil
	}
	c.ID += fmt.Sprintf("#%d", r.copy+1)
	var step func(string) string
	if c.Problem, step, err = rename(inst.Problem, names); err != nil {
		return nil, err
	}
	c.ProblemText = c.Problem.String()
	g := *t.gold
	g.Plan = make([]string, len(t.gold.Plan))
	for i, p := range t.gold.Plan {
		g.Plan[i] = step(p)
	}
	t.gold = &g
	return t, nil
}

// tellApart leaves out rows that have become the same task as one before, to the letter but
// for the order of facts and objects. Tasks that differ in names only may do so when they
// get others: a row of test-contaminated, too, would then be one that is trained on.
func (s *Set) tellApart(ctx context.Context) error {
	defer s.count()
	if s.o.Dedup == DedupIsomorphic {
		return nil // one task a structure, and its two lists of names differ
	}
	alike := make([]int, len(s.structures))
	total := 0
	for _, rows := range s.rows {
		for _, r := range rows {
			alike[s.items[r.item].structure]++
		}
		total += len(rows)
	}
	type key struct {
		structure int32
		named     [32]byte
	}
	seen := map[key]bool{}
	done := 0
	for k, rows := range s.rows {
		kept := make([]row, 0, len(rows))
		err := inOrder(ctx, len(rows), s.o.Threads, func(_ context.Context, i int) (key, error) {
			it := &s.items[rows[i].item]
			if alike[it.structure] < 2 {
				return key{structure: it.structure}, nil
			}
			inst, err := s.instance(it)
			if err != nil {
				return key{}, err
			}
			names, err := s.rowNames(rows[i], inst)
			if err != nil {
				return key{}, err
			}
			return key{it.structure, namedHash(inst.Problem, names)}, nil
		}, func(i int, x key) error {
			done++
			s.progress("naming", done, total)
			// With --dedup none only what would be trained on and tested is left out.
			same := seen[x] && (s.o.Dedup == DedupExact || k == contaminated)
			if k == 0 || s.o.Dedup == DedupExact {
				seen[x] = true
			}
			if same {
				s.manifest.Dropped[DropSame]++
			} else {
				kept = append(kept, rows[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.rows[k] = kept
	}
	return nil
}

// rowNames returns the names of the objects of a row's task.
func (s *Set) rowNames(r row, inst *Instance) ([]string, error) {
	names, err := s.namer.names(inst.Problem, fmt.Sprint(inst.ID, s.items[r.item].variant), int(r.copy))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inst.ID, err)
	}
	if names == nil {
		names = newRelations(inst.Problem).names
	}
	return names, nil
}

// record makes the row itself.
func (s *Set) record(ctx context.Context, split string, r row) (*Record, error) {
	t, err := s.tell(r)
	if err != nil {
		return nil, err
	}
	it := &s.items[r.item]
	structure := &s.structures[it.structure]
	rec := &Record{
		ID: t.inst.ID, Task: taskref.Sum(t.inst.DomainText, t.inst.ProblemText), Structure: structure.String(), BaseStructure: s.structures[it.base].String(), Split: split,
		Family: t.inst.Family, DomainText: t.inst.DomainText, ProblemText: t.inst.ProblemText,
		Gold: *t.gold, Difficulty: it.difficulty, Bin: s.bins.names[s.bins.of(it.difficulty)],
	}
	for _, f := range domains.Restrictions(t.inst.Problem) {
		rec.Constraints = append(rec.Constraints, "(forbidden-"+strings.TrimPrefix(f.String(), "("))
	}
	o := s.o.promptOptions()
	o.Seed = seeded.Rand(s.o.Seed, "prompt "+rec.ID).Uint64()
	text := ""
	if o.Shots > 0 {
		if o.Examples, err = s.exampleProblems(r, t.inst); err != nil {
			return nil, err
		}
		text = wholeText(t.inst.Problem)
	}
	o.Solve = func(ctx context.Context, p *pddl.Problem) ([]string, string, bool, error) {
		if text == "" || wholeText(p) == text {
			return t.gold.Plan, t.gold.Cost, true, nil
		}
		return s.examples.solve(ctx, p, &solver{s.o.Schedule, s.o.Limits})
	}
	made, err := prompt.Make(ctx, prompt.Task{ID: rec.ID, Problem: t.inst.Problem}, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rec.ID, err)
	}
	rec.System, rec.Prompt, rec.Answer, rec.Reader = made.Prompt.System, made.Prompt.Text, made.Gold.Text, made.Reader
	if err := readBack(rec, t.inst.Problem); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		mask prompt.Mask
		to   *string
	}{
		{prompt.Mask{Constraints: true, Percent: 100}, &rec.PromptUnconstrained},
		{prompt.Mask{Goal: true, Percent: 100}, &rec.PromptGoalMasked},
		{prompt.Mask{Constraints: true, Goal: true, Percent: 100}, &rec.PromptBothMasked},
	} {
		masked, _ := m.mask.Apply(&made.Prompt)
		*m.to = masked.Text
	}
	return rec, nil
}

// readBack reads a gold answer for the strict reader as the reward of a training run will.
func readBack(rec *Record, p *pddl.Problem) error {
	if rec.Reader != extract.Strict {
		return nil
	}
	x := extract.NewReader(p.Domain, p, extract.Strict).Extract(rec.Answer)
	if x.Status != extract.StatusPlan || len(x.Malformed) > 0 || !slices.Equal(x.Plan, rec.Gold.Plan) {
		return fmt.Errorf("internal error: %s: the gold answer does not follow the answer contract (%s); please report it", rec.ID, x.Status)
	}
	return nil
}

// wholeText is a task with its domain: problems of two domains may read alike.
func wholeText(p *pddl.Problem) string { return p.Domain.String() + "\x00" + p.String() }

// akin reports whether two items are or may be one task but for names and constraints.
func (s *Set) akin(a, b *item) bool {
	x, y := &s.structures[a.base], &s.structures[b.base]
	return a.base == b.base || x.Coarse == y.Coarse && !(x.Exact && y.Exact)
}

// freeDomain is the text of the domain without what constraints add to it.
func freeDomain(p *pddl.Problem) (string, error) {
	free, err := domains.Unrestricted(p)
	if err != nil {
		return "", err
	}
	return free.Domain.String(), nil
}

// exampleProblems picks tasks of the training split to make examples of: of the same
// domain, constraints aside, and of another structure than the row's, whatever the split.
func (s *Set) exampleProblems(r row, inst *Instance) ([]*pddl.Problem, error) {
	const spare, tries = 8, 64 // spare: prompt.Make leaves out examples that give the answer away
	rng := seeded.Rand(s.o.Seed, fmt.Sprintf("examples %s %d", inst.ID, r.copy))
	train := s.rows[0]
	domain, err := freeDomain(inst.Problem)
	if err != nil {
		return nil, err
	}
	var out []*pddl.Problem
	var taken []int
	for n := 0; len(out) < s.o.Shots+spare && n < tries*(s.o.Shots+spare) && len(train) > 0; n++ {
		k := rng.IntN(len(train))
		if s.akin(&s.items[train[k].item], &s.items[r.item]) || slices.Contains(taken, k) {
			continue
		}
		taken = append(taken, k)
		t, err := s.tell(train[k])
		if err != nil {
			return nil, err
		}
		d, err := freeDomain(t.inst.Problem)
		if err != nil {
			return nil, err
		}
		if d == domain {
			out = append(out, t.inst.Problem)
		}
	}
	if len(out) < s.o.Shots {
		return nil, fmt.Errorf("%s: the training split has no %d tasks of its domain to make examples of", inst.ID, s.o.Shots)
	}
	return out, nil
}

// exampleCache remembers the plans of examples: few tasks serve many rows.
type exampleCache struct {
	mu    sync.Mutex
	known map[string]*Gold
}

const maxExamples = 1 << 14

func (c *exampleCache) solve(ctx context.Context, p *pddl.Problem, s *solver) ([]string, string, bool, error) {
	key := wholeText(p)
	c.mu.Lock()
	g := c.known[key]
	c.mu.Unlock()
	if g == nil {
		var drop *dropped
		var err error
		if g, drop, err = s.solve(ctx, p); err != nil {
			return nil, "", false, err
		}
		if drop != nil {
			return nil, "", false, fmt.Errorf("an example that was solved before is not solved again: %w", drop.err)
		}
		c.mu.Lock()
		if c.known == nil || len(c.known) >= maxExamples {
			c.known = map[string]*Gold{}
		}
		c.known[key] = g
		c.mu.Unlock()
	}
	return g.Plan, g.Cost, true, nil
}

// Manifest describes the set; it is complete once Write has ended.
func (s *Set) Manifest() *Manifest { return &s.manifest }

// Records makes the rows of a split, in order, and hands them to yield.
func (s *Set) Records(ctx context.Context, split string, yield func(*Record) error) error {
	k := slices.Index(Splits(), split)
	if k < 0 {
		return fmt.Errorf("there is no split %q: there are %s", split, strings.Join(Splits(), ", "))
	}
	rows := s.rows[k]
	return inOrder(ctx, len(rows), s.o.Threads, func(ctx context.Context, i int) (*Record, error) {
		return s.record(ctx, split, rows[i])
	}, func(_ int, r *Record) error { return yield(r) })
}
