package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl/syntax"
)

// maxListed bounds the names that a hover lists.
const maxListed = 12

func (s *Server) hover(_ context.Context, p *positionParams) (any, error) {
	d, off, err := s.at(p)
	if err != nil {
		return nil, err
	}
	v := s.space.view()
	f := d.File()
	sym, word, ok := v.symbolAt(d, off)
	text := ""
	switch {
	case ok:
		text = v.describe(d, sym, word)
	case word >= 0:
		text = keywordHelp[f.Key(word)]
	}
	if text == "" {
		return nil, nil
	}
	return hover{markup{"markdown", text}, d.word(word)}, nil
}

// describe says in Markdown what a name means.
func (v *view) describe(d *Document, sym symbol, word int32) string {
	at, declared := v.declaration(d, sym)
	var b strings.Builder
	if declared {
		fmt.Fprintf(&b, "```pddl\n%s\n```\n", signature(at))
	} else {
		fmt.Fprintf(&b, "%s `%s`, which nothing declares\n", named[sym.role], d.File().Spelling(word))
	}
	switch sym.role {
	case syntax.Predicate, syntax.Function:
		b.WriteString(v.uses(d, sym))
	case syntax.TypeName:
		b.WriteString(v.typeFacts(d, sym))
	case syntax.Object, syntax.Variable:
		if x := d.File().Words[word]; x.Head >= 0 {
			b.WriteString(v.argument(d, &x))
		}
	}
	return b.String()
}

// signature writes a declaration: its name, parameters and types.
func signature(o occurrence) string {
	f := o.doc.File()
	x := &f.Words[o.word]
	switch x.Role {
	case syntax.Predicate, syntax.Function:
		var params []int32
		for i := o.word + 1; int(i) < len(f.Words) && f.Words[i].In == x.In; i++ {
			if w := &f.Words[i]; w.Use == syntax.Declare && w.Role == syntax.Variable {
				params = append(params, i)
			} else if w.Role != syntax.TypeName && w.Role != syntax.Operator {
				break
			}
		}
		return fmt.Sprintf("(%s%s) ; %s", f.Spelling(o.word), parameters(f, params), named[x.Role])
	case syntax.Action:
		section := &f.Sections[x.In]
		return fmt.Sprintf("(%s%s) ; %s", f.Spelling(o.word), parameters(f, section.Params), strings.TrimPrefix(section.Keyword, ":"))
	case syntax.Variable, syntax.Object:
		what := named[x.Role]
		if x.Role == syntax.Object && o.doc.Kind() == syntax.Domain {
			what = "constant"
		}
		return fmt.Sprintf("%s - %s ; %s", f.Spelling(o.word), typeText(f, o.word), what)
	case syntax.TypeName:
		return fmt.Sprintf("%s - %s ; type", f.Spelling(o.word), typeText(f, o.word))
	}
	return fmt.Sprintf("(%s %s)", named[x.Role], f.Spelling(o.word))
}

func parameters(f *syntax.File, params []int32) string {
	var b strings.Builder
	for _, p := range params {
		fmt.Fprintf(&b, " %s - %s", f.Spelling(p), typeText(f, p))
	}
	return b.String()
}

// typeText is the type of a declaration as PDDL writes it.
func typeText(f *syntax.File, word int32) string {
	switch names := f.TypesOf(word); len(names) {
	case 0:
		return "object"
	case 1:
		return names[0]
	default:
		return "(either " + strings.Join(names, " ") + ")"
	}
}

