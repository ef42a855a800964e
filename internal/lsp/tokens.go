package lsp

import (
	"context"

	"github.com/planproof/planproof/pddl/syntax"
)

// tokenTypes is the legend of semantic tokens; tokenOf gives the index of each role.
var (
	tokenTypes = []string{"keyword", "operator", "macro", "namespace", "type", "function", "property", "method", "enumMember", "parameter", "event", "number", "comment"}
	tokenOf    = map[syntax.Role]int{
		syntax.Keyword: 0, syntax.Operator: 1, syntax.Requirement: 2, syntax.DomainName: 3, syntax.ProblemName: 3, syntax.TypeName: 4,
		syntax.Predicate: 5, syntax.Function: 6, syntax.Action: 7, syntax.Object: 8, syntax.Variable: 9, syntax.Preference: 10, syntax.Number: 11,
	}
	tokenModifiers = []string{"declaration", "modification"}
)

const commentToken = 12

type tokensAnswer struct {
	Data []uint32 `json:"data"`
}

func (s *Server) tokens(_ context.Context, p *documentParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	return tokensAnswer{d.tokens(0, uint32(len(d.Text)))}, nil
}

func (s *Server) tokensRange(_ context.Context, p *rangeParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	return tokensAnswer{d.tokens(d.offset(p.Range.Start), d.offset(p.Range.End))}, nil
}

// tokens writes the words and comments between two places as the protocol has them: five numbers each, the place relative to
// the token before.
func (d *Document) tokens(from, to uint32) []uint32 {
	f := d.File()
	data := make([]uint32, 0, 5*len(f.Words))
	var last Position
	put := func(x syntax.Span, kind, modifiers uint32) {
		p := d.position(x.Off)
		character := p.Character
		if p.Line == last.Line {
			character -= last.Character
		}
		data = append(data, p.Line-last.Line, character, unitsOf(d.Text[x.Off:x.Lim]), kind, modifiers)
		last = p
	}
	notes := f.Comments
	comments := func(before uint32) {
		for ; len(notes) > 0 && notes[0].Off < before; notes = notes[1:] {
			if notes[0].Lim > from {
				put(notes[0], commentToken, 0)
			}
		}
	}
	for i := range f.Words {
		x := &f.Words[i]
		kind, ok := tokenOf[x.Role]
		if !ok || x.Lim <= from {
			continue
		}
		if x.Off >= to {
			break
		}
		comments(x.Off)
		modifiers := uint32(0)
		switch x.Use {
		case syntax.Declare:
			modifiers = 1
		case syntax.Add, syntax.Delete, syntax.Change, syntax.Derive:
			modifiers = 2
		}
		put(x.Span, uint32(kind), modifiers)
	}
	comments(to)
	return data
}
