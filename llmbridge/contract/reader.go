package contract

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
)

// Reader reads the plans of answers to one problem. It never changes after NewReader, and several goroutines
// may use it at once.
type Reader struct {
	lines     *automaton
	sentences *sentences
}

// Reading is the plan of an answer.
type Reading struct {
	// Found is false if the answer has no closed pair of plan markers outside thoughts.
	Found bool
	// Steps holds the steps in PDDL and lower case, "(unstack a b)", Lines the 1-based line of each.
	Steps []string
	Lines []int
	// Bad lists what cannot be read. A plan with such a part is no plan of the contract.
	Bad []Bad
}

// Bad is a part of a plan that does not follow the contract.
type Bad struct {
	Line int    // 1-based, in the answer
	Step int    // 1-based place among the steps and the bad parts
	Text string // the line, or the member of a JSON array
	Why  string
}

// rules is the grammar of contract.ebnf.
var rules = sync.OnceValue(func() *grammar {
	g, err := parseGrammar(source)
	if err != nil {
		panic("contract.ebnf: " + err.Error())
	}
	return g
})

var (
	plainLines = sync.OnceValue(func() *automaton { return compile(rules(), "", false) })
	timedLines = sync.OnceValue(func() *automaton { return compile(rules(), "", true) })
)

// NewReader compiles a reader. Both arguments must be non-nil.
func NewReader(dom *pddl.Domain, prob *pddl.Problem) *Reader {
	r := &Reader{sentences: newSentences(dom, prob)}
	timed := len(dom.Durative) > 0
	switch names := oddNames(dom, prob); {
	case names != "":
		r.lines = compile(rules(), names, timed)
	case timed:
		r.lines = timedLines()
	default:
		r.lines = plainLines()
	}
	return r
}

// oddNames returns the names of a task as a pattern if some are no "name" of the grammar, as forks-0- is not; else "".
func oddNames(dom *pddl.Domain, prob *pddl.Problem) string {
	var names strings.Builder
	add := func(name string) {
		if plainLines().match("("+name+")") == tagPDDL && plainLines().match(name) == tagWords {
			return
		}
		names.WriteByte('|')
		for _, c := range []byte(strings.ToLower(name)) { // in capital or small letters
			upper := c
			if 'a' <= c && c <= 'z' {
				upper -= 'a' - 'A'
			}
			fmt.Fprintf(&names, `[\x{%x}\x{%x}]`, c, upper)
		}
	}
	for _, a := range dom.Actions {
		add(a.Name)
	}
	for _, a := range dom.Durative {
		add(a.Name)
	}
	for i := range prob.Objects {
		add(prob.Objects[i].Name)
	}
	if names.Len() == 0 {
		return ""
	}
	name, _ := rules().pattern("name", nil)
	return name + names.String()
}

// Read returns the plan of an answer. It takes time linear in the answer's length.
func (r *Reader) Read(answer string) Reading {
	b, ok := lastBlock(answer)
	if !ok {
		return Reading{}
	}
	s := scan{r: r, answer: answer, line: 1 + strings.Count(answer[:b.start], "\n"), x: Reading{Found: true}}
	if body := answer[b.start:b.end]; strings.HasPrefix(strings.TrimLeft(body, whiteSpace), "[") {
		s.json(body)
	} else {
		s.lines(body)
	}
	return s.x
}

const whiteSpace = " \t\r\n"

// scan is the reading of one block.
type scan struct {
	r      *Reader
	answer string
	line   int
	x      Reading
	buf    strings.Builder
}

func (s *scan) bad(text, why string) {
	s.x.Bad = append(s.x.Bad, Bad{Line: s.line, Step: len(s.x.Steps) + len(s.x.Bad) + 1, Text: text, Why: why})
}

// lines reads a block of lines.
func (s *scan) lines(body string) {
	n := strings.Count(body, "\n") + 1
	s.x.Steps, s.x.Lines = make([]string, 0, n), make([]int, 0, n)
	s.buf.Grow(len(body) + 2*n)
	for {
		line, rest, more := strings.Cut(body, "\n")
		s.one(strings.TrimSuffix(line, "\r"))
		if !more {
			return
		}
		body = rest
		s.line++
	}
}