// uses says which actions and rules read and write a predicate or function.
func (v *view) uses(d *Document, sym symbol) string {
	by := map[syntax.Use][]string{}
	facts, goals := 0, 0
	v.each(d, sym, func(o occurrence) {
		f := o.doc.File()
		x := &f.Words[o.word]
		switch x.Use {
		case syntax.Initial:
			facts++
		case syntax.Goal:
			goals++
		case syntax.Read, syntax.Add, syntax.Delete, syntax.Change, syntax.Derive:
			name := "a section"
			if x.In >= 0 {
				if section := &f.Sections[x.In]; section.Name >= 0 {
					name = f.Spelling(section.Name)
				} else {
					name = section.Keyword
				}
			}
			if !slices.Contains(by[x.Use], name) {
				by[x.Use] = append(by[x.Use], name)
			}
		}
	})
	var b strings.Builder
	for _, part := range []struct {
		use  syntax.Use
		word string
	}{{syntax.Read, "read by"}, {syntax.Add, "made true by"}, {syntax.Delete, "made false by"}, {syntax.Change, "changed by"}, {syntax.Derive, "derived by rules for"}} {
		if names := by[part.use]; len(names) > 0 {
			fmt.Fprintf(&b, "\n- %s %s", part.word, listed(names))
		}
	}
	if facts+goals > 0 {
		fmt.Fprintf(&b, "\n- in initial states %s, in goals and metrics %s", times(facts), times(goals))
	}
	if sym.role == syntax.Predicate && len(by[syntax.Add])+len(by[syntax.Delete])+len(by[syntax.Derive]) == 0 {
		b.WriteString("\n- no action changes it")
	}
	return b.String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// listed writes names, the first ones if there are many.
func listed(names []string) string {
	more := ""
	if len(names) > maxListed {
		more = fmt.Sprintf(" and %d more", len(names)-maxListed)
		names = names[:maxListed]
	}
	return "`" + strings.Join(names, "`, `") + "`" + more
}

// typeFacts says what is below a type.
func (v *view) typeFacts(d *Document, sym symbol) string {
	var below []string
	objects := 0
	for _, x := range v.family(d) {
		f := x.File()
		for i := range f.Words {
			w := &f.Words[i]
			if w.Use != syntax.Declare || w.Type < 0 || !slices.ContainsFunc(f.Types[w.Type], func(t int32) bool { return f.Key(t) == sym.key }) {
				continue
			}
			switch w.Role {
			case syntax.TypeName:
				below = append(below, f.Spelling(int32(i)))
			case syntax.Object:
				objects++
			}
		}
	}
	text := fmt.Sprintf("\n- %s of the workspace's files %s declared with it", spell.Plural(objects, "object"), map[bool]string{true: "is", false: "are"}[objects == 1])
	if len(below) > 0 {
		text = fmt.Sprintf("\n- subtypes: %s", listed(below)) + text
	}
	return text
}

// argument says which parameter an argument stands for.
func (v *view) argument(d *Document, x *syntax.Word) string {
	f := d.File()
	head := f.Words[x.Head]
	if head.Role != syntax.Predicate && head.Role != syntax.Function && head.Role != syntax.Action {
		return ""
	}
	params, at, ok := v.paramsOf(d, x.Head)
	if !ok || int(x.Arg) >= len(params) {
		return ""
	}
	pf := at.doc.File()
	return fmt.Sprintf("\n- argument `%s - %s` of `%s`", pf.Spelling(params[x.Arg]), typeText(pf, params[x.Arg]), f.Spelling(x.Head))
}

// paramsOf returns the words that declare the parameters of the predicate, function or action that a word names.
func (v *view) paramsOf(d *Document, word int32) (params []int32, at occurrence, ok bool) {
	if at, ok = v.declaration(d, v.symbolOf(d, word)); !ok {
		return nil, at, false
	}
	f := at.doc.File()
	x := &f.Words[at.word]
	if x.Role == syntax.Action || x.Use == syntax.Derive {
		return f.Sections[x.In].Params, at, true
	}
	for i := at.word + 1; int(i) < len(f.Words) && f.Words[i].In == x.In; i++ {
		if w := &f.Words[i]; w.Use == syntax.Declare && w.Role == syntax.Variable {
			params = append(params, i)
		} else if w.Role != syntax.TypeName && w.Role != syntax.Operator {
			break
		}
	}
	return params, at, true
}
