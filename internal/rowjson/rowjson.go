// Package rowjson reads and writes all JSON of this program, rows of JSON Lines above all, and
// words what is wrong with a row. Rows come from people's scripts: messages speak of members and
// JSON kinds, never of the types of this program.
//
// It is encoding/json with stricter names: they match exactly, and none is given twice in an
// object. [Unmarshal] reads a value into a type, [EachMember] and [ScanObject] take an object
// apart without copying it, [Tokens] knows the place of each token, and [Values] reads values
// that follow each other. [AppendValue] and [WriteLine] write.
package rowjson

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// BOM is the byte order mark that some editors put before the first row.
const BOM = "\xef\xbb\xbf"

// Fault words an error of encoding/json about a row.
func Fault(err error) string {
	if in := (*RowError)(nil); errors.As(err, &in) {
		return err.Error()
	}
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) {
		if name, ok := unknownMember(err); ok {
			return "the row has an unknown member " + name
		}
		return err.Error() // syntax: "invalid character 'b' looking for ..."
	}
	if t.Field == "" {
		return "not a JSON object but a JSON " + t.Value
	}
	if strings.HasPrefix(t.Value, "number ") && kind(t.Type) == "a number" { // 1.5, or too many digits
		return fmt.Sprintf("%s is a JSON %s, not an integer of at most 64 bits", t.Field, t.Value)
	}
	return fmt.Sprintf("%s is a JSON %s, not %s", t.Field, t.Value, kind(t.Type))
}

// Reading words an error of the scanner that reads rows of at most limit bytes.
func Reading(err error, limit int) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("the row is longer than %d MB", limit>>20)
	}
	return err
}

// kind names the JSON kind that a Go type is read from.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return kind(t.Elem())
	}
	return "a number"
}
