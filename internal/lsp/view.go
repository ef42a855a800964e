package lsp

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/planproof/planproof/pddl/syntax"
	"github.com/planproof/planproof/validator/project"
)

// view is the documents of a moment and what belongs to what. It never changes.
type view struct {
	docs    []*Document // in the order of their URIs
	byURI   map[string]*Document
	domains map[string][]*Document // by name
	near    map[domainPlace][]*Document
}

type domainPlace struct{ name, folder string }

// view returns the documents as they are now.
func (w *workspace) view() *view {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen != nil {
		return w.seen
	}
	v := &view{byURI: make(map[string]*Document, len(w.docs)), domains: map[string][]*Document{}, near: map[domainPlace][]*Document{}}
	for uri, d := range w.docs {
		v.docs, v.byURI[uri] = append(v.docs, d), d
	}
	slices.SortFunc(v.docs, func(a, b *Document) int { return cmp.Compare(a.URI, b.URI) })
	for _, d := range v.docs {
		if d.Kind() == syntax.Domain {
			name := d.File().Key(d.File().Name)
			at := domainPlace{name, filepath.Dir(d.Path)}
			v.domains[name], v.near[at] = append(v.domains[name], d), append(v.near[at], d)
		}
	}
	w.seen = v
	return v
}

// open returns the open documents.
func (v *view) open() (list []*Document) {
	for _, d := range v.docs {
		if d.Open {
			list = append(list, d)
		}
	}
	return list
}

// domainOf returns the document that defines the domain which a problem names: in the folder of the problem, else in the
// nearest one above it, else anywhere in the workspace. Of several, it is the one whose file name goes with the
// problem's, or the first. It is nil if there is none.
func (v *view) domainOf(p *Document) *Document {
	name := p.File().Key(p.File().Of)
	if len(v.domains[name]) == 0 {
		return nil
	}
	for folder := filepath.Dir(p.Path); ; {
		if d := goingWith(v.near[domainPlace{name, folder}], p); d != nil {
			return d
		}
		up := filepath.Dir(folder)
		if up == folder {
			return goingWith(v.domains[name], p)
		}
		folder = up
	}
}

func goingWith(domains []*Document, p *Document) *Document {
	for _, d := range domains {
		if project.GoesWith(d.Path, p.Path) {
			return d
		}
	}
	if len(domains) > 0 {
		return domains[0]
	}
	return nil
}

// problemOf returns the document of a plan's problem, nil if there is none.
func (v *view) problemOf(plan *Document) *Document {
	stem := project.ProblemOfPlan(plan.Path)
	if stem == "" {
		return nil
	}
	if d := v.byURI[uriOf(stem+".pddl")]; d != nil && d.Kind() == syntax.Problem {
		return d
	}
	return nil
}

// domainFor returns the domain to which a document belongs, nil if there is none.
func (v *view) domainFor(d *Document) *Document {
	switch d.Kind() {
	case syntax.Domain:
		return d
	case syntax.Problem:
		return v.domainOf(d)
	case syntax.Plan:
		if p := v.problemOf(d); p != nil {
			return v.domainOf(p)
		}
	}
	return nil
}

// family is the documents that share names with one: the domain, its problems and their plans, in this order. A problem
// or plan without a domain has only itself.
func (v *view) family(d *Document) []*Document {
	domain := v.domainFor(d)
	if domain == nil {
		return []*Document{d}
	}
	list := []*Document{domain}
	for _, kind := range []syntax.Kind{syntax.Problem, syntax.Plan} {
		for _, x := range v.docs {
			if x.Kind() == kind && v.domainFor(x) == domain {
				list = append(list, x)
			}
		}
	}
	return list
}
