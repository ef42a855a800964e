package dataset

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/seeded"
)

// variant is a restricted form of a task.
type variant struct {
	item      item
	structure Structure
	drop      *dropped
}

// constrain replaces each task by its restricted forms.
func (s *Set) constrain(ctx context.Context) error {
	c := s.o.Constraints
	if c.Max == 0 {
		return nil
	}
	n := max(c.Variants, 1)
	base := s.items
	s.items = nil
	structures := s.structures // more are added while tasks are worked on
	type place struct{ base, structure int32 }
	seen := map[place]bool{}
	return inOrder(ctx, len(base), s.o.Threads, func(ctx context.Context, i int) ([]variant, error) {
		inst, err := s.prepared(s.o.Sources[base[i].source], int(base[i].index))
		if err != nil {
			return nil, err
		}
		var variants []variant
		for k := range n {
			v, err := s.variant(ctx, base[i], structures[base[i].structure], inst, k+1)
			if err != nil {
				return nil, err
			}
			variants = append(variants, v)
			if v.drop != nil && c.Min <= 1 {
				break // not one constraint was found, which no other draw would change
			}
		}
		return variants, nil
	}, func(i int, variants []variant) error {
		s.progress("constraining", i+1, len(base))
		var drop *dropped
		kept := 0
		for _, v := range variants {
			if v.drop != nil {
				drop = v.drop
				continue
			}
			kept++
			v.item.structure = s.number(v.structure)
			// Variants of one task may be drawn alike: there are no more of them, then.
			key := place{int32(i), v.item.structure}
			if seen[key] {
				continue
			}
			seen[key] = true
			s.items = append(s.items, v.item)
		}
		switch {
		case kept > 0 || drop == nil:
		case drop.reason == DropFree: // the task is fine, and so they may be many
			s.manifest.Dropped[DropFree]++
		default:
			s.fault(s.o.Sources[base[i].source].ID(int(base[i].index)), drop.reason, drop.err)
		}
		return nil
	})
}

// variant draws the constraints of the k-th form of a task, from 1.
func (s *Set) variant(ctx context.Context, base item, structure Structure, inst *Instance, k int) (variant, error) {
	c := s.o.Constraints
	rng := seeded.Rand(s.o.Seed, fmt.Sprintf("constraints %s %d", inst.ID, k))
	v := variant{item: base, structure: structure}
	o := RestrictOptions{
		Count: c.Min + rng.IntN(c.Max-c.Min+1), Seed: rng.Uint64(), Patterns: c.Patterns, Dearer: c.Dearer,
		Ground: grounder.Options{Time: s.o.Limits.Wall, Memory: s.o.Limits.Memory}, Search: s.o.Limits,
	}
	if o.Count == 0 {
		return v, nil
	}
	v.item.variant = int32(k)
	r, err := SampleRestrictions(ctx, inst.Problem, o)
	for errors.Is(err, ErrNoRestriction) && o.Count > max(c.Min, 1) {
		o.Count-- // fewer are allowed too
		r, err = SampleRestrictions(ctx, inst.Problem, o)
	}
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case errors.Is(err, ErrNoRestriction):
		v.drop = &dropped{DropFree, err}
		return v, nil
	case errors.Is(err, ErrRestrictLimit):
		v.drop = &dropped{DropLimit, err}
		return v, nil
	case errors.Is(err, ErrRestrictTask):
		v.drop = &dropped{DropBroken, err}
		return v, nil
	case err != nil:
		return v, err
	}
	v.item.forbidden, v.item.constrained = r.Forbidden, true
	v.item.gold = &Gold{Plan: r.Plan, Steps: len(r.Plan), Cost: r.Cost.String(), Optimal: true}
	v.item.difficulty = difficulty(v.item.gold.Cost)
	restricted, err := inst.with(r.Problem)
	if err != nil {
		return v, err
	}
	solver := solver{s.o.Schedule, s.o.Limits}
	if v.item.gold.Slack, err = solver.slack(ctx, restricted.Problem); err != nil {
		return v, err
	}
	v.structure = structureOf(restricted.Problem, s.hashes.of(restricted), s.o.structureWork)
	return v, nil
}
