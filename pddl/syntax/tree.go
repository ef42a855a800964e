package syntax

import "strings"

type nodeKind uint8

const (
	list nodeKind = iota
	word
)

// node is a list or a word of the text. A list's text goes from its opening to after its closing parenthesis, or to
// where it was ended.
type node struct {
	off, lim    uint32
	first, next int32 // first child and next sibling; 0 is none, since node 0 is the file
	kind        nodeKind
	closed      bool // the closing parenthesis is there
}

// maxDepth is the deepest list that is looked at as one. The words of deeper ones count as the list's around them.
const maxDepth = 400

type treeBuilder struct {
	text  string
	nodes []node
	stack []int32 // open lists, the file first
	last  []int32 // the last child of each
	flat  int     // open lists beyond maxDepth
	notes []Span  // comments
}

// buildTree never fails: it closes what is open and passes what closes nothing.
func buildTree(text string, bracketed bool) ([]node, []Span) {
	b := &treeBuilder{text: text, nodes: make([]node, 1, len(text)/6+8), stack: []int32{0}, last: []int32{0}}
	i := 0
	for i < len(text) {
		switch c := text[i]; {
		case isSpace(c):
			i++
		case c == ';':
			end := lineEnd(text, i)
			b.notes = append(b.notes, Span{uint32(i), uint32(end)})
			i = end
		case c == '(':
			i++
			b.open(i - 1)
		case c == ')':
			i++
			b.close(i)
		default:
			end := wordEnd(text, i)
			if bracketed {
				end = planWordEnd(text, i)
			}
			if c == ':' && !bracketed {
				b.keyword(fold(text[i:end]))
			}
			b.add(node{off: uint32(i), lim: uint32(end), kind: word})
			i = end
		}
	}
	b.popTo(1, len(text))
	b.nodes[0].lim = uint32(len(text))
	return b.nodes, b.notes
}

func (b *treeBuilder) add(n node) int32 {
	id, top := int32(len(b.nodes)), len(b.stack)-1
	b.nodes = append(b.nodes, n)
	if b.last[top] == 0 {
		b.nodes[b.stack[top]].first = id
	} else {
		b.nodes[b.last[top]].next = id
	}
	b.last[top] = id
	return id
}

func (b *treeBuilder) open(off int) {
	if len(b.stack) > maxDepth {
		b.flat++
		return
	}
	if after := skip(b.text, off+1); after < len(b.text) && b.text[after] == ':' && len(b.stack) > 2 {
		if sectionKeywords[fold(b.text[after:wordEnd(b.text, after)])] {
			b.popTo(2, off)
		}
	}
	id := b.add(node{off: uint32(off), lim: uint32(len(b.text))})
	b.stack, b.last = append(b.stack, id), append(b.last, 0)
}

func (b *treeBuilder) close(lim int) {
	if b.flat > 0 {
		b.flat--
		return
	}
	if top := len(b.stack) - 1; top > 0 {
		b.nodes[b.stack[top]].closed = true
		b.popTo(top, lim)
	}
}

// popTo ends open lists at a place until n are left, the file included.
func (b *treeBuilder) popTo(n, lim int) {
	for b.flat = 0; len(b.stack) > n; {
		top := len(b.stack) - 1
		b.nodes[b.stack[top]].lim = uint32(lim)
		b.stack, b.last = b.stack[:top], b.last[:top]
	}
}

// keyword ends the lists in which a part of an action cannot begin.
func (b *treeBuilder) keyword(name string) {
	if len(b.stack) <= 3 || !partKeywords[name] || b.last[len(b.last)-1] == 0 {
		return
	}
	section := b.nodes[b.stack[2]]
	if section.first != 0 && partSections[fold(b.text[b.nodes[section.first].off:b.nodes[section.first].lim])] {
		b.popTo(3, int(b.nodes[b.last[len(b.last)-1]].lim))
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func lineEnd(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// skip moves over white space and comments.
func skip(text string, i int) int {
	for i < len(text) {
		switch {
		case isSpace(text[i]):
			i++
		case text[i] == ';':
			i = lineEnd(text, i)
		default:
			return i
		}
	}
	return i
}

// wordEnd returns the end of the word at i, as the readers cut words.
func wordEnd(text string, i int) int {
	for j := i; j < len(text); j++ {
		if c := text[j]; isSpace(c) || c == '(' || c == ')' || c == ';' || c == '?' && j > i {
			return j
		}
	}
	return len(text)
}

func planWordEnd(text string, i int) int {
	for j := i; j < len(text); j++ {
		if c := text[j]; isSpace(c) || strings.IndexByte("();[]:", c) >= 0 {
			return max(j, i+1)
		}
	}
	return len(text)
}

// fold writes the ASCII letters of a name in lower case: names are equal if what it returns is.
func fold(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] >= 'A' && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// Fold returns the form in which names are compared: ASCII letters in lower case.
func Fold(name string) string { return fold(name) }
