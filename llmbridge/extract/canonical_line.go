package extract

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/pattern"
)

// load splits a line into the tokens of its canonical form, which has nothing that only decorates: no emphasis, quotes
// as in typography, LaTeX, control sequences, struck-out text or tags. What the tags said is in l.tags.
func (l *lineReader) load(line string) { l.loadFrom(line, len(line)) }

// loadFrom is load for the line text[:size].
func (l *lineReader) loadFrom(text string, size int) {
	line := text[:size]
	if size < len(text) && byteClass[text[size]] >= classDash {
		text = line // a piece that ends within a word
	}
	l.line, l.tags = line, lineTags{}
	toks, seen, ok := l.r.scanLine(text, size, l.toks[:0], &byteClass)
	if !ok || seen&hasTag != 0 { // few lines
		l.tags.denied, l.tags.script = !ok && crossed(line), !ok
		if strings.IndexByte(line, '~') >= 0 || strings.IndexByte(line, '<') >= 0 {
			heading := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**")
			line = struck.ReplaceAllString(line, " ")
			l.tags.denied = l.tags.denied || heading && strings.Trim(line, "#* ") == ""
		}
		l.line = cleanLine(line)
		toks, seen, _ = l.r.scanLine(l.line, len(l.line), toks[:0], &cleanClass)
	}
	l.toks, l.seen, l.matched = toks, seen, 0
	if seen&hasTag != 0 {
		l.untag()
	}
}

// struck is text that is struck out: it is taken back.
var struck = pattern.New(`~~.*?~~|<del>.*?</del>|<s>.*?</s>|<strike>.*?</strike>`)

// cleanLine replaces typographic signs by the ASCII signs that mean the same and removes LaTeX:
// \text{object\_2} becomes object_2.
func cleanLine(line string) string {
	if strings.IndexByte(line, 0x1b) >= 0 || strings.Contains(line, "\u009b") {
		line = control.ReplaceAllString(line, " ")
	}
	var b strings.Builder
	b.Grow(len(line))
	depth := 0
	var groups []int // depths of the open braces of commands
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\\':
			i++
			j := i
			for j < len(line) && byteClass[line[j]] == classWord && line[j] != '_' {
				j++
			}
			switch command := line[i:j]; {
			case (command == "begin" || command == "end") && j < len(line) && line[j] == '{':
				i = j + len(environment.FindString(line[j:]))
				b.WriteByte(' ')
			case strings.HasPrefix(command, "n") && !slices.Contains(commandsInN, command):
				b.WriteString(". ") // an escaped line end and the next line: "pick up a\nstack a b"
				i++
			case command != "":
				if i = j; j < len(line) && line[j] == '{' {
					groups = append(groups, depth)
					depth++
					i++
				}
				b.WriteByte(' ')
			case i+1 < len(line) && line[i] == '\\':
				b.WriteString(". ") // the end of a line
				i++
			case i < len(line) && strings.IndexByte(`\()[],;:!`, line[i]) >= 0:
				b.WriteByte(' ') // \( b \) is b
				i++
			}
		case c == '&' && strings.Contains(line, `\`):
			b.WriteByte(' ') // the end of a column
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(line[i:])
			b.WriteString(plainSign(r, line[i:i+n]))
			i += n
		default:
			i++
			if c == '{' {
				depth++
			} else if c == '}' {
				if depth--; len(groups) > 0 && groups[len(groups)-1] == depth {
					groups = groups[:len(groups)-1]
					continue
				}
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// environment is the name of an environment of LaTeX and its columns, "{aligned}", "{array}{l}".
var environment = pattern.New(`^\{[^}]*\}?(?:\{[^}]*\}?)?`)

// commandsInN are the LaTeX commands with n that an answer may use.
var commandsInN = []string{"nabla", "ne", "nearrow", "neg", "neq", "newline", "newpage", "ngeq", "ni", "nleq", "nobreak", "noindent", "nolimits", "nonumber", "normalsize", "not", "notag", "notin", "nrightarrow", "nu", "numberline", "nwarrow"}

// control is a control sequence of a terminal: ESC [ 2 J, or ESC ] up to a bell.
var control = pattern.New(`(?:\x1b\[|\x{9b})[ -?]{0,62}[@-~]?|\x1b\][^\x07]{0,62}\x07|\x1b\]|\x1b[A-Za-z_]?`)

// plainSign returns the ASCII text with the meaning of a sign, "" if the sign is invisible, and the sign itself if it
// is a letter.
func plainSign(r rune, sign string) string {
	k := sort.Search(len(typographic), func(i int) bool { return typographic[i].to >= r })
	switch {
	case r == utf8.RuneError && len(sign) == 1:
		return " " // no letter
	case k == len(typographic) || r < typographic[k].from:
		return sign
	case typographic[k].as == "wide":
		return string(r - '！' + '!')
	case len(typographic[k].as) == 2:
		return typographic[k].as[r&1 : r&1+1]
	}
	return typographic[k].as
}

// typographic lists ranges of signs in order, with the text that means the same. Two characters are a pair of brackets.
// A dash with blanks around never joins words.
var typographic = []struct {
	from, to rune
	as       string
}{
	{0x80, 0xa0, " "}, {0xab, 0xab, `"`}, {0xad, 0xad, ""}, {0xb0, 0xb0, "."}, {0xb7, 0xb7, "-"}, {0xba, 0xba, "."}, {0xbb, 0xbb, `"`}, // controls, no-break space, quotes, soft hyphen, dot
	{0x34f, 0x34f, ""}, {0x61c, 0x61c, ""}, {0x180e, 0x180e, ""}, // joiners and marks of direction
	{0x2000, 0x200a, " "}, {0x200b, 0x200f, ""}, {0x2010, 0x2011, "-"}, {0x2012, 0x2015, " - "}, {0x2018, 0x2019, "'"}, {0x201c, 0x201d, `"`},
	{0x2022, 0x2023, " - "}, {0x2026, 0x2026, "."}, {0x2028, 0x2029, " "}, {0x202a, 0x202e, ""}, {0x202f, 0x202f, " "}, {0x203b, 0x203b, " "}, {0x2043, 0x2043, " - "}, {0x2060, 0x206f, ""},
	{0x20c0, 0x20ff, " "}, {0x2116, 0x2116, "#"}, {0x2180, 0x21ff, ">"}, {0x2212, 0x2212, "-"}, {0x2217, 0x2219, " - "}, {0x22c5, 0x22c5, " - "}, {0x2500, 0x263f, " "}, // key caps, №, arrows, squares
	{0x2700, 0x2767, " "}, {0x2768, 0x2769, "()"}, {0x276a, 0x277f, " "}, {0x2780, 0x27e5, ">"}, {0x27e6, 0x27ef, "[]"}, {0x27f0, 0x27ff, ">"}, {0x2900, 0x297f, ">"}, {0x2b00, 0x2b11, ">"}, {0x2b12, 0x2bff, " "},
	{0x3000, 0x3000, " "}, {0x3001, 0x3001, ","}, {0x3002, 0x3002, "."}, {0x3008, 0x3011, "[]"}, {0x3014, 0x301b, "[]"},
	{0xfe00, 0xfe0f, ""}, {0xfe10, 0xfe3f, " "}, {0xfeff, 0xfeff, ""}, {0xff01, 0xff5e, "wide"}, // variation selectors, byte order mark, wide ASCII
	{0x1f000, 0x1ffff, " "}, {0xe0000, 0xe0fff, ""}, // pictures, tags
}

