package lsp

import (
	"context"
	"fmt"
	"slices"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"

	"github.com/creachadair/jrpc2"
)

// spot is a name in a document.
type spot struct {
	*view
	d    *Document
	sym  symbol
	word int32
}

// nameAt returns the name at a place, nil if there is none.
func (s *Server) nameAt(p *positionParams) (*spot, error) {
	d, off, err := s.at(p)
	if err != nil {
		return nil, err
	}
	x := &spot{view: s.space.view(), d: d}
	ok := false
	if x.sym, x.word, ok = x.symbolAt(d, off); !ok {
		return nil, nil
	}
	return x, nil
}

func (s *Server) definition(_ context.Context, p *positionParams) (any, error) {
	x, err := s.nameAt(p)
	if x == nil {
		return nil, err
	}
	if at, ok := x.declaration(x.d, x.sym); ok {
		return []Location{at.doc.location(at.word)}, nil
	}
	return nil, nil
}

type referenceParams struct {
	positionParams
	Context struct {
		Declaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

func (s *Server) references(_ context.Context, p *referenceParams) (any, error) {
	x, err := s.nameAt(&p.positionParams)
	if x == nil {
		return nil, err
	}
	list := []Location{}
	at, declared := x.declaration(x.d, x.sym)
	x.each(x.d, x.sym, func(o occurrence) {
		if p.Context.Declaration || !declared || o != at {
			list = append(list, o.doc.location(o.word))
		}
	})
	return list, nil
}

// highlight marks the occurrences in the document itself: 2 is a use that reads, 3 one that writes.
func (s *Server) highlight(_ context.Context, p *positionParams) (any, error) {
	x, err := s.nameAt(p)
	if x == nil {
		return nil, err
	}
	list := []object{}
	eachIn(x.d, x.sym, func(o occurrence) {
		kind := 2
		switch x.d.File().Words[o.word].Use {
		case syntax.Declare, syntax.Add, syntax.Delete, syntax.Change, syntax.Initial, syntax.Derive:
			kind = 3
		}
		list = append(list, object{"range": x.d.word(o.word), "kind": kind})
	})
	return list, nil
}

func (s *Server) prepareRename(_ context.Context, p *positionParams) (any, error) {
	x, err := s.nameAt(p)
	if x == nil {
		return nil, err
	}
	if err := x.renamable(x.d, x.sym); err != nil {
		return nil, err
	}
	return object{"range": x.d.word(x.word), "placeholder": x.d.File().Spelling(x.word)}, nil
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

func (s *Server) rename(_ context.Context, p *renameParams) (any, error) {
	x, err := s.nameAt(&p.positionParams)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, jrpc2.Errorf(codeRequestFailed, "there is no name here")
	}
	if err := x.renamable(x.d, x.sym); err != nil {
		return nil, err
	}
	name := p.NewName
	if x.sym.role == syntax.Variable && name != "" && name[0] != '?' {
		name = "?" + name
	}
	if err := x.free(x.d, x.sym, name); err != nil {
		return nil, err
	}
	if s.space.incomplete() && x.sym.role != syntax.Variable && x.sym.role != syntax.ProblemName {
		return nil, jrpc2.Errorf(codeRequestFailed, "files of the workspace are too many or too large to be looked into, and may have this name")
	}
	edit := WorkspaceEdit{Changes: map[string][]TextEdit{}}
	x.each(x.d, x.sym, func(o occurrence) {
		edit.Changes[o.doc.URI] = append(edit.Changes[o.doc.URI], TextEdit{o.doc.word(o.word), name})
	})
	return edit, nil
}

// renamable refuses symbols whose names cannot change.
func (v *view) renamable(d *Document, sym symbol) error {
	_, ok := v.declaration(d, sym)
	switch {
	case !ok:
		return jrpc2.Errorf(codeRequestFailed, "%s %.100q is declared nowhere in the workspace", named[sym.role], sym.key)
	case sym.role == syntax.TypeName && sym.key == "object" || sym.role == syntax.Function && sym.key == "total-cost":
		return jrpc2.Errorf(codeRequestFailed, "%q has a meaning of its own", sym.key)
	}
	return nil
}

var (
	plainName = pattern.New(`^[A-Za-z][A-Za-z0-9_-]*$`)
	reserved  = []string{"and", "or", "not", "imply", "forall", "exists", "when", "either", "increase", "decrease", "assign", "scale-up",
		"scale-down", "preference", "define", "object", "number", "undefined", "total-time", "total-cost", "minimize", "maximize"}
)

// free refuses a new name that PDDL does not allow, or that something else has already.
func (v *view) free(d *Document, sym symbol, name string) error {
	plain := name
	if sym.role == syntax.Variable && plain != "" {
		plain = plain[1:]
	}
	key := syntax.Fold(name)
	switch {
	case !plainName.MatchString(plain) || len(plain) > pddl.MaxNameLength:
		return jrpc2.Errorf(codeRequestFailed, "%.100q is no name: a name has letters, digits, - and _, and begins with a letter", name)
	case slices.Contains(reserved, key):
		return jrpc2.Errorf(codeRequestFailed, "%q is a word of the language", name)
	case key == sym.key:
		return nil // only its spelling changes
	}
	for _, x := range v.scope(d, sym) {
		if x.Kind() == syntax.Plan {
			continue
		}
		if at, taken := takenIn(x, sym, key); taken {
			p := x.position(x.File().Words[at].Off)
			return jrpc2.Errorf(codeRequestFailed, "%s:%d:%d: there is %s", x.Path, p.Line+1, p.Character+1,
				fmt.Sprintf("a %s %.100q already", named[x.File().Words[at].Role], name))
		}
	}
	if dom := v.domainFor(d); dom != nil && sym.role == syntax.Object && declares(dom, syntax.Object, key) {
		return jrpc2.Errorf(codeRequestFailed, "the domain has a constant %.100q already", name)
	}
	return nil
}

// takenIn finds a word of a document by which a new name of a symbol could be confused.
func takenIn(d *Document, sym symbol, key string) (word int32, taken bool) {
	f := d.File()
	in := int32(-1)
	if sym.bind >= 0 {
		in = f.Words[sym.bind].In
	}
	for i := range f.Words {
		x := &f.Words[i]
		same := x.Role == sym.role || x.Role == syntax.Predicate && sym.role == syntax.Function || x.Role == syntax.Function && sym.role == syntax.Predicate
		if !same || sym.role == syntax.DomainName || sym.role == syntax.ProblemName || in >= 0 && x.In != in {
			continue
		}
		if f.Key(int32(i)) == key {
			return int32(i), true
		}
	}
	return 0, false
}
