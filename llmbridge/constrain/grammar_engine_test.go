package constrain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// lang is a regular language as the tests read it back from a grammar's text. It shares
// nothing with what writes grammars.
type lang struct {
	op   byte // 'l' literal, '.' class, ',' sequence, '|' choice, '*', '+', '?', 'r' reference
	text string
	set  []rune // pairs of bounds
	kids []*lang
	to   *lang
}

// notation reads GBNF or Lark, as far as grammars of plans use them.
type notation struct {
	text  string
	lark  bool
	at    int
	rules map[string]*lang
	refs  []*lang
}

var (
	gbnfName = regexp.MustCompile(`^[a-z][a-z0-9-]*`)
	larkName = regexp.MustCompile(`^([a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*)`)
)

// readNotation returns the language of the start rule.
func readNotation(text string, lark bool) (l *lang, err error) {
	defer func() {
		if r := recover(); r != nil {
			l, err = nil, fmt.Errorf("%v", r)
		}
	}()
	n := &notation{text: text, lark: lark, rules: map[string]*lang{}}
	is, start := "::=", "root"
	if lark {
		is, start = ":", "start"
	}
	for n.at < len(n.text) {
		name := n.name()
		n.blanks()
		n.want(is)
		if n.rules[name] != nil {
			panic("two rules " + name)
		}
		n.rules[name] = n.choice()
		n.blanks()
		n.want("\n")
	}
	for _, r := range n.refs {
		if r.to = n.rules[r.text]; r.to == nil {
			panic("no rule " + r.text)
		}
	}
	if n.rules[start] == nil {
		panic("no rule " + start)
	}
	return n.rules[start], nil
}

func (n *notation) want(s string) {
	if !strings.HasPrefix(n.text[n.at:], s) {
		panic(fmt.Sprintf("at byte %d: %q is missing", n.at, s))
	}
	n.at += len(s)
}

func (n *notation) name() string {
	re := gbnfName
	if n.lark {
		re = larkName
	}
	s := re.FindString(n.text[n.at:])
	if s == "" {
		panic(fmt.Sprintf("at byte %d: a name is missing", n.at))
	}
	n.at += len(s)
	return s
}

func (n *notation) blanks() {
	for n.at < len(n.text) && n.text[n.at] == ' ' {
		n.at++
	}
}

func (n *notation) peek() byte {
	n.blanks()
	if n.at == len(n.text) {
		return 0
	}
	return n.text[n.at]
}

func (n *notation) choice() *lang {
	kids := []*lang{n.sequence()}
	for n.peek() == '|' {
		n.at++
		kids = append(kids, n.sequence())
	}
	return &lang{op: '|', kids: kids}
}

func (n *notation) sequence() *lang {
	out := &lang{op: ','}
	for {
		c := n.peek()
		if c == 0 || c == '\n' || c == '|' || c == ')' {
			return out
		}
		x := n.atom(c)
		for strings.IndexByte("*+?", n.peek()) >= 0 && n.peek() != 0 {
			x = &lang{op: n.text[n.at], kids: []*lang{x}}
			n.at++
		}
		out.kids = append(out.kids, x)
	}
}

func (n *notation) atom(c byte) *lang {
	switch {
	case c == '(':
		n.at++
		x := n.choice()
		n.blanks()
		n.want(")")
		return x
	case c == '"':
		return &lang{op: 'l', text: n.quoted()}
	case c == '[' && !n.lark:
		end := strings.IndexByte(n.text[n.at:], ']')
		x, err := readRegex(n.text[n.at : n.at+end+1])
		if err != nil {
			panic(err)
		}
		n.at += end + 1
		return x
	case c == '/' && n.lark:
		end := n.at + 1
		for ; n.text[end] != '/'; end++ {
			if n.text[end] == '\\' {
				end++
			}
		}
		x, err := readRegex(strings.ReplaceAll(n.text[n.at+1:end], `\/`, "/"))
		if err != nil {
			panic(err)
		}
		n.at = end + 1
		return x
	}
	r := &lang{op: 'r', text: n.name()}
	n.refs = append(n.refs, r)
	return r
}

func (n *notation) quoted() string {
	var b strings.Builder
	for n.at++; n.text[n.at] != '"'; n.at++ {
		c := n.text[n.at]
		if c == '\\' {
			n.at++
			k := strings.IndexByte(`\"nrt`, n.text[n.at])
			if k < 0 {
				panic("unknown escape")
			}
			c = "\\\"\n\r\t"[k]
		}
		if c == '\n' && n.text[n.at] == '\n' {
			panic("line end in a literal")
		}
		b.WriteByte(c)
	}
	n.at++
	return b.String()
}

// readRegex reads a regular expression through the standard library's parser.
func readRegex(text string) (*lang, error) {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return ofRegex(re), nil
}

