package lsp

import (
	"github.com/planproof/planproof/pddl/syntax"
)

// symbol is a thing that has a name: what all words with the same symbol mean.
type symbol struct {
	role syntax.Role
	key  string
	// owner is the only document in which, and in whose plans, the name means this; nil is the whole family.
	owner *Document
	bind  int32 // of a variable: the word that declares it
}

// occurrence is a word of a document.
type occurrence struct {
	doc  *Document
	word int32
}

// named is the roles of words that are names of something.
var named = map[syntax.Role]string{
	syntax.DomainName: "domain", syntax.ProblemName: "problem", syntax.TypeName: "type", syntax.Predicate: "predicate",
	syntax.Function: "function", syntax.Action: "action", syntax.Object: "object", syntax.Variable: "variable", syntax.Preference: "preference",
}

// symbolAt returns what the word at a place names.
func (v *view) symbolAt(d *Document, off uint32) (sym symbol, word int32, ok bool) {
	f := d.File()
	if word = f.WordAt(off); word < 0 || named[f.Words[word].Role] == "" {
		return symbol{}, word, false
	}
	return v.symbolOf(d, word), word, true
}

func (v *view) symbolOf(d *Document, word int32) symbol {
	f := d.File()
	x := &f.Words[word]
	sym := symbol{role: x.Role, key: f.Key(word), bind: -1}
	switch x.Role {
	case syntax.Variable:
		sym.owner, sym.bind = d, x.Bind
	case syntax.ProblemName:
		sym.owner = d
	case syntax.Object, syntax.Preference:
		if dom := v.domainFor(d); dom == nil || !declares(dom, x.Role, sym.key) {
			if sym.owner = d; d.Kind() == syntax.Plan {
				if p := v.problemOf(d); p != nil {
					sym.owner = p
				}
			}
		}
	}
	return sym
}

// declares reports whether a document declares a name.
func declares(d *Document, role syntax.Role, key string) bool {
	f := d.File()
	for i := range f.Words {
		if x := &f.Words[i]; x.Use == syntax.Declare && x.Role == role && f.Key(int32(i)) == key {
			return true
		}
	}
	return false
}

// scope returns the documents in which a symbol can occur.
func (v *view) scope(d *Document, sym symbol) []*Document {
	if sym.owner == nil {
		return v.family(d)
	}
	list := []*Document{sym.owner}
	if sym.role == syntax.Object && sym.owner.Kind() == syntax.Problem {
		for _, x := range v.docs {
			if x.Kind() == syntax.Plan && v.problemOf(x) == sym.owner {
				list = append(list, x)
			}
		}
	}
	return list
}

// each calls f with every occurrence of a symbol.
func (v *view) each(d *Document, sym symbol, f func(occurrence)) {
	for _, x := range v.scope(d, sym) {
		eachIn(x, sym, f)
	}
}

// eachIn calls f with every occurrence of a symbol in a document.
func eachIn(d *Document, sym symbol, f func(occurrence)) {
	file := d.File()
	for i := range file.Words {
		w := &file.Words[i]
		if w.Role != sym.role || int(w.Lim-w.Off) != len(sym.key) {
			continue
		}
		if sym.role == syntax.Variable {
			if sym.bind >= 0 && w.Bind == sym.bind {
				f(occurrence{d, int32(i)})
			}
		} else if file.Key(int32(i)) == sym.key {
			f(occurrence{d, int32(i)})
		}
	}
}

// declaration returns the occurrence that declares a symbol. For a type that is only named after a hyphen it is the
// first of these.
func (v *view) declaration(d *Document, sym symbol) (o occurrence, ok bool) {
	if sym.role == syntax.Variable {
		return occurrence{sym.owner, sym.bind}, sym.bind >= 0
	}
	var implied, derived occurrence
	v.each(d, sym, func(at occurrence) {
		x := &at.doc.File().Words[at.word]
		switch {
		case ok:
		case x.Use == syntax.Declare:
			o, ok = at, true
		case x.Use == syntax.Derive && derived.doc == nil:
			derived = at
		case sym.role == syntax.TypeName && implied.doc == nil && x.In >= 0 && at.doc.File().Sections[x.In].Keyword == ":types":
			implied = at
		}
	})
	switch {
	case ok:
	case derived.doc != nil:
		return derived, true
	case implied.doc != nil:
		return implied, true
	}
	return o, ok
}