// one reads a line.
func (s *scan) one(line string) {
	t := s.r.lines.match(line)
	if t == tagPDDL && plain(line) { // most lines
		s.x.Steps, s.x.Lines = append(s.x.Steps, line), append(s.x.Lines, s.line)
		return
	}
	if t == tagBlank || t == tagRemark {
		return
	}
	if t == tagNone {
		s.bad(line, "is no step, comment or blank line")
		return
	}
	if !readable(line) {
		s.bad(line, "has a character that is neither a letter nor a digit in a name")
		return
	}
	form, ok := line, true
	if t != tagTimed {
		form, ok = s.counted(line)
	}
	if !ok {
		s.bad(line, "has a number that does not count up from 1")
		return
	}
	s.step(form, t)
}

// plain reports whether a line with a step in PDDL is the step as it is written in a reading: ASCII in lower case,
// one space between words, nothing around it.
func plain(line string) bool {
	if line[0] != '(' || line[len(line)-1] != ')' {
		return false
	}
	last := byte(' ')
	for i := 1; i < len(line); i++ {
		c := line[i]
		if 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf || c == ';' || last == ' ' && (c == ' ' || c == ')') {
			return false
		}
		last = c
	}
	return true
}

// readable reports whether the characters beyond ASCII before the comment are letters, digits or marks on them.
func readable(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] == ';' {
			return true
		}
		if line[i] < utf8.RuneSelf {
			continue
		}
		c, n := utf8.DecodeRuneInString(line[i:])
		if c == utf8.RuneError || !unicode.In(c, unicode.L, unicode.M, unicode.N) {
			return false
		}
		i += n - 1
	}
	return true
}

// counted returns the form of a line that matches the rule "entry", without what may stand around it. It
// returns false if the line has a number that is not that of the step.
func (s *scan) counted(line string) (string, bool) {
	form, _, _ := strings.Cut(line, ";")
	form = strings.TrimLeft(form, " \t*`")
	if form[0] == '-' || form[0] == '+' {
		form = form[1:]
	}
	form = strings.Trim(form, " \t*`")
	digits := form
	if len(form) > 4 && strings.EqualFold(form[:4], "step") {
		digits = strings.TrimLeft(form[4:], " \t")
	}
	n, k := 0, 0
	for ; k < len(digits) && '0' <= digits[k] && digits[k] <= '9'; k++ {
		n = min(10*n+int(digits[k]-'0'), 1<<30)
	}
	if k == 0 || k == len(digits) || digits[k] != ':' && (len(digits) < len(form) || digits[k] != '.' && digits[k] != ')') {
		return form, true // no number
	}
	return strings.TrimLeft(digits[k+1:], " \t*`"), n == len(s.x.Steps)+len(s.x.Bad)+1
}

// step adds the step of a form with a tag.
func (s *scan) step(form string, t tag) {
	var text string
	switch t {
	case tagTimed:
		text = s.timed(form)
	case tagCall:
		open := strings.IndexByte(form, '(')
		text = s.join(form[:open], form[open+1:len(form)-1], " \t,")
	case tagPDDL:
		text = s.join("", form[1:len(form)-1], " \t")
	default:
		if text = s.r.sentences.match(form); text == "" {
			text = s.join("", form, " \t")
		}
	}
	s.x.Steps, s.x.Lines = append(s.x.Steps, text), append(s.x.Lines, s.line)
}

// join writes a step of a first word, if it is not empty, and the words of a text between separators.
func (s *scan) join(first, words, separators string) string {
	at := s.buf.Len()
	s.buf.WriteByte('(')
	lower := func(word string) {
		if s.buf.Len() > at+1 {
			s.buf.WriteByte(' ')
		}
		s.buf.WriteString(atomtext.LowerASCII(word))
	}
	if first != "" {
		lower(first)
	}
	for i := 0; i < len(words); {
		if strings.IndexByte(separators, words[i]) >= 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(words) && strings.IndexByte(separators, words[end]) < 0 {
			end++
		}
		lower(words[i:end])
		i = end
	}
	s.buf.WriteByte(')')
	return s.buf.String()[at:]
}

// timed writes a line "0.5: (load p t) [2]" with one space between its parts.
func (s *scan) timed(line string) string {
	line, _, _ = strings.Cut(line, ";")
	time, rest, _ := strings.Cut(line, ":")
	open, shut := strings.IndexByte(rest, '('), strings.LastIndexByte(rest, ')')
	text := strings.TrimSpace(time) + ": " + s.join("", rest[open+1:shut], " \t")
	if d := strings.Trim(rest[shut+1:], " \t[]"); d != "" {
		text += " [" + d + "]"
	}
	return text
}
