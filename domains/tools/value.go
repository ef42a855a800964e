package tools

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/rowjson"
)

// kind is the kind of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindObject
)

// A Value is an argument: a JSON value whose objects are sorted by name.
type Value struct {
	kind  kind
	text  string // of a text, a number or a truth value
	names []string
	parts []Value
}

// maxDepth bounds the nesting of arguments.
const maxDepth = 64

// maxValues bounds the values in the arguments of a plan.
const maxValues = 200_000

// readValue reads one value.
func readValue(raw json.RawMessage) (Value, error) {
	read := 0
	return countValues(&read, raw, 0)
}

// countValues reads a value and counts those in it: rows may be large, and a Value takes many times its text.
func countValues(read *int, raw json.RawMessage, depth int) (Value, error) {
	if *read++; *read > maxValues {
		return Value{}, fmt.Errorf("more than %d values", maxValues)
	}
	if depth > maxDepth {
		return Value{}, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	at := rowjson.SkipSpace(raw, 0)
	if at == len(raw) {
		return Value{}, rowjson.ErrSyntax
	}
	switch raw = raw[at:]; raw[0] {
	case '"':
		text, err := rowjson.String(raw)
		return Value{kind: kindText, text: strings.TrimSpace(text)}, err
	case '{':
		return readObject(read, raw, depth)
	case '[':
		items, _, err := rowjson.Elements[json.RawMessage](raw, maxValues+1)
		v := Value{kind: kindList}
		for _, item := range items {
			part, fault := countValues(read, item, depth+1)
			if fault != nil {
				return v, fault
			}
			v.parts = append(v.parts, part)
		}
		return v, err
	}
	switch word := strings.TrimSpace(string(raw)); {
	case word == "null":
		return Value{}, nil
	case word == "true" || word == "false":
		return Value{kind: kindBool, text: word}, nil
	case rowjson.Valid(raw):
		return Value{kind: kindNumber, text: number(word)}, nil
	}
	return Value{}, rowjson.ErrSyntax
}

func readObject(read *int, raw json.RawMessage, depth int) (Value, error) {
	v := Value{kind: kindObject}
	err := rowjson.EachMember(raw, func(name string, value []byte) error {
		part, err := countValues(read, value, depth+1)
		v.names, v.parts = append(v.names, name), append(v.parts, part)
		return err
	})
	sort.Sort(byName{&v})
	return v, err
}

type byName struct{ *Value }

func (v byName) Len() int           { return len(v.names) }
func (v byName) Less(i, j int) bool { return v.names[i] < v.names[j] }
func (v byName) Swap(i, j int) {
	v.names[i], v.names[j] = v.names[j], v.names[i]
	v.parts[i], v.parts[j] = v.parts[j], v.parts[i]
}

// Member returns a member of an object.
func (v *Value) Member(name string) (*Value, bool) {
	if i := sort.SearchStrings(v.names, name); v.kind == kindObject && i < len(v.names) && v.names[i] == name {
		return &v.parts[i], true
	}
	return nil, false
}

// Text returns a text, number or truth value as a text.
func (v *Value) Text() (string, bool) {
	return v.text, v.kind == kindText || v.kind == kindNumber || v.kind == kindBool
}

// reference is how arguments refer to the result of an earlier step: "$0.id", "${0.id}", "{0.id}", "<0.id>", "#E1" or
// "#0.id". The number is the id of the step, in "#E1" its place from 1 on.
var reference = pattern.New(`^(?:\$\{?|\{|<|#)(E?)([0-9]{1,6})((?:\.[\w-]+|\[[0-9]+\])*)[}>]?$`)

// Reference is a use of an earlier step's result: a field of it, or the whole if Path is "".
type Reference struct {
	Step int // id
	Path string
}

// Reference returns what a text refers to, and whether it refers to anything.
func (v *Value) Reference() (Reference, bool) {
	if v.kind != kindText {
		return Reference{}, false
	}
	m := reference.FindStringSubmatch(v.text)
	if m == nil {
		return Reference{}, false
	}
	id, err := strconv.Atoi(m[2])
	if m[1] != "" {
		id--
	}
	return Reference{id, strings.TrimPrefix(m[3], ".")}, err == nil && id >= 0
}

// references calls visit with the step of each reference.
func (v *Value) references(visit func(id int) bool) {
	if r, ok := v.Reference(); ok {
		visit(r.Step)
	}
	for i := range v.parts {
		v.parts[i].references(visit)
	}
}

// canonical writes a value so that equal ones are the same text. A reference to a known step is written as its call.
func (v *Value) canonical(call func(id int) (int, bool)) string {
	var b []byte
	return string(v.appendCanonical(b, call))
}

func (v *Value) appendCanonical(b []byte, call func(id int) (int, bool)) []byte {
	switch v.kind {
	case kindNull:
		return append(b, "null"...)
	case kindText:
		if r, ok := v.Reference(); ok {
			if c, known := call(r.Step); known {
				return fmt.Appendf(b, "<%d.%q>", c, r.Path)
			}
		}
		return rowjson.AppendText(b, v.text)
	case kindList:
		b = append(b, '[')
		for i := range v.parts {
			b = append(v.parts[i].appendCanonical(b, call), ',')
		}
		return append(b, ']')
	case kindObject:
		b = append(b, '{')
		for i := range v.parts {
			b = append(rowjson.AppendText(b, v.names[i]), ':')
			b = append(v.parts[i].appendCanonical(b, call), ',')
		}
		return append(b, '}')
	}
	return append(b, v.text...)
}

// JSON returns the value as JSON, members sorted.
func (v *Value) JSON() []byte { return v.appendJSON(nil) }

func (v *Value) appendJSON(b []byte) []byte {
	switch v.kind {
	case kindNull:
		return append(b, "null"...)
	case kindText:
		return rowjson.AppendText(b, v.text)
	case kindList, kindObject:
		open, shut := byte('['), byte(']')
		if v.kind == kindObject {
			open, shut = '{', '}'
		}
		b = append(b, open)
		for i := range v.parts {
			if i > 0 {
				b = append(b, ',')
			}
			if v.kind == kindObject {
				b = append(rowjson.AppendText(b, v.names[i]), ':')
			}
			b = v.parts[i].appendJSON(b)
		}
		return append(b, shut)
	}
	return append(b, v.text...)
}
