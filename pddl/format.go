package pddl

import (
	"math"
	"strings"
)

// Format lays out a domain or problem canonically and keeps its comments. It works
// on the token tree, so it also formats files with undeclared names. If the
// parentheses do not match, the text is "". Formatting is idempotent.
//
// The layout: sections are indented by two, with each part of an action on its own
// line; a list stays on one line if it fits into 80 columns and has no comment; a
// single blank line between elements is kept; lines end in "\n".
func Format(src *Source) (string, Diagnostics) {
	c := &collector{src: src}
	if uint64(len(src.Text)) > math.MaxUint32-1 {
		c.errorf(FileTooLarge, 0, 0, "a file of %d bytes; the largest allowed has %d", len(src.Text), uint64(MaxSourceSize))
		return "", c.result()
	}
	if !checkText(c) {
		return "", c.result()
	}
	t := &tokenTree{text: src.Text}
	if !t.read(c) {
		return "", c.result()
	}
	t.measure()
	f := &formatter{tokenTree: t}
	f.file()
	return string(f.out), c.result()
}

// Formatted says what laying a file out did.
type Formatted struct {
	File        string      `json:"file"`
	Changed     bool        `json:"changed"` // false if there are errors
	Text        *string     `json:"text,omitempty"`
	Diagnostics Diagnostics `json:"diagnostics,omitempty"`
}

// FormatReport is [Format] with a report of what was done, whose Text is left out.
func FormatReport(src *Source) (text string, r Formatted) {
	text, diags := Format(src)
	return text, Formatted{File: src.Name, Changed: text != src.Text && !diags.HasErrors(), Diagnostics: diags}
}

type nodeKind uint8

const (
	nodeList nodeKind = iota
	nodeWord
	nodeComment
)

// fmtNode is a node of the token tree: a list with its children, a word or a
// comment.
type fmtNode struct {
	off, lim    uint32 // the text; a list's from its opening to after its closing parenthesis
	first, next int32  // first child and next sibling; 0 for none
	width       int32  // on one line; -1 if it must be broken
	kind        nodeKind
	blank       bool // a blank line comes before it
	trailing    bool // a comment on the line of the token before it
}

// tokenTree is a tree of a text's tokens: it keeps everything but white space.
// Node 0 is the file.
type tokenTree struct {
	text  string
	nodes []fmtNode
}

func (t *tokenTree) word(i int32) string {
	return t.text[t.nodes[i].off:t.nodes[i].lim]
}

// treeReader builds a tokenTree.
type treeReader struct {
	*tokenTree
	stack []int32 // open lists
	last  []int32 // the last child of each
	lines int     // line ends since the last token
}

// add appends a node to the innermost open list.
func (r *treeReader) add(n fmtNode) int32 {
	id := int32(len(r.nodes))
	n.blank = r.lines > 1
	r.nodes = append(r.nodes, n)
	top := len(r.stack) - 1
	if r.last[top] == 0 {
		r.nodes[r.stack[top]].first = id
	} else {
		r.nodes[r.last[top]].next = id
	}
	r.last[top] = id
	r.lines = 0
	return id
}

// read builds the tree and reports unmatched parentheses.
func (t *tokenTree) read(c *collector) bool {
	text := t.text
	t.nodes = append(make([]fmtNode, 0, len(text)/6+8), fmtNode{kind: nodeList})
	r := treeReader{tokenTree: t, stack: []int32{0}, last: []int32{0}, lines: 2}
	i := 0
	if hasBOM(text) {
		i = len(bom)
	}
	for i < len(text) {
		switch ch := text[i]; {
		case class[ch]&classSpace != 0:
			if ch == '\n' || ch == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
				r.lines++
			}
			i++
		case ch == ';':
			n := commentLength(text[i:])
			body := strings.TrimRight(text[i:i+n], " \t\f\v")
			r.add(fmtNode{kind: nodeComment, off: uint32(i), lim: uint32(i + len(body)), trailing: r.lines == 0})
			i += n
		case ch == '(':
			if len(r.stack) > MaxNesting {
				c.errorf(NestingTooDeep, i, i+1, "parentheses nested more than %d deep", MaxNesting)
				return false
			}
			id := r.add(fmtNode{kind: nodeList, off: uint32(i)})
			r.stack, r.last = append(r.stack, id), append(r.last, 0)
			i++
		case ch == ')':
			top := len(r.stack) - 1
			if top == 0 {
				c.errorf(ExtraParen, i, i+1, "an extra closing parenthesis")
				return false
			}
			i++
			t.nodes[r.stack[top]].lim = uint32(i)
			r.stack, r.last, r.lines = r.stack[:top], r.last[:top], 0
		default:
			if len(r.stack) == 1 {
				c.errorf(UnexpectedToken, i, i+1, "text outside parentheses: this is not a domain or problem")
				return false
			}
			j := i + 1
			for j < len(text) && class[text[j]]&(classSpace|classDelim) == 0 {
				j++
			}
			r.add(fmtNode{kind: nodeWord, off: uint32(i), lim: uint32(j)})
			i = j
		}
	}
	if top := len(r.stack) - 1; top > 0 {
		at := int(t.nodes[r.stack[top]].off)
		c.errorf(UnclosedParen, at, at+1, "this parenthesis is never closed")
		return false
	}
	return true
}

// measure computes the widths of all lists. A node's children come after it.
func (t *tokenTree) measure() {
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		switch n.kind {
		case nodeComment:
			n.width = -1
			continue
		case nodeWord:
			n.width = int32(min(int(n.lim-n.off), 1<<20))
			continue
		}
		n.width = 2
		if n.first != 0 && t.nodes[n.first].kind == nodeWord && alwaysBroken(fold(t.word(n.first))) {
			n.width = -1
			continue
		}
		for c := n.first; c != 0; c = t.nodes[c].next {
			w := t.nodes[c].width
			if w < 0 || n.width > 1<<20 {
				n.width = -1
				break
			}
			n.width += w
			if c != n.first {
				n.width++
			}
		}
	}
}

