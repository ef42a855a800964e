package constrain

import (
	"strings"
)

// expr is a regular expression over texts, independent of notations.
type expr struct {
	kind exprKind
	text string  // exprText, and the closing tag of exprFree
	kids []*expr // exprSeq, exprAlt, and the body of a rule
	name string  // exprRule
}

type exprKind uint8

const (
	exprText exprKind = iota
	exprSeq
	exprAlt
	exprRule // a named part, written once in notations with rules
	exprMany // any number of kids[0]
	exprSome // at least one of kids[0]
	exprFree // text without "</", followed by a closing tag
)

func literal(text string) *expr    { return &expr{kind: exprText, text: text} }
func sequence(kids ...*expr) *expr { return &expr{kind: exprSeq, kids: kids} }
func choice(kids []*expr) *expr    { return &expr{kind: exprAlt, kids: kids} }

// trie returns the choice of different texts, in which common first words are written once.
func trie(texts []string) *expr {
	var order []string
	rest := map[string][]string{}
	for _, t := range texts {
		head, tail, more := strings.Cut(t, " ")
		if more {
			head += " "
		}
		if _, ok := rest[head]; !ok {
			order = append(order, head)
			rest[head] = nil
		}
		if more {
			rest[head] = append(rest[head], tail)
		}
	}
	kids := make([]*expr, len(order))
	for i, head := range order {
		switch tails := rest[head]; {
		case len(tails) == 0:
			kids[i] = literal(head)
		case len(tails) == 1:
			kids[i] = literal(head + tails[0])
		default:
			kids[i] = join(literal(head), trie(tails))
		}
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return choice(kids)
}

// join puts a text before an expression, without nesting if possible.
func join(head, tail *expr) *expr {
	switch {
	case tail.kind == exprText:
		return literal(head.text + tail.text)
	case tail.kind == exprSeq && tail.kids[0].kind == exprText:
		return sequence(append([]*expr{literal(head.text + tail.kids[0].text)}, tail.kids[1:]...)...)
	}
	return sequence(head, tail)
}