func ofRegex(re *syntax.Regexp) *lang {
	kids := make([]*lang, len(re.Sub))
	for i, s := range re.Sub {
		kids[i] = ofRegex(s)
	}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine:
		return &lang{op: ','}
	case syntax.OpLiteral:
		return &lang{op: 'l', text: string(re.Rune)}
	case syntax.OpCharClass:
		return &lang{op: '.', set: re.Rune}
	case syntax.OpCapture:
		return kids[0]
	case syntax.OpStar:
		return &lang{op: '*', kids: kids}
	case syntax.OpPlus:
		return &lang{op: '+', kids: kids}
	case syntax.OpQuest:
		return &lang{op: '?', kids: kids}
	case syntax.OpConcat:
		return &lang{op: ',', kids: kids}
	case syntax.OpAlternate:
		return &lang{op: '|', kids: kids}
	}
	panic("regular expression: " + re.String())
}

// jsonLang reads a schema: the language of its plans, a line each.
func jsonLang(text string) (*lang, error) {
	var s struct {
		Type       string
		Properties map[string]struct {
			Type  string
			Items *struct {
				Type, Pattern string
				Enum          []string
			}
			MinItems, MaxItems *int
		}
		Required             []string
		AdditionalProperties *bool
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	p, ok := s.Properties["plan"]
	if !ok || len(s.Properties) != 1 || s.AdditionalProperties == nil || *s.AdditionalProperties || !slices.Equal(s.Required, []string{"plan"}) || s.Type != "object" || p.Type != "array" {
		return nil, fmt.Errorf("not a schema of plans: %s", text)
	}
	if p.MaxItems != nil && *p.MaxItems == 0 {
		return &lang{op: ','}, nil
	}
	item := &lang{op: '|'}
	if p.Items.Pattern != "" {
		if !strings.HasPrefix(p.Items.Pattern, "^") || !strings.HasSuffix(p.Items.Pattern, "$") {
			return nil, fmt.Errorf("open pattern %s", p.Items.Pattern)
		}
		x, err := readRegex(p.Items.Pattern)
		if err != nil {
			return nil, err
		}
		item.kids = append(item.kids, x)
	}
	for _, e := range p.Items.Enum {
		item.kids = append(item.kids, &lang{op: 'l', text: e})
	}
	op := byte('*')
	if p.MinItems != nil && *p.MinItems == 1 {
		op = '+'
	}
	return &lang{op: op, kids: []*lang{{op: ',', kids: []*lang{item, {op: 'l', text: "\n"}}}}}, nil
}

// readGrammar reads any format back.
func readGrammar(g *Grammar) (*lang, error) {
	switch g.Format {
	case FormatGBNF, FormatLark:
		return readNotation(g.Text, g.Format == FormatLark)
	case FormatRegex:
		return readRegex(g.Text)
	}
	return jsonLang(g.Text)
}

// accepts reports whether a text belongs to the language.
func (l *lang) accepts(s string) bool { return slices.Contains(l.ends(s, []int{0}), len(s)) }

// ends lists where matches end that begin at one of the places from, sorted.
func (l *lang) ends(s string, from []int) []int {
	var out []int
	switch l.op {
	case 'l':
		for _, i := range from {
			if strings.HasPrefix(s[i:], l.text) {
				out = append(out, i+len(l.text))
			}
		}
	case '.':
		for _, i := range from {
			r, n := utf8.DecodeRuneInString(s[i:])
			for k := 0; n > 0 && k < len(l.set); k += 2 {
				if l.set[k] <= r && r <= l.set[k+1] {
					out = append(out, i+n)
				}
			}
		}
	case ',':
		out = from
		for _, k := range l.kids {
			if out = k.ends(s, out); len(out) == 0 {
				return nil
			}
		}
	case '|':
		for _, k := range l.kids {
			out = append(out, k.ends(s, from)...)
		}
	case '?':
		out = append(l.kids[0].ends(s, from), from...)
	case 'r':
		return l.to.ends(s, from)
	default: // '*' and '+'
		seen := map[int]bool{}
		next := from
		if l.op == '*' {
			out = append(out, from...)
		}
		for len(next) > 0 {
			var fresh []int
			for _, i := range l.kids[0].ends(s, next) {
				if !seen[i] {
					seen[i] = true
					fresh = append(fresh, i)
				}
			}
			out = append(out, fresh...)
			next = fresh
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// draw appends a random text of the language; stars go on three times out of four.
func (l *lang) draw(rng *rand.Rand, b *strings.Builder) {
	switch l.op {
	case 'l':
		b.WriteString(l.text)
	case '.':
		k := 2 * rng.IntN(len(l.set)/2)
		b.WriteRune(l.set[k] + rune(rng.IntN(int(min(l.set[k+1]-l.set[k]+1, 90)))))
	case ',':
		for _, k := range l.kids {
			k.draw(rng, b)
		}
	case '|':
		l.kids[rng.IntN(len(l.kids))].draw(rng, b)
	case 'r':
		l.to.draw(rng, b)
	case '?':
		if rng.IntN(2) == 0 {
			l.kids[0].draw(rng, b)
		}
	default:
		if l.op == '+' {
			l.kids[0].draw(rng, b)
		}
		for rng.IntN(4) > 0 {
			l.kids[0].draw(rng, b)
		}
	}
}
