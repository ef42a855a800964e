package lsp

import (
	"context"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
)

// Kinds of symbols of the protocol.
const (
	symbolModule   = 2
	symbolClass    = 5
	symbolMethod   = 6
	symbolProperty = 7
	symbolField    = 8
	symbolFunction = 12
	symbolConstant = 14
	symbolObject   = 19
	symbolEvent    = 24
)

type outlineEntry struct {
	Name      string         `json:"name"`
	Detail    string         `json:"detail,omitempty"`
	Kind      int            `json:"kind"`
	Range     Range          `json:"range"`
	Selection Range          `json:"selectionRange"`
	Children  []outlineEntry `json:"children,omitempty"`
}

// maxOutline bounds the entries below a section: a list of a million objects is no outline.
const maxOutline = 2000

var sectionSymbols = map[syntax.Role]int{
	syntax.TypeName: symbolClass, syntax.Object: symbolConstant, syntax.Predicate: symbolField, syntax.Function: symbolProperty, syntax.Action: symbolMethod,
}

func (s *Server) outline(_ context.Context, p *documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	children := []outlineEntry{}
	words := 0
	for i := range f.Sections {
		x := &f.Sections[i]
		if len(children) == maxOutline {
			break
		}
		e := d.sectionEntry(x)
		for ; words < len(f.Words) && f.Words[words].Off < x.Lim; words++ {
			w := &f.Words[words]
			if w.Use == syntax.Declare && sectionSymbols[w.Role] != 0 && int32(words) != x.Name && w.In == int32(i) && len(e.Children) < maxOutline {
				at := occurrence{d, int32(words)}
				e.Children = append(e.Children, outlineEntry{Name: f.Spelling(at.word), Detail: strings.TrimPrefix(detail(at), f.Spelling(at.word)+" "), Kind: sectionSymbols[w.Role], Range: d.word(at.word), Selection: d.word(at.word)})
			}
		}
		children = append(children, e)
	}
	if f.Name < 0 {
		return children, nil
	}
	whole := d.span(f.Words[0].Off, uint32(len(d.Text)))
	return []outlineEntry{{Name: f.Spelling(f.Name), Detail: named[f.Words[f.Name].Role], Kind: symbolModule, Range: whole, Selection: d.word(f.Name), Children: children}}, nil
}

// detail is a declaration's signature without the name of what it is.
func detail(o occurrence) string {
	text, _, _ := strings.Cut(signature(o), " ; ")
	return text
}

// sectionEntry is the entry of a section or of a step.
func (d *Document) sectionEntry(x *syntax.Section) outlineEntry {
	f := d.File()
	text := d.Text[x.Off:x.Lim]
	e := outlineEntry{Name: x.Keyword, Kind: symbolObject, Range: d.span(x.Off, x.Lim)}
	e.Selection = d.span(x.Off, x.Off)
	switch {
	case d.Kind() == syntax.Plan:
		e.Name, e.Kind = strings.Join(strings.Fields(clip(text)), " "), symbolEvent
	case x.Name >= 0:
		e.Name, e.Selection, e.Kind = f.Spelling(x.Name), d.word(x.Name), symbolMethod
		if e.Detail = strings.TrimPrefix(x.Keyword, ":") + parameters(f, x.Params); x.Keyword == ":derived" {
			e.Kind = symbolFunction
		}
	}
	if e.Name == "" {
		e.Name = "()" // clients refuse an empty name
	}
	return e
}

func clip(text string) string {
	if len(text) > 120 {
		return strings.ToValidUTF8(text[:120], "") + "..."
	}
	return text
}

func (s *Server) folding(_ context.Context, p *documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	list := []object{}
	lines := d.lines()
	for _, x := range d.File().Lists {
		from, _ := lineOf(lines, x.Off)
		if to, _ := lineOf(lines, x.Lim); to > from && len(list) < 5000 { // what clients show
			list = append(list, object{"startLine": from, "endLine": to})
		}
	}
	return list, nil
}

// format lays the document out as `planproof fmt` does. A text whose parentheses do not match stays as it is.
func (s *Server) format(_ context.Context, p *documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	if d.Kind() == syntax.Plan || d.tooLarge() {
		return nil, nil
	}
	text, diags := pddl.Format(pddl.NewSource(d.Path, d.Text))
	if diags.HasErrors() || text == d.Text {
		return []TextEdit{}, nil
	}
	return []TextEdit{d.difference(text)}, nil
}

// difference is an edit that makes the document another text, in whole lines: the cursor stays where nothing changes.
func (d *Document) difference(text string) TextEdit {
	old, start := d.Text, 0
	for i := 0; i < min(len(old), len(text)) && old[i] == text[i]; i++ {
		if old[i] == '\n' {
			start = i + 1
		}
	}
	end := 0 // bytes after the last difference, from the beginning of a line on
	for i := 1; i <= min(len(old), len(text))-start && old[len(old)-i] == text[len(text)-i]; i++ {
		if i < min(len(old), len(text))-start && old[len(old)-i-1] == '\n' && text[len(text)-i-1] == '\n' {
			end = i
		}
	}
	return TextEdit{d.span(uint32(start), uint32(len(old)-end)), text[start : len(text)-end]}
}
