package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
)

// maxItems bounds the items of a completion: with more, the client asks again when more is typed.
const maxItems = 500

type completionItem struct {
	Label    string    `json:"label"`
	Kind     int       `json:"kind"`
	Detail   string    `json:"detail,omitempty"`
	Sort     string    `json:"sortText,omitempty"`
	Filter   string    `json:"filterText,omitempty"`
	TextEdit *TextEdit `json:"textEdit"`
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

// Kinds of items of the protocol.
const (
	itemMethod   = 2
	itemFunction = 3
	itemField    = 5
	itemVariable = 6
	itemClass    = 7
	itemModule   = 9
	itemKeyword  = 14
	itemConstant = 21
)

// completer collects what fits a place.
type completer struct {
	v     *view
	d     *Document // the text with a word at the place
	p     syntax.Place
	typed string // what stands before the cursor, folded
	at    Range
	seen  map[string]bool
	out   completionList
}

func (s *Server) completion(_ context.Context, p *positionParams) (any, error) {
	d, off, err := s.at(p)
	if err != nil {
		return nil, err
	}
	if d.tooLarge() {
		return completionList{Items: []completionItem{}}, nil
	}
	place := syntax.At(d.Text, off, d.Kind() == syntax.Plan)
	probe := newDocument(d.URI, "", d.Version, "", true)
	probe.Text, probe.plan, probe.file = place.File.Text, d.plan, func() *syntax.File { return place.File }
	c := &completer{
		v: s.space.view(), d: probe, p: place, typed: syntax.Fold(d.Text[place.Word.Off:max(off, place.Word.Off)]),
		at: d.span(place.Word.Off, place.Word.Lim), seen: map[string]bool{}, out: completionList{Items: []completionItem{}},
	}
	c.fill()
	return c.out, nil
}

// put offers a word. Rank orders the groups of items.
func (c *completer) put(rank int, kind int, label, detail, text string) {
	switch {
	case c.seen[label] || !strings.HasPrefix(syntax.Fold(label), c.typed) && !strings.HasPrefix(syntax.Fold(text), c.typed):
	case len(c.out.Items) == maxItems:
		c.out.Incomplete = true
	default:
		c.seen[label] = true
		c.out.Items = append(c.out.Items, completionItem{
			Label: label, Kind: kind, Detail: detail, Sort: fmt.Sprintf("%d%05d", rank, len(c.out.Items)), Filter: text, TextEdit: &TextEdit{c.at, text},
		})
	}
}

// list offers words that begin a list: with its parentheses where none is open.
func (c *completer) list(rank, kind int, label, detail, arguments string) {
	if c.p.Head {
		c.put(rank, kind, label, detail, label)
	} else {
		c.put(rank, kind, "("+label, detail, "("+label+arguments+")")
	}
}

func (c *completer) words(kind int, words ...string) {
	for _, w := range words {
		c.put(5, kind, w, "", w)
	}
}

func (c *completer) operators(words ...string) {
	for _, w := range words {
		c.list(6, itemKeyword, w, "", " ")
	}
}

func (c *completer) fill() {
	switch c.p.Where {
	case syntax.AtTop:
		c.list(1, itemKeyword, "define", "a domain or problem", " (domain name)")
	case syntax.AtSection:
		c.sections()
	case syntax.AtPart:
		c.parts()
	case syntax.AtRequirement:
		c.words(itemKeyword, pddl.RequirementNames()...)
	case syntax.AtDomainName:
		for _, d := range c.v.docs {
			if d.Kind() == syntax.Domain {
				c.put(1, itemModule, d.File().Spelling(d.File().Name), d.Path, d.File().Spelling(d.File().Name))
			}
		}
	case syntax.AtType:
		c.declared(syntax.TypeName, itemClass, nil)
		c.words(itemClass, "object")
		if !c.p.Head {
			c.put(9, itemKeyword, "(either", "", "(either )")
		}
	case syntax.AtCondition:
		c.atoms(syntax.Predicate, itemField, nil)
		if c.p.Use != syntax.Derive {
			c.operators("and", "or", "not", "imply", "forall", "exists", "=", "<", ">", "<=", ">=")
			if c.p.Use == syntax.Goal {
				c.operators("preference", "always", "sometime", "at-most-once", "sometime-after", "sometime-before", "within")
			}
			if c.section() == ":durative-action" {
				c.operators("at start", "over all", "at end")
			}
		}
	case syntax.AtEffect:
		c.atoms(syntax.Predicate, itemField, c.derived())
		c.operators("and", "not", "forall", "when", "increase", "decrease", "assign", "scale-up", "scale-down")
		if c.section() == ":durative-action" {
			c.operators("at start", "at end")
		}
	case syntax.AtInitial:
		c.atoms(syntax.Predicate, itemField, c.derived())
		c.operators("=", "at")
	case syntax.AtExpression:
		c.expression()
	case syntax.AtTerm:
		c.terms(false)
	case syntax.AtOptimization:
		c.words(itemKeyword, "minimize", "maximize")
	case syntax.AtStep:
		c.atoms(syntax.Action, itemMethod, nil)
	}
}

func (c *completer) section() string {
	if c.p.In < 0 {
		return ""
	}
	return c.p.File.Sections[c.p.In].Keyword
}

func (c *completer) sections() {
	names := syntax.DomainSections
	if c.p.Kind == syntax.Problem {
		names = syntax.ProblemSections
	}
	if c.p.Kind == syntax.Unknown {
		c.list(1, itemKeyword, "domain", "", " name")
		c.list(1, itemKeyword, "problem", "", " name")
		return
	}
	for _, n := range names {
		many := n == ":action" || n == ":durative-action" || n == ":process" || n == ":event" || n == ":derived"
		if has := slices.ContainsFunc(c.p.File.Sections, func(s syntax.Section) bool { return s.Keyword == n && s.Off < c.p.Word.Off }); many || !has {
			c.list(1, itemKeyword, n, strings.ReplaceAll(keywordHelp[n], "`", ""), " ")
		}
	}
}

func (c *completer) parts() {
	parts := syntax.ActionParts
	if c.section() == ":durative-action" {
		parts = syntax.DurativeParts
	}
	text := ""
	if c.p.In >= 0 {
		s := c.p.File.Sections[c.p.In]
		text = syntax.Fold(c.p.File.Text[s.Off:min(s.Lim, uint32(len(c.p.File.Text)))])
	}
	for _, n := range parts {
		if !strings.Contains(text, n+" ") && !strings.Contains(text, n+"\n") || c.typed == n {
			c.put(1, itemKeyword, n, strings.ReplaceAll(keywordHelp[n], "`", ""), n)
		}
	}
}

// sources returns the documents whose declarations the place can use: the domain, and the problem.
func (c *completer) sources() (list []*Document) {
	switch c.d.Kind() {
	case syntax.Plan:
		p := c.v.problemOf(c.d)
		if p == nil {
			return nil
		}
		if dom := c.v.domainOf(p); dom != nil {
			list = append(list, dom)
		}
		return append(list, p)
	case syntax.Problem:
		if dom := c.v.domainOf(c.d); dom != nil {
			list = append(list, dom)
		}
	}
	return append(list, c.d)
}

// eachDeclared calls f with the declarations of a role, but for the word that is being typed.
func (c *completer) eachDeclared(role syntax.Role, f func(occurrence)) {
	for _, d := range c.sources() {
		file := d.File()
		for i := range file.Words {
			x := &file.Words[i]
			// A type that :types only names after a hyphen is declared by that.
			implied := role == syntax.TypeName && x.In >= 0 && file.Sections[x.In].Keyword == ":types"
			if x.Role == role && (x.Use == syntax.Declare || x.Use == syntax.Derive || implied) && (d != c.d || x.Off != c.p.Word.Off) {
				f(occurrence{d, int32(i)})
			}
		}
	}
}

func (c *completer) declared(role syntax.Role, kind int, skip map[string]bool) {
	c.eachDeclared(role, func(o occurrence) {
		if name := o.doc.File().Spelling(o.word); !skip[syntax.Fold(name)] {
			c.put(1, kind, name, detail(o), name)
		}
	})
}

// atoms offers names with arguments.
func (c *completer) atoms(role syntax.Role, kind int, skip map[string]bool) {
	c.eachDeclared(role, func(o occurrence) {
		f := o.doc.File()
		name := f.Spelling(o.word)
		if skip[syntax.Fold(name)] || role == syntax.Action && c.d.Kind() == syntax.Plan && !strings.HasSuffix(f.Sections[f.Words[o.word].In].Keyword, "action") {
			return // a process or event is no step
		}
		arguments := " "
		if strings.HasPrefix(detail(o), "("+name+")") {
			arguments = ""
		}
		c.list(1, kind, name, detail(o), arguments)
	})
}

// derived is the predicates that rules define: no effect or initial state may have them.
func (c *completer) derived() map[string]bool {
	heads := map[string]bool{}
	for _, d := range c.sources() {
		f := d.File()
		for i := range f.Words {
			if f.Words[i].Use == syntax.Derive {
				heads[f.Key(int32(i))] = true
			}
		}
	}
	return heads
}

func (c *completer) expression() {
	c.atoms(syntax.Function, itemFunction, nil)
	if c.p.Use == syntax.Change {
		return
	}
	if c.p.Head {
		c.operators("+", "-", "*", "/")
		return
	}
	if c.section() == ":durative-action" {
		c.words(itemKeyword, "?duration")
	}
	c.terms(true)
}

// terms offers the variables in scope, and the constants and objects, that fit the argument; all of them where the type of the
// argument is not known.
func (c *completer) terms(anyType bool) {
	var want []string
	f := c.p.File
	if c.p.Of >= 0 && !anyType {
		if params, at, ok := c.v.paramsOf(c.d, c.p.Of); ok {
			if c.p.Arg >= len(params) {
				return // there is no such argument
			}
			want = at.doc.File().TypesOf(params[c.p.Arg])
		}
	}
	types := c.hierarchy()
	for i := len(c.p.Scope) - 1; i >= 0; i-- {
		if w := c.p.Scope[i]; types.fits(f.TypesOf(w), want) {
			c.put(1, itemVariable, f.Spelling(w), typeText(f, w), f.Spelling(w))
		}
	}
	c.eachDeclared(syntax.Object, func(o occurrence) {
		if f := o.doc.File(); types.fits(f.TypesOf(o.word), want) {
			c.put(2, itemConstant, f.Spelling(o.word), typeText(f, o.word), f.Spelling(o.word))
		}
	})
}

// hierarchy is the supertypes of each type, by folded names.
type hierarchy map[string][]string

func (c *completer) hierarchy() hierarchy {
	h := hierarchy{}
	c.eachDeclared(syntax.TypeName, func(o occurrence) {
		f := o.doc.File()
		for _, t := range f.TypesOf(o.word) {
			h[f.Key(o.word)] = append(h[f.Key(o.word)], syntax.Fold(t))
		}
	})
	return h
}

// fits reports whether every one of the types have is one of want or below it. No type is object.
func (h hierarchy) fits(have, want []string) bool {
	if len(want) == 0 || slices.ContainsFunc(want, func(t string) bool { return syntax.Fold(t) == "object" }) {
		return true
	}
	return len(have) > 0 && !slices.ContainsFunc(have, func(t string) bool { return !h.below(syntax.Fold(t), want, map[string]bool{}) })
}

func (h hierarchy) below(t string, want []string, seen map[string]bool) bool {
	if slices.ContainsFunc(want, func(w string) bool { return syntax.Fold(w) == t }) {
		return true
	}
	if seen[t] {
		return false // a cycle, which is a fault of the domain
	}
	seen[t] = true
	return slices.ContainsFunc(h[t], func(up string) bool { return h.below(up, want, seen) })
}
