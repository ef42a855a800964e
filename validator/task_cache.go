package validator

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/planproof/planproof/pddl"
)

// taskRef refers to a task: the domain and the problem, each as a file or as text. Text
// wins if both are given.
type taskRef struct {
	DomainFile, ProblemFile string
	DomainText, ProblemText string
}

// taskCache is a cache of compiled tasks, bounded in memory and safe for concurrent use.
// A file is read once, and again if its time or size changes.
type taskCache struct {
	opt     Options
	read    pddl.Options
	limit   int64
	reprice func(*pddl.Problem) (*pddl.Problem, error) // nil: leave problems as they are

	mu      sync.Mutex
	used    int64
	domains map[sourceKey]*entry[*pddl.Domain]
	judges  map[taskKey]*entry[*pooledJudge]
	recent  *list.List // of evictable, most recent first
}

// sourceKey identifies an input: by its text, or by its path with a stamp.
type sourceKey struct {
	path, text string
	size       int64
	modified   time.Time
}

type taskKey struct{ domain, problem sourceKey }

// entry is computed once, by the first goroutine that needs it; others wait.
type entry[T any] struct {
	once  sync.Once
	value T
	err   error
	place *list.Element // holds an *evictable
}

// evictable is an element of the recency list.
type evictable struct {
	drop    func() // removes the entry from its map
	size    int64
	dropped bool
}

// pooledJudge is a Judge with a pool of scratches.
type pooledJudge struct {
	*Judge
	pool sync.Pool
}

// borrow returns a scratch of the judge, to be returned with giveBack.
func (p *pooledJudge) borrow() *Scratch {
	if s, ok := p.pool.Get().(*Scratch); ok {
		return s
	}
	return p.NewScratch()
}

// giveBack takes back a borrowed scratch.
func (p *pooledJudge) giveBack(s *Scratch) {
	s.Epsilon, s.Context, s.MaxBytes = pddl.Number{}, nil, 0
	p.pool.Put(s)
}

// defaultCacheBytes is the memory that a taskCache keeps by default.
const defaultCacheBytes = 512 << 20

// newTaskCache returns a cache that keeps about limit bytes (0: defaultCacheBytes) of
// domains and judges compiled with opt.
func newTaskCache(limit int64, opt Options, reprice func(*pddl.Problem) (*pddl.Problem, error)) *taskCache {
	if limit <= 0 {
		limit = defaultCacheBytes
	}
	return &taskCache{
		opt: opt, limit: limit, reprice: reprice, recent: list.New(),
		domains: map[sourceKey]*entry[*pddl.Domain]{}, judges: map[taskKey]*entry[*pooledJudge]{},
	}
}

// judge returns the compiled task. The error is that of reading the files, or
// pddl.Diagnostics.
func (t *taskCache) judge(ref taskRef) (*pooledJudge, error) {
	dk, err := keyOf("domain", ref.DomainFile, ref.DomainText)
	if err != nil {
		return nil, err
	}
	pk, err := keyOf("problem", ref.ProblemFile, ref.ProblemText)
	if err != nil {
		return nil, err
	}
	e := lookUp(t, t.judges, taskKey{dk, pk})
	e.once.Do(func() {
		e.err = errInterrupted // for the waiting goroutines, if compiling panics
		e.value, e.err = t.compile(dk, pk)
		size := int64(256 + len(dk.text) + len(pk.text))
		if e.err == nil {
			size += 2 * e.value.Memory()
		}
		t.account(e.place, size)
	})
	return e.value, e.err
}

var errInterrupted = errors.New("internal error while reading the task")

func (t *taskCache) compile(dk, pk sourceKey) (*pooledJudge, error) {
	d, err := t.domain(dk)
	if err != nil {
		return nil, err
	}
	src, err := pk.source("problem.pddl")
	if err != nil {
		return nil, err
	}
	p, diags := pddl.ParseProblem(src, d, t.read)
	if p == nil {
		return nil, diags.Errors()
	}
	if t.reprice != nil {
		if p, err = t.reprice(p); err != nil {
			return nil, err
		}
	}
	j, err := NewJudge(p, t.opt)
	if err != nil {
		return nil, err
	}
	return &pooledJudge{Judge: j}, nil
}

