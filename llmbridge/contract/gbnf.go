package contract

import (
	"fmt"
	"strings"
)

// GBNF returns the contract in the notation of llama.cpp and XGrammar: the plan between one pair of markers
// ("<plan>" for instance), with the given names for the rule "name". No names stand for any name.
func GBNF(open string, names []string) (string, error) {
	var shut string
	for _, m := range markers {
		if m.open == open {
			shut = m.shut
		}
	}
	if shut == "" {
		return "", fmt.Errorf("there are no plan markers %q", open)
	}
	g := rules()
	var b strings.Builder
	fmt.Fprintf(&b, "root ::= %s body %s\n", gbnfText(open+"\n"), gbnfText(shut))
	for _, name := range g.order {
		if name == "block" || name == "timed" || name == "number" {
			continue
		}
		e := g.rules[name]
		if name == "name" && len(names) > 0 {
			e = &expr{kind: exprAlt}
			for _, n := range names {
				e.kids = append(e.kids, &expr{kind: exprText, text: n})
			}
		}
		fmt.Fprintf(&b, "%s ::= %s\n", name, gbnfExpr(e, false))
	}
	return b.String(), nil
}

// gbnfExpr writes an expression; inner says that it stands in a sequence or under a repetition.
func gbnfExpr(e *expr, inner bool) string {
	switch e.kind {
	case exprText:
		return gbnfText(e.text)
	case exprClass:
		return gbnfClass(&e.class)
	case exprRule:
		return e.text
	case exprRepeat:
		sign := "?"
		if e.max < 0 {
			sign = "*+"[e.min : e.min+1]
		}
		k := gbnfExpr(e.kids[0], true)
		if kind := e.kids[0].kind; kind == exprSeq {
			k = "(" + k + ")"
		}
		return k + sign
	}
	sep := " "
	if e.kind == exprAlt {
		sep = " | "
	}
	parts := make([]string, len(e.kids))
	for i, k := range e.kids {
		parts[i] = gbnfExpr(k, e.kind == exprSeq)
	}
	text := strings.Join(parts, sep)
	if inner && e.kind == exprAlt {
		return "(" + text + ")"
	}
	return text
}

func gbnfText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		b.WriteString(gbnfByte(s[i], `"\`))
	}
	b.WriteByte('"')
	return b.String()
}

func gbnfByte(c byte, escaped string) string {
	switch {
	case c == '\n':
		return `\n`
	case c == '\r':
		return `\r`
	case c == '\t':
		return `\t`
	case strings.IndexByte(escaped, c) >= 0:
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}

// gbnfClass writes a class. Its members are characters there, so that all bytes beyond ASCII stand for all
// such characters.
func gbnfClass(s *byteSet) string {
	var b strings.Builder
	const escaped = `]\^-`
	if s.has(0) { // all but a few
		b.WriteString("[^")
		for c := range 0x80 {
			if !s.has(byte(c)) {
				b.WriteString(gbnfByte(byte(c), escaped))
			}
		}
		return b.String() + "]"
	}
	b.WriteByte('[')
	for c := 0; c < 0x80; c++ {
		if !s.has(byte(c)) {
			continue
		}
		end := c
		for end+1 < 0x80 && s.has(byte(end+1)) {
			end++
		}
		b.WriteString(gbnfByte(byte(c), escaped))
		if end > c+1 {
			b.WriteByte('-')
		}
		if end > c {
			b.WriteString(gbnfByte(byte(end), escaped))
		}
		c = end
	}
	if s.has(0xff) {
		b.WriteString(`\x80-\U0010FFFF`)
	}
	return b.String() + "]"
}
