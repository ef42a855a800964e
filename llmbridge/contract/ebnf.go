package contract

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

//go:embed contract.ebnf
var source string

// grammar is a parsed grammar file. Its rules do not refer to themselves, so each is a regular expression.
type grammar struct {
	rules map[string][]string // the signs of a rule's expression
	order []string            // rule names in the order of the file
	words []contractWords
}

// contractWords is a line of the contract in words, with the tasks of which it is said: those with durative
// actions are timed, the others sequential.
type contractWords struct {
	text              string
	sequential, timed bool
}

// ebnfSign is a sign of a grammar: white space, a text, a class of bytes, a byte, a name or an operator.
var ebnfSign = pattern.New(`^(?:\s+|"[^"\n]+"|'[^'\n]+'|\[[^\]\n]+\]|#x[0-9A-Fa-f]{1,2}|[a-z][a-z-]*|::=|[()|*+?])`)

// parseGrammar reads a grammar in the W3C's notation: rules "name ::= expression" of quoted texts, classes of
// bytes, names, "|", "*", "+", "?" and parentheses. A line that begins with "#" is a comment.
func parseGrammar(text string) (*grammar, error) {
	g := &grammar{rules: map[string][]string{}}
	var signs []string
	for i, line := range strings.Split(text, "\n") {
		if kind, words, ok := strings.Cut(line, ":"); ok && (kind == "#" || kind == "#s" || kind == "#t") {
			g.words = append(g.words, contractWords{strings.TrimSpace(words), kind != "#t", kind != "#s"})
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		for line != "" {
			s := ebnfSign.FindString(line)
			if s == "" {
				return nil, fmt.Errorf("line %d: %s is no sign of a grammar", i+1, line)
			}
			if line = line[len(s):]; strings.TrimSpace(s) != "" {
				signs = append(signs, s)
			}
		}
	}
	name := ""
	for i, s := range signs {
		switch begins := i+1 < len(signs) && signs[i+1] == "::="; {
		case begins && g.rules[s] != nil:
			return nil, fmt.Errorf("rule %q is defined twice", s)
		case begins:
			name, g.order, g.rules[s] = s, append(g.order, s), []string{}
		case name == "":
			return nil, fmt.Errorf("%s stands before the first rule", s)
		case s != "::=":
			g.rules[name] = append(g.rules[name], s)
		}
	}
	for _, name := range g.order {
		if _, err := g.pattern(name, nil); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// pattern returns a rule as a regular expression in the syntax of package regexp, in which a character stands for a
// byte. instead has the expressions of rules that are replaced, within are the rules around this one.
func (g *grammar) pattern(rule string, instead map[string]string, within ...string) (string, error) {
	if p, ok := instead[rule]; ok {
		return "(?:" + p + ")", nil
	}
	switch {
	case slices.Contains(within, rule):
		return "", fmt.Errorf("rule %q contains itself", rule)
	case len(g.rules[rule]) == 0:
		return "", fmt.Errorf("there is no rule %q", rule)
	}
	var b strings.Builder
	b.WriteString("(?:")
	for _, s := range g.rules[rule] {
		switch c := s[0]; {
		case c == '"' || c == '\'':
			b.WriteString("(?:" + regexp.QuoteMeta(s[1:len(s)-1]) + ")")
		case c == '[' || c == '#':
			b.WriteString(ebnfByte.ReplaceAllString(s, `\x{$1}`))
		case 'a' <= c && c <= 'z':
			p, err := g.pattern(s, instead, append(within, rule)...)
			if err != nil {
				return "", err
			}
			b.WriteString(p)
		default:
			b.WriteString(s)
		}
	}
	p := b.String() + ")"
	if _, err := regexp.Compile(p); err != nil {
		return "", fmt.Errorf("rule %q: %w", rule, err)
	}
	return p, nil
}

var ebnfByte = pattern.New(`#x([0-9A-Fa-f]+)`)