func (t *taskCache) domain(k sourceKey) (*pddl.Domain, error) {
	e := lookUp(t, t.domains, k)
	e.once.Do(func() {
		e.err = errInterrupted
		var size int64
		e.value, size, e.err = readDomain(k, t.read)
		t.account(e.place, 256+int64(len(k.text))+size)
	})
	return e.value, e.err
}

// readDomain reads a domain and estimates the memory it keeps.
func readDomain(k sourceKey, opt pddl.Options) (*pddl.Domain, int64, error) {
	src, err := k.source("domain.pddl")
	if err != nil {
		return nil, 0, err
	}
	d, diags := pddl.ParseDomain(src, opt)
	if d == nil {
		return nil, 0, diags.Errors()
	}
	return d, 6 * int64(len(src.Text)), nil
}

// lookUp returns the entry of a key, makes it if needed, and moves it to the front of the
// recency list.
func lookUp[K comparable, T any](t *taskCache, m map[K]*entry[T], k K) *entry[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := m[k]; e != nil {
		t.recent.MoveToFront(e.place)
		return e
	}
	e := &entry[T]{}
	m[k] = e
	e.place = t.recent.PushFront(&evictable{drop: func() { delete(m, k) }})
	return e
}

// account records the size of an entry and drops the least recently used entries while
// the cache is too large. Goroutines that use a dropped entry keep it alive.
func (t *taskCache) account(place *list.Element, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := place.Value.(*evictable)
	if x.dropped {
		return
	}
	x.size = n
	t.used += n
	for t.used > t.limit && t.recent.Len() > 1 {
		last := t.recent.Back()
		x := last.Value.(*evictable)
		x.drop()
		x.dropped = true
		t.used -= x.size
		t.recent.Remove(last)
	}
}

// keyOf makes the key of an input given by file or text.
func keyOf(what, path, text string) (sourceKey, error) {
	if text != "" {
		return sourceKey{text: text}, nil
	}
	if path == "" {
		return sourceKey{}, fmt.Errorf("no %s: give %q, the name of a file, or %q", what, what, what+"_text")
	}
	info, err := os.Stat(path)
	if err != nil {
		return sourceKey{}, err
	}
	if !info.Mode().IsRegular() {
		return sourceKey{}, fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() > pddl.MaxSourceSize {
		return sourceKey{}, fmt.Errorf("%s: too large (%d bytes)", path, info.Size())
	}
	return sourceKey{path: path, size: info.Size(), modified: info.ModTime()}, nil
}

// source reads the input.
func (k sourceKey) source(name string) (*pddl.Source, error) {
	if k.path == "" {
		return &pddl.Source{Name: name, Text: k.text}, nil
	}
	b, err := os.ReadFile(k.path)
	if err != nil {
		return nil, err
	}
	return &pddl.Source{Name: filepath.ToSlash(k.path), Text: string(b)}, nil
}

// Memory estimates the bytes that a judge and its problem take; each scratch takes up to
// as much again.
func (j *Judge) Memory() int64 {
	n := 8 * int64(len(j.prob.Source.Text))
	n += 8 * int64(len(j.statics)+2*len(j.fluentInit))
	n += 48 * int64(len(j.values)+len(j.constants))
	n += 24*int64(len(j.sparse.id)) + 4*int64(len(j.sparse.args)+len(j.sparse.slots)) + 8*int64(j.derived)
	n += 120*int64(len(j.nodes)+len(j.exprs)) + 100*int64(len(j.effects)+len(j.levels)) + 8*int64(len(j.terms)+len(j.coefs)+len(j.kids))
	for i := range j.indexes {
		x := &j.indexes[i]
		n += 4*int64(len(x.objects)+len(x.start)) + 24*int64(len(x.buckets.id))
	}
	return n
}
