package dataset

import (
	"context"
	"errors"
	"regexp"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
)

// found is what reading a task tells.
type found struct {
	structure, base Structure
	constrained     bool   // the task forbids actions
	sum             string // for DedupExact
	err             error
}

// excluded are structures that are left out; coarse ones where the exact one is not known.
type excluded struct{ hashes, coarse, inexact map[[32]byte]bool }

// has tells whether a task may have one of the structures.
func (x *excluded) has(st *Structure) bool {
	return x.hashes[st.Hash] || x.inexact[st.Coarse] || !st.Exact && x.coarse[st.Coarse]
}

// exclude finds the structures of Options.Exclude, those of the tasks without constraints.
// A task that cannot be read is an error: nothing could be left out for it.
func (s *Set) exclude(ctx context.Context) (*excluded, error) {
	x := &excluded{map[[32]byte]bool{}, map[[32]byte]bool{}, map[[32]byte]bool{}}
	var unread []error
	for _, src := range s.o.Exclude {
		err := inOrder(ctx, src.Len(), s.o.Threads, func(_ context.Context, i int) (f found, err error) {
			inst, err := s.prepare(src, i, 0) // its goal is that of a row already
			if err != nil {
				return found{err: err}, nil
			}
			f.base, err = s.baseStructure(inst)
			return f, err
		}, func(i int, f found) error {
			s.progress("excluding", i+1, src.Len())
			if f.err != nil {
				if unread = append(unread, errors.New(faultText(f.err))); len(unread) == 20 {
					return errors.Join(append(unread, errors.New("and perhaps more"))...)
				}
				return nil
			}
			st := &f.base
			x.hashes[st.Hash], x.coarse[st.Coarse] = true, true
			if !st.Exact {
				x.inexact[st.Coarse] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.manifest.Options.Excluded = len(x.hashes)
	return x, errors.Join(unread...)
}

// baseStructure is the structure of a task without its constraints.
func (s *Set) baseStructure(inst *Instance) (Structure, error) {
	p, err := domains.Unrestricted(inst.Problem)
	if err != nil {
		return Structure{}, err
	}
	if p == inst.Problem {
		return structureOf(p, s.hashes.of(inst), s.o.structureWork), nil
	}
	return structureOf(p, hashText(domainKeyText(p.Domain)), s.o.structureWork), nil
}

// read reads all tasks and leaves out those that are the same as one before.
func (s *Set) read(ctx context.Context) error {
	total := 0
	for _, src := range s.o.Sources {
		total += src.Len()
		s.manifest.Sources = append(s.manifest.Sources, SourceCount{src.Name(), src.Len()})
	}
	leaveOut, err := s.exclude(ctx)
	if err != nil {
		return err
	}
	taken := map[[32]byte]bool{}
	seen := map[string]bool{}
	ids := newNumberer(s.o.Settings)
	done := 0
	for k, src := range s.o.Sources {
		err := inOrder(ctx, src.Len(), s.o.Threads, func(_ context.Context, i int) (found, error) { return s.find(src, i) }, func(i int, f found) error {
			done++
			s.progress("reading", done, total)
			if f.err != nil {
				s.fault(src.ID(i), DropBroken, f.err)
				return nil
			}
			if leaveOut.has(&f.base) {
				s.manifest.Dropped[DropExcluded]++
				return nil
			}
			if s.o.Dedup == DedupIsomorphic && taken[f.structure.Hash] {
				s.manifest.Dropped[DropIsomorphic]++
				return nil
			}
			taken[f.structure.Hash] = true
			if f.sum != "" {
				if seen[f.sum] {
					s.manifest.Dropped[DropSame]++
					return nil
				}
				seen[f.sum] = true
			}
			it := item{source: int32(k), index: int32(i), structure: s.number(f.structure), base: s.number(f.base), constrained: f.constrained}
			if len(s.o.Sources) > 1 || src.Len() < manyTasks {
				it.again = ids.number(src.ID(i))
			}
			s.items = append(s.items, it)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// find reads a task of a source and finds its structures.
func (s *Set) find(src Source, i int) (found, error) {
	inst, err := s.prepared(src, i)
	if err != nil {
		return found{err: err}, nil
	}
	f := found{structure: structureOf(inst.Problem, s.hashes.of(inst), s.o.structureWork)}
	f.base = f.structure
	if f.constrained = len(domains.Restrictions(inst.Problem)) > 0; f.constrained {
		if f.base, err = s.baseStructure(inst); err != nil {
			return f, err
		}
	}
	if s.o.Dedup == DedupExact {
		f.sum = taskref.Sum(inst.DomainText, inst.ProblemText)
	}
	return f, nil
}

// number numbers a structure.
func (s *Set) number(st Structure) int32 {
	n, known := s.numbers[st.Hash]
	if !known {
		n = int32(len(s.structures))
		s.numbers[st.Hash] = n
		s.structures = append(s.structures, st)
	}
	return n
}

// numberer tells items apart whose rows would have the same id: those of one name, or of
// names that only endings of rows tell apart, as x and x~1.
type numberer struct {
	endings *regexp.Regexp // nil where rows have none
	taken   map[string]bool
	last    map[string]int32
}

func newNumberer(o Settings) *numberer {
	n := &numberer{taken: map[string]bool{}, last: map[string]int32{}}
	marks := ""
	if o.Constraints.Max > 0 {
		marks += "~"
	}
	if o.Names != NamesOwn || o.Split[contaminated] > 0 {
		marks += "#"
	}
	if marks != "" {
		n.endings = regexp.MustCompile("([" + marks + "][0-9]+)+$")
	}
	return n
}

// number is 0 for an id that stays as it is, and k for one to which "+k" is added.
func (n *numberer) number(id string) int32 {
	key := id
	if n.endings != nil {
		key = n.endings.ReplaceAllString(id, "")
	}
	k := n.last[id]
	for ; n.taken[key]; key = id + "+" + itoa(k) {
		k++
	}
	n.taken[key], n.last[id] = true, k
	return k
}

// manyTasks is a number of tasks from which on a source is made by rules: its ids differ.
const manyTasks = 1 << 20

// domainHashes remembers what domains mean, by their texts.
type domainHashes struct {
	mu   sync.Mutex
	sums map[string][32]byte
}

// maxDomainSums bounds the domains whose hashes are kept.
const maxDomainSums = 256

func (d *domainHashes) of(inst *Instance) [32]byte {
	d.mu.Lock()
	sum, ok := d.sums[inst.DomainText]
	d.mu.Unlock()
	if ok {
		return sum
	}
	sum = hashText(domainKeyText(inst.Problem.Domain))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sums == nil || len(d.sums) >= maxDomainSums {
		d.sums = map[string][32]byte{}
	}
	d.sums[inst.DomainText] = sum
	return sum
}
