package rowjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// encoding/json takes "Id" and "ID" for "id", and of a name given twice the last value. Two
// readers of one row could then see two different rows, and a column that happens to be
// called "Gold" would become gold data. So names are checked here, before it reads a row: all
// that the row holds, also in columns that nobody reads, so that every reader, Python's
// included, refuses the same rows.

// repeated is what is wrong with an object that has a name twice.
func repeated(path string, name []byte) error {
	return Errorf(CodeRepeated, join(path, string(name)), "the member %q is given twice", clipName(string(name)))
}

// clipName bounds a name in a message.
func clipName(name string) string {
	if len(name) > 80 {
		return strings.ToValidUTF8(name[:80], "") + "..."
	}
	return name
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// nameSet is the names of an object so far. The zero value is an empty one.
type nameSet struct {
	seen uint64 // a bit for each hash of a name
	n    int
	few  [24][]byte
	many map[string]bool // beyond few
}

// add reports whether the name is new.
func (s *nameSet) add(name []byte) bool {
	bit := uint64(1)
	if n := len(name); n > 0 {
		bit <<= (uint(n)*7 + uint(name[0])*3 + uint(name[n-1])) & 63
	}
	if s.seen&bit != 0 {
		for _, old := range s.few[:s.n] {
			if bytes.Equal(old, name) {
				return false
			}
		}
		if s.many[string(name)] {
			return false
		}
	}
	s.seen |= bit
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[string(name)] = true
	return true
}

// exactNames returns the text of a value for encoding/json to read into type t: as it is, or a
// copy of the same length in which names that differ from those of t's fields by the case
// of letters are names of nothing. hidden is the first of these. err is about a name given
// twice. What is no JSON is left to encoding/json.
func exactNames(b []byte, t reflect.Type) (text []byte, hidden string, err error) {
	c := &nameChecker{in: b, out: b}
	c.value(SkipSpace(b, 0), t, "", 0)
	return c.out, c.hidden, c.err
}

// Check reports what is wrong with a value that nobody reads: ErrSyntax, or a name given
// twice, a [RowError] with CodeRepeated.
func Check(value []byte) error {
	if !json.Valid(value) {
		return ErrSyntax
	}
	if value[0] != '{' && value[0] != '[' {
		return nil
	}
	_, _, err := exactNames(value, anything)
	return err
}

var anything = reflect.TypeFor[any]()

type nameChecker struct {
	in, out []byte // out is in, or a copy
	hidden  string
	err     error
}

// maxNameDepth is beyond the nesting that encoding/json reads.
const maxNameDepth = 10_001

// value checks the value that begins at i and returns the place after it, -1 for none.
func (c *nameChecker) value(i int, t reflect.Type, path string, depth int) int {
	if i >= len(c.in) || depth > maxNameDepth {
		return -1
	}
	if c.in[i] != '{' && c.in[i] != '[' {
		return skipValue(c.in, i)
	}
	if !hasNames(t) {
		t = anything
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := t.Kind()
	isList := kind == reflect.Slice || kind == reflect.Array
	if c.in[i] == '{' {
		if isList {
			t = anything
		}
		return c.object(i, t, path, depth)
	}
	if isList {
		t = t.Elem()
	} else {
		t = anything
	}
	return c.list(i, t, path, depth)
}

func (c *nameChecker) list(i int, t reflect.Type, path string, depth int) int {
	if i = SkipSpace(c.in, i+1); i < len(c.in) && c.in[i] == ']' {
		return i + 1
	}
	for {
		end := c.value(i, t, path, depth+1)
		if end < 0 {
			return -1
		}
		if i = SkipSpace(c.in, end); i >= len(c.in) {
			return -1
		}
		switch c.in[i] {
		case ']':
			return i + 1
		case ',':
			i = SkipSpace(c.in, i+1)
		default:
			return -1
		}
	}
}

func (c *nameChecker) object(i int, t reflect.Type, path string, depth int) int {
	if i = SkipSpace(c.in, i+1); i < len(c.in) && c.in[i] == '}' {
		return i + 1
	}
	var names nameSet
	for {
		if i >= len(c.in) || c.in[i] != '"' {
			return -1
		}
		end := skipString(c.in, i)
		if end < 0 {
			return -1
		}
		name, err := nameText(c.in[i:end])
		if err != nil {
			return -1
		}
		if !names.add(name) && c.err == nil {
			c.err = repeated(path, name)
		}
		of := c.member(name, i, end, t)
		if i = SkipSpace(c.in, end); i >= len(c.in) || c.in[i] != ':' {
			return -1
		}
		i = SkipSpace(c.in, i+1)
		inner := path
		if i < len(c.in) && (c.in[i] == '{' || c.in[i] == '[') {
			inner = join(path, string(name))
		}
		if end = c.value(i, of, inner, depth+1); end < 0 {
			return -1
		}
		if i = SkipSpace(c.in, end); i >= len(c.in) {
			return -1
		}
		switch c.in[i] {
		case '}':
			return i + 1
		case ',':
			i = SkipSpace(c.in, i+1)
		default:
			return -1
		}
	}
}

// member returns the type that the value of a name is read into, nil for none. It hides a
// name that only encoding/json takes for a field's. The name with its quotes is in[from:end].
func (c *nameChecker) member(name []byte, from, end int, t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Interface:
		return t
	case reflect.Map:
		return t.Elem()
	}
	fields := fieldsOf(t)
	if of, ok := fields[string(name)]; ok {
		return of
	}
	for field := range fields {
		if !strings.EqualFold(field, string(name)) {
			continue
		}
		if c.hidden == "" {
			c.hidden = string(name)
		}
		if len(c.out) > 0 && &c.out[0] == &c.in[0] {
			c.out = bytes.Clone(c.in)
		}
		for k := from + 1; k < end-1; k++ {
			c.out[k] = '#'
		}
		break
	}
	return nil
}

// nameText is the text of a name with its quotes.
func nameText(raw []byte) ([]byte, error) {
	if plainName(raw, 0) == len(raw) {
		return raw[1 : len(raw)-1], nil
	}
	text, err := String(raw)
	return []byte(text), err
}

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
	namesKnown sync.Map // reflect.Type -> bool
	fieldLists sync.Map // reflect.Type -> map[string]reflect.Type
)

// hasNames reports whether encoding/json reads names of members into a type. Types that read
// themselves check them.
func hasNames(t reflect.Type) bool {
	if t == nil {
		return false
	}
	if known, ok := namesKnown.Load(t); ok {
		return known.(bool)
	}
	has := false
	p := reflect.PointerTo(t)
	switch {
	case t.Kind() != reflect.Pointer && (p.Implements(jsonReader) || p.Implements(textReader)), t.Implements(jsonReader):
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map || t.Kind() == reflect.Interface:
		has = true
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Pointer:
		has = hasNames(t.Elem())
	}
	namesKnown.Store(t, has)
	return has
}

// fieldsOf returns the names that encoding/json knows in a struct, with their types.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := fieldLists.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	addFields(fields, t)
	fieldLists.Store(t, fields)
	return fields
}

func addFields(fields map[string]reflect.Type, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			addFields(fields, inner)
		case !f.IsExported():
		case name != "":
			fields[name] = f.Type
		default:
			fields[f.Name] = f.Type
		}
	}
}
