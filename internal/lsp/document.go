package lsp

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
	"github.com/planproof/planproof/validator"
	"github.com/planproof/planproof/validator/project"
)

// Document is one text of a document. It never changes.
type Document struct {
	URI, Path string
	Version   int32
	Text      string
	Open      bool
	plan      bool

	lines  func() []uint32
	ascii  func() bool
	file   func() *syntax.File
	domain func() (*pddl.Domain, pddl.Diagnostics)

	placing sync.Mutex
	memo    struct{ off, at uint32 } // the last place asked for, and its unit

	mu   sync.Mutex
	read *reading // the last one
}

// reading is a problem as read by a domain. The problem is nil if it, or the domain, has an error.
type reading struct {
	of      *Document // the domain, nil if there is none
	problem *pddl.Problem
	faults  pddl.Diagnostics

	mu    sync.Mutex
	judge *validator.Judge // made when it is first asked for
	err   error
}

// newDocument makes a document. The language is what the client calls it, "" if it does not say.
func newDocument(uri, language string, version int32, text string, open bool) *Document {
	d := &Document{URI: normal(uri), Path: pathOf(uri), Version: version, Text: text, Open: open}
	if d.Path == "" {
		d.Path = d.URI
	}
	d.plan = language == "plan" || language == "pddl-plan" || !project.IsPDDL(d.Path) && project.ProblemOfPlan(d.Path) != ""
	d.lines = sync.OnceValue(func() []uint32 { return lineStarts(text) })
	d.ascii = sync.OnceValue(func() bool { return isASCII(text) })
	d.file = sync.OnceValue(func() *syntax.File {
		switch {
		case len(text) > maxAnalysed:
			return syntax.Parse("")
		case d.plan:
			return syntax.ParsePlan(text)
		}
		return syntax.Parse(text)
	})
	d.domain = sync.OnceValues(func() (*pddl.Domain, pddl.Diagnostics) {
		return pddl.ParseDomain(pddl.NewSource(d.Path, text), pddl.Options{})
	})
	return d
}

// File says what the words of the document are. It is empty for one of more than maxAnalysed bytes.
func (d *Document) File() *syntax.File { return d.file() }

// Kind is what the document defines.
func (d *Document) Kind() syntax.Kind { return d.file().Kind }

// tooLarge reports whether the document is not looked into.
func (d *Document) tooLarge() bool { return len(d.Text) > maxAnalysed }

// position is the place of a byte, in lines and UTF-16 units.
func (d *Document) position(off uint32) Position {
	off = min(off, uint32(len(d.Text)))
	line, from := lineOf(d.lines(), off)
	if d.ascii() {
		return Position{line, off - from}
	}
	d.placing.Lock()
	defer d.placing.Unlock()
	p := Position{Line: line}
	if d.memo.off >= from && d.memo.off <= off { // generated files have lines of megabytes
		from, p.Character = d.memo.off, d.memo.at
	}
	p.Character += unitsOf(d.Text[from:off])
	d.memo.off, d.memo.at = off, p.Character
	return p
}

// base is the document's file name.
func (d *Document) base() string { return filepath.Base(d.Path) }

func (d *Document) offset(p Position) uint32   { return offset(d.Text, d.lines(), p) }
func (d *Document) span(off, lim uint32) Range { return Range{d.position(off), d.position(lim)} }
func (d *Document) word(i int32) Range         { w := d.File().Words[i]; return d.span(w.Off, w.Lim) }
func (d *Document) location(i int32) Location  { return Location{d.URI, d.word(i)} }

// reading returns the problem of the document as read by the domain in dom, which may be nil. The error is that of ctx.
func (d *Document) reading(ctx context.Context, dom *Document) (*reading, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.read == nil || d.read.of != dom {
		var domain *pddl.Domain
		if dom != nil {
			domain, _ = dom.domain()
		}
		problem, faults, err := pddl.ParseProblemContext(ctx, pddl.NewSource(d.Path, d.Text), domain, pddl.Options{})
		if err != nil {
			return nil, err
		}
		d.read = &reading{of: dom, problem: problem, faults: faults}
	}
	return d.read, nil
}

// judgeOf returns the judge of the problem. A task for which there is none within traceTime has none.
func (r *reading) judgeOf(ctx context.Context) (*validator.Judge, error) {
	if r.problem == nil || len(r.problem.Objects) > maxObjects {
		return nil, errNoTask
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.judge == nil && r.err == nil {
		short, cancel := context.WithTimeout(ctx, traceTime)
		defer cancel()
		j, err := validator.NewJudgeContext(short, r.problem, validator.Options{})
		if err != nil && ctx.Err() != nil {
			return nil, err // the next one has more time
		}
		r.judge, r.err = j, err
	}
	return r.judge, r.err
}

// normal writes a URI in one way: clients differ in what they escape.
func normal(uri string) string {
	if path := pathOf(uri); path != "" {
		return uriOf(path)
	}
	return uri
}

// pathOf is the path of a file URI, "" for another one or one of another machine.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" || strings.IndexByte(u.Path, 0) >= 0 {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/folder
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf is the file URI of a path.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if len(path) > 1 && path[1] == ':' {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