// lineTags is what the tags of a line said.
type lineTags struct {
	item    bool // <li> before the content
	heading bool // <h1> before the content
	only    bool // the line has nothing but tags of layout
	denied  bool // a cross, <step skip="true">, or a heading that is struck out
	script  bool // the line may have letters of a script without spaces
}

// tag is a tag such as <step n="1"> in the tokens of a line.
type tag struct {
	name       string // lower case
	closes     bool
	end        int // the token after it
	attributes []attribute
}

type attribute struct{ name, from, to int } // tokens: the name, and the value between its quotes

// maxTagTokens bounds the tokens of a tag.
const maxTagTokens = 64

// tagAt reads a tag at token i; end is 0 if there is none.
func (l *lineReader) tagAt(i int) (t tag) {
	if i++; l.punct(i) == '/' {
		t.closes = true
		i++
	}
	if i >= len(l.toks) || l.toks[i].kind == tokPunct {
		return tag{}
	}
	t.name = strings.ToLower(l.text(i))
	start := i
	if l.info(i).object >= 0 && !t.closes && l.punct(i+1) == '>' && !l.closedLater(i) {
		return tag{} // pick up <b>
	}
	for i++; i < len(l.toks) && i < start+maxTagTokens && l.toks[i].kind == tokWord && l.punct(i+1) == '='; i++ {
		a, quote := attribute{name: i, from: i + 3}, l.punct(i+2)
		if quote != '"' && quote != '\'' {
			return tag{}
		}
		for i = a.from; i < len(l.toks) && i < start+maxTagTokens && l.punct(i) != quote; i++ {
		}
		a.to = i
		t.attributes = append(t.attributes, a)
	}
	if l.punct(i) == '/' {
		i++
	}
	if l.punct(i) == '>' {
		t.end = i + 1
	}
	return t
}

