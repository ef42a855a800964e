package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
)

type actionParams struct {
	rangeParams
	Context struct {
		Diagnostics []diagnostic `json:"diagnostics"`
	} `json:"context"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
	Preferred   bool          `json:"isPreferred,omitempty"`
	Edit        WorkspaceEdit `json:"edit"`
}

// fixes offers what mends the faults of a range: those that the document has now, whatever the client still shows.
func (s *Server) fixes(ctx context.Context, p *actionParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	out := []codeAction{}
	if d.tooLarge() {
		return out, nil
	}
	from, to := d.offset(p.Range.Start), d.offset(p.Range.End)
	x := &fixer{v: s.space.view(), d: d}
	for _, fault := range s.faultsOf(ctx, d) {
		a, z := d.offset(fault.Range.Start), d.offset(fault.Range.End)
		if z < from || a > to {
			continue
		}
		x.fault, x.off, x.lim = fault, a, z
		x.propose()
		if len(x.out) > 50 {
			break
		}
	}
	return append(out, x.out...), nil
}

// fixer proposes edits for one fault after another.
type fixer struct {
	v        *view
	d        *Document
	fault    diagnostic
	off, lim uint32
	out      []codeAction
}

func (x *fixer) add(title string, in *Document, off, lim uint32, text string) {
	x.out = append(x.out, codeAction{
		Title: title, Kind: "quickfix", Diagnostics: []diagnostic{x.fault}, Preferred: len(x.out) == 0,
		Edit: WorkspaceEdit{map[string][]TextEdit{in.URI: {{in.span(off, lim), text}}}},
	})
}

var (
	meant       = pattern.New(`^did you mean '?([^' ]+?)'?\?$`)
	meantList   = pattern.New(`^did you mean \((\S+) \.\.\.\)\?$`)
	requirement = pattern.New(`but (:[a-z-]+) is not in \(:requirements`)
	writeThis   = pattern.New(`^write (\(and\))`)
)

func (x *fixer) propose() {
	hint := ""
	if x.fault.Data != nil {
		hint = x.fault.Data.Hint
	}
	word := x.d.Text[x.off:x.lim]
	if m := meant.FindStringSubmatch(hint); m != nil {
		x.add(fmt.Sprintf("Replace %s by %s", clip(word), m[1]), x.d, x.off, x.lim, m[1])
	} else if m := meantList.FindStringSubmatch(hint); m != nil && word != "(" {
		x.add(fmt.Sprintf("Replace %s by %s", clip(word), m[1]), x.d, x.off, x.lim, m[1])
	} else if m := writeThis.FindStringSubmatch(hint); m != nil {
		x.add("Write "+m[1], x.d, x.off, x.lim, m[1])
	}
	switch pddl.Code(x.fault.Code) {
	case pddl.UndeclaredRequire:
		if m := requirement.FindStringSubmatch(x.fault.Message); m != nil {
			x.declareRequirement(m[1])
		}
	case pddl.UndeclaredPredicate:
		x.declareAtom(":predicates", syntax.Predicate)
	case pddl.UndeclaredFunction:
		x.declareAtom(":functions", syntax.Function)
	case pddl.UndeclaredType:
		x.declareIn(x.v.domainFor(x.d), ":types", word+" - object")
	case pddl.UndeclaredObject:
		x.declareObject(word)
	case pddl.UndeclaredVariable:
		x.declareVariable(word)
	case pddl.IllegalCharacter:
		switch hint {
		case "delete it":
			x.add("Delete the character", x.d, x.off, x.lim, "")
		case "type a space here":
			x.add("Replace the character by a space", x.d, x.off, x.lim, " ")
		}
	case pddl.HyphenGluedToType:
		x.add("Put a space after the hyphen", x.d, x.off, x.lim, "- "+strings.TrimPrefix(word, "-"))
	}
}

func (x *fixer) declareRequirement(name string) {
	x.declareIn(x.d, ":requirements", name)
}

// declareIn adds a declaration to the end of a section, which it makes where it is missing.
func (x *fixer) declareIn(d *Document, keyword, text string) {
	if d == nil {
		return
	}
	title := fmt.Sprintf("Add %s to (%s ...)", clip(text), keyword)
	if d != x.d {
		title += " of " + d.File().Spelling(d.File().Name)
	}
	f := d.File()
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Keyword == keyword && s.Lim > s.Off && d.Text[s.Lim-1] == ')' {
			at, glue := s.Lim-1, " "
			if last := strings.TrimRight(d.Text[s.Off:at], " \t\r\n"); inComment(f, s.Off+uint32(len(last))) {
				glue = "\n"
			} else {
				at = s.Off + uint32(len(last))
			}
			x.add(title, d, at, at, glue+text)
			return
		}
	}
	at, ok := placeFor(d, keyword)
	if ok {
		x.add(title, d, at, at, "\n  ("+keyword+" "+text+")")
	}
}

