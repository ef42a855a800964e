package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// maxDomainText bounds the texts of the domains that are kept.
const maxDomainText = 16 << 20

// domainCache keeps the domains that rows name, since most problems of a file share a few.
// Several goroutines may use it at once.
type domainCache struct {
	mu     sync.Mutex
	files  map[string]domainFile
	parsed map[domainKey]func() parsedDomain
	bytes  int
}

// domainFile is a file as it was read; with another size or time it is read again.
type domainFile struct {
	size   int64
	time   time.Time
	source *pddl.Source
}

// domainKey is all that a parsed domain depends on: messages carry the name.
type domainKey struct {
	name, text string
	opt        pddl.Options
}

type parsedDomain struct {
	domain *pddl.Domain
	diags  pddl.Diagnostics
}

func newDomainCache() *domainCache {
	return &domainCache{files: map[string]domainFile{}, parsed: map[domainKey]func() parsedDomain{}}
}

// read reads a domain's file.
func (c *domainCache) read(e env, name string) (*pddl.Source, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return e.readSource(name)
	}
	c.mu.Lock()
	f, ok := c.files[name]
	c.mu.Unlock()
	if ok && f.size == info.Size() && f.time.Equal(info.ModTime()) {
		return f.source, nil
	}
	src, err := e.readSource(name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.makeRoom(len(name) + len(src.Text))
	c.files[name] = domainFile{info.Size(), info.ModTime(), src}
	return src, nil
}

// parse parses a domain once, whoever asks for it. The diagnostics are shared.
func (c *domainCache) parse(src *pddl.Source, opt pddl.Options) (*pddl.Domain, pddl.Diagnostics) {
	key := domainKey{src.Name, src.Text, opt}
	c.mu.Lock()
	get := c.parsed[key]
	if get == nil {
		get = sync.OnceValue(func() parsedDomain {
			d, diags := pddl.ParseDomain(src, opt)
			return parsedDomain{d, diags}
		})
		c.makeRoom(len(src.Name) + len(src.Text))
		c.parsed[key] = get
	}
	c.mu.Unlock()
	p := get()
	return p.domain, p.diags
}

// makeRoom forgets everything when n more bytes are too many.
func (c *domainCache) makeRoom(n int) {
	if c.bytes += n; c.bytes > maxDomainText {
		clear(c.files)
		clear(c.parsed)
		c.bytes = n
	}
}

// fileStamp shows whether a file has changed. A pipe can be read only once, so only its
// existence is compared.
type fileStamp struct {
	name string
	mode fs.FileMode // 0 for a missing file
	size int64
	time time.Time
}

func stampOf(name string) fileStamp {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return fileStamp{name: name}
	case !info.Mode().IsRegular():
		return fileStamp{name: name, mode: info.Mode()}
	}
	return fileStamp{name, info.Mode() | 1, info.Size(), info.ModTime()}
}

// filesOf returns the files that a row names.
func filesOf(row *prompt.Row) (list []fileStamp) {
	for _, f := range [][2]string{{row.Domain, row.DomainText}, {row.Problem, row.ProblemText}} {
		if f[0] != "" && f[1] == "" {
			list = append(list, stampOf(f[0]))
		}
	}
	return list
}

// fresh reports whether the task's files have not changed up to a time. Rows that came
// together look once.
func (t *rowTask) fresh(at time.Time) bool {
	if len(t.files) == 0 || t.seen.After(at) {
		return true
	}
	now := time.Now()
	for _, f := range t.files {
		is := stampOf(f.name)
		if is.mode != f.mode || is.size != f.size || !is.time.Equal(f.time) {
			return false
		}
	}
	t.seen = now
	return true
}

// rowProblem reads the task of a row.
func (e env) rowProblem(row *prompt.Row) (*pddl.Problem, error) {
	var dom, prob *pddl.Source
	var err error
	switch {
	case row.Task != "":
		if row.Domain+row.Problem+row.DomainText+row.ProblemText != "" {
			return nil, errors.New("give either a task, or a domain and a problem")
		}
		if dom, prob, err = domains.Load(row.Task); err != nil {
			return nil, err
		}
	default:
		if dom, err = e.rowSource("domain", row.Domain, row.DomainText, func(name string) (*pddl.Source, error) { return e.domains.read(e, name) }); err != nil {
			return nil, err
		}
		if prob, err = e.rowSource("problem", row.Problem, row.ProblemText, e.readSource); err != nil {
			return nil, err
		}
	}
	opt := pddl.Options{Strict: e.Bool("strict")}
	d, diags := e.domains.parse(dom, opt)
	p, more := pddl.ParseProblem(prob, d, opt)
	for _, x := range slices.Concat(diags, more) {
		if x.Severity == pddl.Error {
			return nil, errors.New(x.String())
		}
	}
	return p, nil
}

func (e env) rowSource(what, file, text string, read func(name string) (*pddl.Source, error)) (*pddl.Source, error) {
	switch {
	case text != "":
		return pddl.NewSource(what, text), nil
	case file == "":
		return nil, fmt.Errorf("the row has no %s", what)
	case strings.TrimSpace(file) == "-":
		return nil, fmt.Errorf("the row's %s cannot be standard input", what)
	}
	return read(file)
}