// closedLater reports whether the tag whose name is token i is closed near on the line.
func (l *lineReader) closedLater(i int) bool {
	for k := i + 2; k < len(l.toks) && k < i+maxTagTokens; k++ {
		if l.punct(k) == '<' && l.punct(k+1) == '/' {
			return strings.EqualFold(l.text(k+2), l.text(i))
		}
	}
	return false
}

// untag takes the tags out of the tokens. Between words a tag of layout becomes a comma or a semicolon; a tag whose attributes hold
// an action becomes that step.
func (l *lineReader) untag() {
	out := l.untagged[:0]
	emphasis, content := false, false // content: something that is no sign
	for i := 0; i < len(l.toks); i++ {
		if l.punct(i) != '<' {
			content = content || l.toks[i].kind != tokPunct
			out = append(out, l.toks[i])
			continue
		}
		t := l.tagAt(i)
		if t.end > 0 && len(t.attributes) > 0 {
			if step, ok := l.stepOfTag(&t, out); ok {
				out, content, i = step, true, t.end-1
				continue
			}
		}
		argument := argKeys.has(t.name)
		layout := markupTags.has(t.name) && l.plainAttributes(&t) && !(argument && len(t.attributes) > 0)
		for _, a := range t.attributes { // <step skip="true">
			l.tags.denied = l.tags.denied || a.from < a.to &&
				l.r.denies(l.r.asked(l.text(a.name), false), l.line[l.toks[a.from].start:l.toks[a.to-1].end])
		}
		if t.end == 0 || !layout && !t.closes && l.punct(t.end) != '(' || l.r.word(t.name).class == classNot {
			content = true
			out = append(out, l.toks[i])
			continue
		}
		switch {
		case emphasisTags.has(t.name), argument && layout:
			emphasis = emphasis || !argument
		case !content && !t.closes && t.name == "li":
			l.tags.item = true
		case !content && len(t.name) == 2 && t.name[0] == 'h' && '1' <= t.name[1] && t.name[1] <= '6':
			l.tags.heading = l.tags.heading || !t.closes
		case content && (out[len(out)-1].kind != tokPunct || strings.IndexByte(")]}'\"", out[len(out)-1].punct) >= 0):
			at, sign := l.toks[i].start, byte(',')
			if t.closes || t.name == "br" {
				sign = ';'
			}
			out = append(out, token{at, at, -1, tokPunct, sign, 0})
		}
		i = t.end - 1
	}
	if n := len(out); content && out[n-1].start == out[n-1].end && out[n-1].punct != ')' {
		out = out[:n-1]
	}
	if !content && emphasis {
		return // such a line is no layout
	}
	l.tags.only = !content
	l.toks, l.untagged = out, l.toks
}

// plainAttributes reports whether the attributes of a tag name nothing of the task.
func (l *lineReader) plainAttributes(t *tag) bool {
	return !slices.ContainsFunc(t.attributes, func(a attribute) bool {
		return l.any(a.from, a.to, func(w *wordInfo) bool { return w.action >= 0 || w.object >= 0 })
	})
}

// stepOfTag appends the step in a tag's attributes: <step action="unstack b c"/>, <action name="unstack" args="b c"/>,
// <step action="unstack" block="b" under="c"/>, <unstack block="b" under="c"/>. Attributes must be the action's parameters or call themselves
// arguments, else the step cannot be read.
func (l *lineReader) stepOfTag(t *tag, out []token) ([]token, bool) {
	named := slices.IndexFunc(t.attributes, func(a attribute) bool {
		return a.from < a.to && (l.info(a.from).action >= 0 || l.punct(a.from) == '(')
	})
	name := attribute{to: t.attributes[0].name, from: t.attributes[0].name - 1}
	if named >= 0 {
		name = t.attributes[named]
	} else if l.info(name.from).action < 0 || l.plainAttributes(t) {
		return nil, false
	}
	out = append(out, l.toks[name.from:name.to]...)
	if _, end := l.actionName(name.from); end < name.to || named >= 0 && len(t.attributes) == 1 {
		return out, true
	}
	sign := func(at int, p byte) token { return token{l.toks[at].start, l.toks[at].start, -1, tokPunct, p, 0} }
	out = append(out, sign(name.to, '('))
	for k, b := range t.attributes {
		if k == named || b.from == b.to || l.toks[b.from].kind == tokNumber && l.info(b.from).object < 0 {
			continue // n="1"
		}
		if !argKeys.has(strings.TrimRight(strings.ToLower(l.text(b.name)), "_0123456789")) {
			out = append(out, l.toks[b.name], sign(b.name, '='))
		}
		out = append(append(out, l.toks[b.from:b.to]...), sign(b.to, ','))
	}
	if out[len(out)-1].punct == ',' {
		out = out[:len(out)-1]
	}
	return append(out, sign(t.end-1, ')')), true
}