func inComment(f *syntax.File, off uint32) bool {
	return slices.ContainsFunc(f.Comments, func(c syntax.Span) bool { return c.Off < off && off <= c.Lim })
}

// placeFor is where a section that is missing goes: after the last of those that come before it in the standard's order.
func placeFor(d *Document, keyword string) (uint32, bool) {
	order := syntax.DomainSections
	if d.Kind() == syntax.Problem {
		order = syntax.ProblemSections
	}
	f := d.File()
	if f.Name < 0 {
		return 0, false
	}
	at := f.Words[f.Name].Lim
	if n := strings.IndexByte(d.Text[at:], ')'); n >= 0 {
		at += uint32(n) + 1
	}
	rank := slices.Index(order, keyword)
	for i := range f.Sections {
		if r := slices.Index(order, f.Sections[i].Keyword); r >= 0 && r < rank {
			at = max(at, f.Sections[i].Lim)
		}
	}
	return at, true
}

// declareAtom declares the predicate or function at the fault with the types of its arguments there.
func (x *fixer) declareAtom(section string, role syntax.Role) {
	f := x.d.File()
	w := f.WordAt(x.off)
	if w < 0 || f.Words[w].Role != role || !plainName.MatchString(f.Spelling(w)) || slices.Contains(reserved, f.Key(w)) {
		return
	}
	var b strings.Builder
	b.WriteString("(" + f.Spelling(w))
	n := 0
	for i := w + 1; int(i) < len(f.Words) && f.Words[i].In == f.Words[w].In; i++ {
		if f.Words[i].Head == w {
			n++
			fmt.Fprintf(&b, " ?x%d%s", n, x.typeOf(i))
		}
	}
	b.WriteString(")")
	x.declareIn(x.v.domainFor(x.d), section, b.String())
}

// typeOf is " - TYPE" of what a word names, "" if that is not known.
func (x *fixer) typeOf(word int32) string {
	at, ok := x.v.declaration(x.d, x.v.symbolOf(x.d, word))
	if !ok || at.doc.File().Words[at.word].Type < 0 {
		return ""
	}
	return " - " + typeText(at.doc.File(), at.word)
}

// wanted is " - TYPE" of the parameter for which a word stands, "" if that is not known.
func (x *fixer) wanted(word int32) string {
	w := x.d.File().Words[word]
	if w.Head < 0 {
		return ""
	}
	params, at, ok := x.v.paramsOf(x.d, w.Head)
	if !ok || int(w.Arg) >= len(params) || at.doc.File().Words[params[w.Arg]].Type < 0 {
		return ""
	}
	return " - " + typeText(at.doc.File(), params[w.Arg])
}

func (x *fixer) declareObject(name string) {
	w := x.d.File().WordAt(x.off)
	if w < 0 || !plainName.MatchString(name) {
		return
	}
	in, section := x.d, ":objects"
	switch x.d.Kind() {
	case syntax.Domain:
		section = ":constants"
	case syntax.Plan:
		in = x.v.problemOf(x.d)
	}
	x.declareIn(in, section, name+x.wanted(w))
}

// declareVariable adds a variable to the parameters of its action.
func (x *fixer) declareVariable(name string) {
	f := x.d.File()
	w := f.WordAt(x.off)
	if w < 0 || f.Words[w].In < 0 {
		return
	}
	s := f.Sections[f.Words[w].In]
	at := strings.Index(syntax.Fold(x.d.Text[s.Off:s.Lim]), ":parameters")
	if at < 0 {
		return
	}
	open := strings.IndexByte(x.d.Text[int(s.Off)+at:], '(')
	if open < 0 {
		return
	}
	from := int(s.Off) + at + open
	if n := strings.IndexByte(x.d.Text[from:], ')'); n >= 0 {
		// The list of parameters has no list in it, but for (either ...).
		end := from + n
		for depth := strings.Count(x.d.Text[from+1:end], "("); depth > 0; depth-- {
			k := strings.IndexByte(x.d.Text[end+1:], ')')
			if k < 0 {
				return
			}
			end += 1 + k
		}
		glue := " "
		if end == from+1 {
			glue = ""
		}
		x.add(fmt.Sprintf("Add %s%s to the parameters", name, x.wanted(w)), x.d, uint32(end), uint32(end), glue+name+x.wanted(w))
	}
}
