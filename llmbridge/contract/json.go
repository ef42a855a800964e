package contract

import (
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// json reads a block that is one JSON array.
func (s *scan) json(body string) {
	at := strings.IndexByte(body, '[')
	in := rowjson.NewTokens(body[at:])
	counted := 0
	place := func() {
		next := at + in.At()
		s.line += strings.Count(body[counted:next], "\n")
		counted = next
	}
	fail := func(why string) {
		place()
		text, _, _ := strings.Cut(strings.TrimLeft(body[at+in.At():], whiteSpace+","), "\n")
		s.bad(text, why)
	}
	if _, _, _, err := in.Next(); err != nil {
		fail("is no JSON array")
		return
	}
	for in.More() {
		from, to, err := in.Skip()
		if err != nil {
			fail("is no JSON: " + err.Error())
			return
		}
		place()
		member := body[at+from : at+to]
		if why := s.member(member); why != "" {
			s.bad(member, why)
		}
	}
	if _, _, _, err := in.Next(); err != nil {
		fail("is no JSON array: " + err.Error())
		return
	}
	if rest := strings.TrimSpace(body[at+in.At():]); rest != "" {
		fail("follows the JSON array")
	}
}

// member reads a member of the array, and says why it is no step.
func (s *scan) member(text string) (why string) {
	const want = `is neither a step as a string nor {"action": ..., "args": [...]}`
	if text[0] == '"' {
		form, err := rowjson.String([]byte(text))
		if err != nil {
			return want
		}
		switch t := s.r.lines.match(form); {
		case t != tagPDDL && t != tagCall && t != tagWords || !s.bare(form):
			return want
		case !readable(form):
			return "has a character that is neither a letter nor a digit in a name"
		default:
			s.step(form, t)
		}
		return ""
	}
	action, args, ok := actionObject(text)
	if !ok {
		return want
	}
	for _, name := range append([]string{action}, args...) {
		if s.r.lines.match("("+name+")") != tagPDDL || strings.ContainsAny(name, " \t") || !readable(name) {
			return "has a name that cannot stand in a plan"
		}
	}
	s.step("("+action+" "+strings.Join(args, " ")+")", tagPDDL)
	return ""
}

// bare reports whether a line that matches the rule "entry" is a form and nothing else.
func (s *scan) bare(line string) bool {
	form, ok := s.counted(line)
	return ok && form == line
}

// actionObject reads {"action": name, "args": [name, ...]}: these two members, each once.
func actionObject(text string) (action string, args []string, ok bool) {
	members := 0
	err := rowjson.EachMember([]byte(text), func(name string, value []byte) (err error) {
		members++
		switch name {
		case "action":
			action, err = rowjson.String(value)
		case "args":
			err = rowjson.Unmarshal(value, &args, false)
		}
		return err
	})
	return action, args, err == nil && members == 2 && action != "" && args != nil
}
