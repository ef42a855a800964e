package contract

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed contract.ebnf
var source string

// Source returns the text of the grammar, contract.ebnf.
func Source() string { return source }

// exprKind says what an expression of the grammar is.
type exprKind uint8

const (
	exprText   exprKind = iota // the bytes of text
	exprClass                  // one byte of class
	exprRule                   // the rule called text
	exprSeq                    // kids in order
	exprAlt                    // one of kids
	exprRepeat                 // kids[0], from min to max times; max < 0 is any number
)

// expr is an expression of the grammar.
type expr struct {
	kind     exprKind
	text     string
	class    byteSet
	kids     []*expr
	min, max int
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// grammar is a parsed grammar file.
type grammar struct {
	rules map[string]*expr
	order []string // rule names in the order of the file
	words []contractWords
}

// contractWords is a line of the contract in words, with the tasks of which it is said: those with durative
// actions are timed, the others sequential.
type contractWords struct {
	text              string
	sequential, timed bool
}

// parseGrammar reads a grammar in the W3C's notation: rules "name ::= expression" of quoted texts, classes of
// bytes, names, "|", "*", "+", "?" and parentheses. A line that begins with "#" is a comment.
func parseGrammar(text string) (*grammar, error) {
	g := &grammar{rules: map[string]*expr{}}
	var body strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if kind, words, ok := strings.Cut(line, ":"); ok && (kind == "#" || kind == "#s" || kind == "#t") {
			g.words = append(g.words, contractWords{strings.TrimSpace(words), kind != "#t", kind != "#s"})
		}
		if !strings.HasPrefix(line, "#") {
			body.WriteString(line)
		}
		body.WriteByte('\n')
	}
	p := &grammarParser{text: body.String()}
	for p.skip(); p.at < len(p.text); p.skip() {
		name := p.name()
		if name == "" || !p.take("::=") {
			return nil, p.fail("a rule name and ::=")
		}
		if g.rules[name] != nil {
			return nil, fmt.Errorf("rule %q is defined twice", name)
		}
		e, err := p.choice()
		if err != nil {
			return nil, err
		}
		g.rules[name], g.order = e, append(g.order, name)
	}
	for _, name := range g.order {
		if err := g.check(g.rules[name], []string{name}); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// check reports a rule that is missing or contains itself: the grammar must be regular.
func (g *grammar) check(e *expr, within []string) error {
	if e.kind == exprRule {
		for _, w := range within {
			if w == e.text {
				return fmt.Errorf("rule %q contains itself", w)
			}
		}
		if g.rules[e.text] == nil {
			return fmt.Errorf("there is no rule %q", e.text)
		}
		return g.check(g.rules[e.text], append(within, e.text))
	}
	for _, k := range e.kids {
		if err := g.check(k, within); err != nil {
			return err
		}
	}
	return nil
}

type grammarParser struct {
	text string
	at   int
}

func (p *grammarParser) fail(want string) error {
	return fmt.Errorf("line %d: %s expected", 1+strings.Count(p.text[:p.at], "\n"), want)
}

func (p *grammarParser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *grammarParser) take(s string) bool {
	if p.skip(); strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *grammarParser) name() string {
	p.skip()
	start := p.at
	for p.at < len(p.text) && (p.text[p.at]|0x20 >= 'a' && p.text[p.at]|0x20 <= 'z' || p.at > start && p.text[p.at] == '-') {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *grammarParser) choice() (*expr, error) {
	alt := &expr{kind: exprAlt}
	for {
		e, err := p.sequence()
		if err != nil {
			return nil, err
		}
		if alt.kids = append(alt.kids, e); !p.take("|") {
			break
		}
	}
	if len(alt.kids) == 1 {
		return alt.kids[0], nil
	}
	return alt, nil
}

func (p *grammarParser) sequence() (*expr, error) {
	seq := &expr{kind: exprSeq}
	for {
		e, err := p.factor()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		seq.kids = append(seq.kids, e)
	}
	switch len(seq.kids) {
	case 0:
		return nil, p.fail("an expression")
	case 1:
		return seq.kids[0], nil
	}
	return seq, nil
}

// factor reads one part of a sequence, or nothing at its end.
func (p *grammarParser) factor() (e *expr, err error) {
	p.skip()
	start := p.at
	switch rest := p.text[p.at:]; {
	case rest == "":
		return nil, nil
	case rest[0] == '"' || rest[0] == '\'':
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 1 {
			return nil, p.fail("a closing quote")
		}
		e = &expr{kind: exprText, text: rest[1 : 1+end]}
		p.at += end + 2
	case rest[0] == '[':
		e, err = p.class()
	case strings.HasPrefix(rest, "#x"):
		p.at += 2
		var c byte
		if c, err = p.hex(); err == nil {
			e = &expr{kind: exprText, text: string([]byte{c})}
		}
	case p.take("("):
		if e, err = p.choice(); err == nil && !p.take(")") {
			err = p.fail("a closing parenthesis")
		}
	default:
		name := p.name()
		if name == "" || p.take("::=") {
			p.at = start // the next rule, or no expression
			return nil, nil
		}
		e = &expr{kind: exprRule, text: name}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case p.take("*"):
		e = &expr{kind: exprRepeat, kids: []*expr{e}, max: -1}
	case p.take("+"):
		e = &expr{kind: exprRepeat, kids: []*expr{e}, min: 1, max: -1}
	case p.take("?"):
		e = &expr{kind: exprRepeat, kids: []*expr{e}, max: 1}
	}
	return e, nil
}

// class reads a class such as [A-Za-z_#x80-#xFF] or [^#xA].
func (p *grammarParser) class() (*expr, error) {
	e := &expr{kind: exprClass}
	p.at++
	negated := p.text[p.at] == '^'
	if negated {
		p.at++
	}
	for first := true; ; first = false {
		if p.at >= len(p.text) {
			return nil, p.fail("a closing bracket")
		}
		if p.text[p.at] == ']' && !first {
			p.at++
			break
		}
		lo, err := p.member()
		if err != nil {
			return nil, err
		}
		hi := lo
		if rest := p.text[p.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' && lo != '-' {
			p.at++
			if hi, err = p.member(); err != nil {
				return nil, err
			}
		}
		for c := int(lo); c <= int(hi); c++ {
			e.class.add(byte(c))
		}
	}
	if negated {
		for i := range e.class {
			e.class[i] = ^e.class[i]
		}
	}
	return e, nil
}

func (p *grammarParser) member() (byte, error) {
	if strings.HasPrefix(p.text[p.at:], "#x") {
		p.at += 2
		return p.hex()
	}
	p.at++
	return p.text[p.at-1], nil
}

func (p *grammarParser) hex() (byte, error) {
	start := p.at
	for p.at < len(p.text) && p.at < start+2 && strings.IndexByte("0123456789ABCDEFabcdef", p.text[p.at]) >= 0 {
		p.at++
	}
	n, err := strconv.ParseUint(p.text[start:p.at], 16, 8)
	if err != nil {
		return 0, p.fail("a hexadecimal number")
	}
	return byte(n), nil
}
