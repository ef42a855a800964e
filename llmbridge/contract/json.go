package contract

import (
	"encoding/json"
	"strings"
)

// json reads a block that is one JSON array.
func (s *scan) json(body string) {
	at := strings.IndexByte(body, '[')
	dec := json.NewDecoder(strings.NewReader(body[at:]))
	counted := 0
	place := func() {
		next := at + int(dec.InputOffset())
		s.line += strings.Count(body[counted:next], "\n")
		counted = next
	}
	fail := func(why string) {
		place()
		text, _, _ := strings.Cut(strings.TrimLeft(body[at+int(dec.InputOffset()):], whiteSpace+","), "\n")
		s.bad(text, why)
	}
	if _, err := dec.Token(); err != nil {
		fail("is no JSON array")
		return
	}
	for dec.More() {
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			fail("is no JSON: " + err.Error())
			return
		}
		place()
		if why := s.member(string(member)); why != "" {
			s.bad(string(member), why)
		}
	}
	if _, err := dec.Token(); err != nil {
		fail("is no JSON array: " + err.Error())
		return
	}
	if rest := strings.TrimSpace(body[at+int(dec.InputOffset()):]); rest != "" {
		fail("follows the JSON array")
	}
}

// member reads a member of the array, and says why it is no step.
func (s *scan) member(text string) (why string) {
	const want = `is neither a step as a string nor {"action": ..., "args": [...]}`
	if text[0] == '"' {
		var form string
		if err := json.Unmarshal([]byte(text), &form); err != nil {
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
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", nil, false
	}
	members := 0
	for ; dec.More(); members++ {
		key, err := dec.Token()
		if err != nil {
			return "", nil, false
		}
		var to any
		switch {
		case key == "action" && action == "":
			to = &action
		case key == "args" && args == nil:
			to = &args
		default:
			return "", nil, false
		}
		if dec.Decode(to) != nil {
			return "", nil, false
		}
	}
	return action, args, members == 2 && action != "" && args != nil
}
