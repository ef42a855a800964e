package extract

import (
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// jsonNode is a value of JSON, or of a literal as Python and JavaScript write it, with its place in the answer.
//
// This is not the scanner of internal/rowjson, which takes whole rows apart and refuses what is not
// JSON. Here a value begins somewhere in prose, and every step in it needs its line in the answer.
type jsonNode struct {
	kind    byte // '{', '[', '"' or 0 for other values
	text    string
	key     string // of a member
	at, end int    // bytes from the start of the outermost value
	items   []jsonNode
}

const (
	maxJSONDepth = 32
	maxJSONNodes = 1 << 20
)

// jsonReader reads the value at the start of a text. Beyond JSON it takes single quotes, tuples, comments and trailing
// commas.
type jsonReader struct {
	text      string
	at, nodes int
}

// space skips white space and comments.
func (p *jsonReader) space() {
	for p.at < len(p.text) {
		switch rest := p.text[p.at:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			if k := strings.IndexByte(rest, '\n'); k >= 0 {
				p.at += k
			} else {
				p.at = len(p.text)
			}
		default:
			return
		}
	}
}

// take skips white space and then a sign, if it stands there.
func (p *jsonReader) take(sign byte) bool {
	if p.space(); p.at == len(p.text) || p.text[p.at] != sign {
		return false
	}
	p.at++
	return true
}

// value reads one value. It returns false if there is none.
func (p *jsonReader) value(depth int) (n jsonNode, ok bool) {
	p.space()
	if p.nodes++; p.at == len(p.text) || depth > maxJSONDepth || p.nodes > maxJSONNodes {
		return n, false
	}
	n.at = p.at
	switch c := p.text[p.at]; c {
	case '{', '[':
		n.kind = c
		n.items, ok = p.items(c+2, depth)
	case '(':
		n.kind = '['
		n.items, ok = p.items(')', depth)
	case '"', '\'':
		n.kind = '"'
		n.text, ok = p.quoted(c)
	default:
		for p.at < len(p.text) && byteClass[p.text[p.at]] >= classDash || p.at < len(p.text) && strings.IndexByte(".+", p.text[p.at]) >= 0 {
			p.at++
		}
		word := p.text[n.at:p.at]
		switch ok = true; word {
		case "null", "None":
		case "true", "false", "True", "False":
			n.text = word
		default:
			n.text, ok = word, rowjson.IsNumber(word)
		}
	}
	n.end = p.at
	return n, ok
}

// items reads the members of an object, or the items of a list, and the sign that closes it.
func (p *jsonReader) items(shut byte, depth int) (items []jsonNode, ok bool) {
	for p.at++; !p.take(shut); {
		key := ""
		if shut == '}' {
			k, ok := p.value(depth + 1)
			if !ok || k.kind != '"' || !p.take(':') {
				return nil, false
			}
			key = strings.ToLower(k.text)
		}
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		v.key = key
		items = append(items, v)
		if !p.take(',') {
			return items, p.take(shut)
		}
	}
	return items, true
}

// quoted reads a text in quotes.
func (p *jsonReader) quoted(quote byte) (string, bool) {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\n':
			return "", false
		case '\\':
			p.at++
		case quote:
			p.at++
			text := p.text[start+1 : p.at-1]
			if strings.IndexByte(text, '\\') >= 0 {
				return text, quote == '"' && rowjson.Unmarshal([]byte(p.text[start:p.at]), &text, false) == nil
			}
			return text, true
		}
	}
	return "", false
}

// decodeJSON reads the value at the start of a text. It returns how many bytes it read.
func decodeJSON(text string) (n jsonNode, size int, ok bool) {
	p := jsonReader{text: text}
	n, ok = p.value(0)
	return n, min(p.at, len(text)), ok
}

// jsonText reads a string that holds JSON, like the arguments of a tool call.
func jsonText(m jsonNode) jsonNode {
	t := strings.TrimSpace(m.text)
	if v, size, ok := decodeJSON(t); ok && size == len(t) && (v.kind == '{' || v.kind == '[') {
		return v
	}
	return m
}

// jsonIn returns the byte at which a JSON list or object may begin on a line, or -1: at the first sign, or behind the
// name of a function, submit_plan([
func jsonIn(line string) int {
	at := 0
	if strings.HasPrefix(line, "<") { // <tool_call>{...}
		if at = strings.IndexByte(line[:min(len(line), maxTag)], '>') + 1; at == 0 || !callTags.has(line[1:at-1]) {
			return -1
		}
	} else if startsText(line) {
		if at = strings.IndexByte(line, '(') + 1; at == 0 || !planCalls.has(line[:at-1]) {
			return -1
		}
	}
	at += skip(line[at:], &lineIndent)
	if at == len(line) || line[at] != '[' && line[at] != '{' {
		return -1
	}
	rest := strings.TrimLeft(line[at+1:], " \t\r")
	if rest == "" || strings.IndexByte("[{\"']}", rest[0]) >= 0 {
		return at
	}
	return -1
}
