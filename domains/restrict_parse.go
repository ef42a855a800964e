package domains

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/forms"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// UnknownAction is the code of a restriction for an action that the domain lacks.
const UnknownAction pddl.Code = "unknown-action"

// ParseForbidden reads a sequence of forbidden actions, such as "(stack a ?)": the name of
// an action of the problem's domain and, for each parameter, an object or ? for any object.
// It returns nil if any diagnostic is an error.
func ParseForbidden(src *pddl.Source, prob *pddl.Problem) ([]Forbidden, pddl.Diagnostics) {
	r := forbiddenReader{src: src, prob: prob}
	var out []Forbidden
	for r.skip(); r.pos < len(src.Text); r.skip() {
		if f, ok := r.one(); ok {
			out = append(out, f)
		}
	}
	if len(r.diags) == 0 && len(out) == 0 {
		r.fail(pddl.EmptyFile, 0, len(src.Text), "", "no forbidden action, such as (stack a ?)")
	}
	if len(r.diags) > 0 {
		return nil, r.diags
	}
	return out, nil
}

type forbiddenReader struct {
	src   *pddl.Source
	prob  *pddl.Problem
	pos   int
	diags pddl.Diagnostics
}

func (r *forbiddenReader) fail(code pddl.Code, pos, end int, hint, format string, args ...any) {
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: code, Source: r.src, Pos: pddl.Pos(pos), End: pddl.Pos(end), Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// skip moves over white space and comments.
func (r *forbiddenReader) skip() { r.pos = forms.Skip(r.src.Text, r.pos) }

// word is a token: a parenthesis or a name.
type word struct {
	text     string
	pos, end int
}

func (r *forbiddenReader) next() word {
	r.skip()
	text, start := r.src.Text, r.pos
	if start < len(text) && strings.IndexByte("()", text[start]) >= 0 {
		r.pos++
	} else if n := strings.IndexAny(text[start:], "(); \t\r\n"); n >= 0 {
		r.pos += n
	} else {
		r.pos = len(text)
	}
	return word{strings.ToLower(text[start:r.pos]), start, r.pos}
}

// one reads one action. After an error it skips to the next one.
func (r *forbiddenReader) one() (f Forbidden, ok bool) {
	open := r.next()
	if open.text != "(" {
		r.fail(pddl.UnexpectedToken, open.pos, open.end, "", "expected an action in parentheses, such as (stack a ?), found %q", open.text)
		return f, false
	}
	var words []word
	for {
		r.skip()
		if r.pos == len(r.src.Text) || r.src.Text[r.pos] == '(' {
			r.fail(pddl.UnclosedParen, open.pos, open.end, "", "this parenthesis is not closed")
			return f, false
		}
		w := r.next()
		if w.text == ")" {
			break
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		r.fail(pddl.EmptyStep, open.pos, r.pos, "", "an action without a name")
		return f, false
	}
	name := words[0]
	s := schemaNamed(r.prob.Domain, name.text)
	if s == nil {
		r.fail(UnknownAction, name.pos, name.end, meant(name.text, r.actions()), "the domain %s has no action %s", r.prob.Domain.Name, name.text)
		return f, false
	}
	if n := len(words) - 1; n != s.NumParams {
		r.fail(pddl.WrongArity, name.pos, name.end, "", "arguments of %s: expected %d, found %d; ? stands for any object", name.text, s.NumParams, n)
		return f, false
	}
	f.Action, ok = name.text, true
	for i, w := range words[1:] {
		f.Args = append(f.Args, w.text)
		ok = r.object(w, s.Vars[i]) && ok
	}
	return f, ok
}

// object checks an argument: ? or an object of the parameter's type.
func (r *forbiddenReader) object(w word, param pddl.Variable) bool {
	if w.text == AnyObject {
		return true
	}
	if strings.HasPrefix(w.text, "?") {
		r.fail(pddl.UndeclaredVariable, w.pos, w.end, "? alone stands for any object", "%s: named variables are not allowed here", w.text)
		return false
	}
	o, ok := r.prob.ObjectByName(w.text)
	if !ok {
		r.fail(pddl.UndeclaredObject, w.pos, w.end, meant(w.text, r.objects()), "the problem %s has no object %s", r.prob.Name, w.text)
		return false
	}
	for _, x := range r.prob.ObjectsOfType(param.Type) {
		if x == o {
			return true
		}
	}
	r.fail(pddl.TypeMismatch, w.pos, w.end, "", "%s is of type %s, but parameter %s is of type %s", w.text, r.prob.Domain.TypeName(r.prob.Objects[o].Type), param.Name, r.prob.Domain.TypeName(param.Type))
	return false
}

func meant(name string, known []string) string {
	if near := spell.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

func (r *forbiddenReader) actions() []string {
	var out []string
	for _, a := range r.prob.Domain.Actions {
		out = append(out, strings.ToLower(a.Name))
	}
	for _, a := range r.prob.Domain.Durative {
		out = append(out, strings.ToLower(a.Name))
	}
	return out
}

func (r *forbiddenReader) objects() []string {
	var out []string
	for _, o := range r.prob.Objects {
		out = append(out, strings.ToLower(o.Name))
	}
	return out
}