// alwaysBroken reports whether a list with this head never stays on one line.
func alwaysBroken(head string) bool {
	switch head {
	case "define", ":action", ":durative-action", ":process", ":event":
		return true
	}
	return false
}

// formatWidth is the width that lines should keep to.
const formatWidth = 80

// maxIndent bounds the indentation, so that deep nesting does not inflate a file.
const maxIndent = 60

type formatter struct {
	*tokenTree
	out    []byte
	column int
}

func (f *formatter) write(s string) {
	f.out = append(f.out, s...)
	f.column += len(s)
}

func (f *formatter) newline(indent int) {
	f.out = append(f.out, '\n')
	f.column = min(indent, maxIndent)
	for range f.column {
		f.out = append(f.out, ' ')
	}
}

// file writes the top level: each element on lines of its own.
func (f *formatter) file() {
	for c := f.nodes[0].first; c != 0; c = f.nodes[c].next {
		n := &f.nodes[c]
		switch {
		case len(f.out) == 0:
		case n.trailing:
			f.write(" ")
		default:
			if n.blank {
				f.out = append(f.out, '\n')
			}
			f.newline(0)
		}
		f.node(c, 0)
	}
	if len(f.out) > 0 {
		f.out = append(f.out, '\n')
	}
}

// node writes a node at the current column; indent is that of its line.
func (f *formatter) node(id int32, indent int) {
	n := &f.nodes[id]
	switch {
	case n.kind != nodeList:
		f.write(f.word(id))
	case n.width >= 0 && f.column+int(n.width) <= formatWidth:
		f.flat(id)
	default:
		f.broken(id, indent)
	}
}

func (f *formatter) flat(id int32) {
	n := &f.nodes[id]
	if n.kind != nodeList {
		f.write(f.word(id))
		return
	}
	f.write("(")
	for c := n.first; c != 0; c = f.nodes[c].next {
		if c != n.first {
			f.write(" ")
		}
		f.flat(c)
	}
	f.write(")")
}

// broken writes a list over several lines.
func (f *formatter) broken(id int32, indent int) {
	first := f.nodes[id].first
	head := ""
	if first != 0 && f.nodes[first].kind == nodeWord {
		head = fold(f.word(first))
	}
	f.write("(")
	l := lines{formatter: f, indent: indent + 2, head: head, leading: true}
	for c := first; c != 0; c = f.nodes[c].next {
		l.put(c)
	}
	// A list with elements on lines of their own also closes on one.
	if l.comment || head == "define" || strings.HasPrefix(head, ":") {
		f.newline(indent)
	}
	f.write(")")
}

// lines lays out the elements of a broken list.
type lines struct {
	*formatter
	indent  int
	head    string
	started bool // something has been written
	leading bool // still on the line of the head
	comment bool // the last element is a comment
	prev    string
	list    bool // the last element was a list
	glue    bool // the next element belongs on the line of the last
	ended   bool // the last element ends a group: the next begins a line
}

// put writes one element.
func (l *lines) put(id int32) {
	n := &l.nodes[id]
	switch {
	case !l.started && n.kind == nodeComment:
		l.write(" ")
	case !l.started:
	case n.trailing:
		l.write(" ")
	case l.sameLine(id):
		l.write(" ")
	default:
		if n.blank && !l.leading {
			l.out = append(l.out, '\n')
		}
		l.newline(l.indent)
		l.leading = false
	}
	l.started = true
	l.comment = n.kind == nodeComment
	if l.comment {
		l.write(l.word(id))
		l.glue, l.ended = false, true
		return
	}
	typed := l.prev == "-" && !l.list
	l.node(id, l.lineIndent())
	l.list = n.kind == nodeList
	l.prev = ""
	if !l.list {
		l.prev = l.word(id)
	}
	l.ended = typed && typedSection(l.head)
	l.glue = l.prev == "-" || strings.HasPrefix(l.prev, ":") && l.prev != l.head && partSection(l.head)
}

// lineIndent is the indentation of the line being written.
func (l *lines) lineIndent() int {
	if l.leading {
		return l.indent - 2
	}
	return l.indent
}

// sameLine reports whether an element continues the current line.
func (l *lines) sameLine(id int32) bool {
	n := &l.nodes[id]
	if n.kind == nodeComment || l.comment {
		return false
	}
	if l.glue {
		return true
	}
	if n.kind == nodeList {
		// A quantifier's variables stay on its line; so does the head of a definition.
		fits := n.width >= 0 && l.column+1+int(n.width) <= formatWidth
		switch l.head {
		case "forall", "exists", "define", ":derived":
			return l.leading && !l.list && fits
		case ":goal", ":constraints", ":metric":
			return l.leading && !l.list
		}
		return false
	}
	w := l.word(id)
	switch {
	case w == "-":
		return true
	case l.ended || l.list || strings.HasPrefix(w, ":") && partSection(l.head):
		return false
	case l.leading && typedSection(l.head):
		return false
	}
	return l.column+1+len(w) <= formatWidth
}

// typedSection reports whether a section is a typed list of names, laid out with one
// group of names and their type per line.
func typedSection(head string) bool {
	return head == ":objects" || head == ":constants" || head == ":types"
}

// partSection reports whether a section consists of keywords with values.
func partSection(head string) bool {
	switch head {
	case ":action", ":durative-action", ":axiom", ":method", ":process", ":event":
		return true
	}
	return false
}
