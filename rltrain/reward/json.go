package reward

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// Bad is the code of a fault in a reward file.
const Bad pddl.Code = "bad-reward"

// Limits of a reward file.
const (
	maxSpecBytes = 64 << 10
	maxSpecDepth = 12
)

// jsonNode is a JSON value with its place.
type jsonNode struct {
	from, to int
	value    any // string, json.Number, bool, nil, []jsonMember or []*jsonNode
}

type jsonMember struct {
	name     string
	from, to int
	node     *jsonNode
}

// specReader reads a reward file and keeps its faults.
type specReader struct {
	src   *pddl.Source
	in    *rowjson.Tokens
	diags pddl.Diagnostics
}

func (r *specReader) fault(from, to int, hint, format string, args ...any) {
	if len(r.diags) >= pddl.MaxDiagnostics {
		return
	}
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: Bad, Source: r.src, Pos: pddl.Pos(from), End: pddl.Pos(to),
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// parse reads the whole text as one JSON value, nil after a fault.
func (r *specReader) parse() *jsonNode {
	if n := len(strings.TrimPrefix(r.src.Text, rowjson.BOM)); n > maxSpecBytes {
		r.fault(0, 0, "", "a reward of %d bytes: at most %d are read", n, maxSpecBytes)
		return nil
	}
	r.in = rowjson.NewTokens(r.src.Text)
	n := r.node(0)
	if n == nil {
		return nil
	}
	if rest, from := r.in.Rest(); rest != "" {
		r.fault(from, from+1, "", "more text after the JSON object")
		return nil
	}
	return n
}

// token returns the next token and its place; false after a fault.
func (r *specReader) token() (tok json.Token, from, to int, ok bool) {
	tok, from, to, err := r.in.Next()
	if err != nil {
		r.fault(from, from, "", "no JSON: %v", err)
		return nil, 0, 0, false
	}
	return tok, from, to, true
}

func (r *specReader) node(depth int) *jsonNode {
	tok, from, to, ok := r.token()
	if !ok {
		return nil
	}
	if depth > maxSpecDepth {
		r.fault(from, to, "", "more than %d levels of JSON", maxSpecDepth)
		return nil
	}
	n := &jsonNode{from: from, to: to, value: tok}
	switch tok {
	case json.Delim('{'):
		members := []jsonMember{}
		for r.in.More() {
			tok, from, to, ok := r.token()
			if !ok {
				return nil
			}
			name, _ := tok.(string) // the decoder accepts nothing else here
			value := r.node(depth + 1)
			if value == nil {
				return nil
			}
			members = append(members, jsonMember{name, from, to, value})
		}
		n.value = members
	case json.Delim('['):
		items := []*jsonNode{}
		for r.in.More() {
			item := r.node(depth + 1)
			if item == nil {
				return nil
			}
			items = append(items, item)
		}
		n.value = items
	default:
		return n
	}
	if _, _, n.to, ok = r.token(); !ok { // the closing bracket
		return nil
	}
	return n
}

// kind names the JSON type of a value.
func (n *jsonNode) kind() string {
	switch n.value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []jsonMember:
		return "an object"
	case []*jsonNode:
		return "a list"
	}
	return "null"
}
