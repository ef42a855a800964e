package extract

import (
	"encoding/json"
	"errors"
	"strings"
)

// jsonNode is a JSON value with its place in the answer.
//
// This is not the scanner of internal/rowjson, which takes whole rows apart and refuses what is not
// JSON. Here a value begins somewhere in prose, may be Python rather than JSON (program_literal.go),
// and every step in it needs its line in the answer.
type jsonNode struct {
	kind  byte // '{', '[', '"' or 0 for other values
	text  string
	key   string // of a member
	at    int    // in bytes from the start of the outermost value
	end   int
	items []jsonNode
}

const (
	maxJSONDepth = 32
	maxJSONNodes = 1 << 20
)

var errTooDeep = errors.New("nested too deeply")

// decodeJSON reads the value at the start of a text and returns its size in bytes.
func decodeJSON(text string) (jsonNode, int, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	nodes := 0
	v, err := readJSON(dec, 0, &nodes)
	return v, int(dec.InputOffset()), err
}

func readJSON(dec *json.Decoder, depth int, nodes *int) (jsonNode, error) {
	t, err := dec.Token()
	if err != nil {
		return jsonNode{}, err
	}
	return readJSONToken(dec, t, depth, nodes)
}

func readJSONToken(dec *json.Decoder, t json.Token, depth int, nodes *int) (jsonNode, error) {
	if *nodes++; depth > maxJSONDepth || *nodes > maxJSONNodes {
		return jsonNode{}, errTooDeep
	}
	n := jsonNode{at: int(dec.InputOffset())}
	switch t := t.(type) {
	case json.Delim:
		n.kind = byte(t)
		n.at--
		for dec.More() {
			key := ""
			if t == '{' {
				k, err := dec.Token()
				if err != nil {
					return n, err
				}
				key, _ = k.(string)
			}
			v, err := readJSON(dec, depth+1, nodes)
			if err != nil {
				return n, err
			}
			v.key = strings.ToLower(key)
			n.items = append(n.items, v)
		}
		_, err := dec.Token()
		n.end = int(dec.InputOffset())
		return n, err
	case string:
		// The offset is after the string, which escapes make longer than t.
		n.kind, n.text, n.end = '"', t, n.at
		n.at -= min(n.at, len(t)+2)
	case json.Number:
		n.text = t.String()
	}
	return n, nil
}

// jsonText reads a string that holds JSON, like the arguments of a tool call.
func jsonText(m jsonNode) jsonNode {
	t := strings.TrimSpace(m.text)
	if t == "" || t[0] != '{' && t[0] != '[' {
		return m
	}
	nodes := 0
	dec := json.NewDecoder(strings.NewReader(t))
	dec.UseNumber()
	v, err := readJSON(dec, 0, &nodes)
	if err != nil || strings.TrimSpace(t[dec.InputOffset():]) != "" {
		return m
	}
	return v
}

// startsJSON reports whether a line may begin a JSON list or object.
func startsJSON(line string) bool {
	i := skipBlank(line, 0)
	if i == len(line) || line[i] != '[' && line[i] != '{' {
		return false
	}
	i = skipBlank(line, i+1)
	return i == len(line) || strings.IndexByte("[{\"']}", line[i]) >= 0
}

func skipBlank(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}
