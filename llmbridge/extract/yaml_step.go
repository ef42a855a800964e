package extract

import (
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// Steps that stand on several lines.

// A mapping of YAML, "- action: unstack" above "args: [b, c]", "block: b" or a list of arguments, is read as the JSON
// object that it means.

// yamlStep reads the mapping whose first line is text[at:end], and returns the end of its last line.
func (o *outline) yamlStep(at, end int) (int, bool) {
	column, key, action, _ := yamlMember(o.text[at:end], true)
	unknown := o.r.word(action).action < 0
	if !actionKeys.has(strings.ToLower(key)) || unknown && !o.nextStep(at, key, action) {
		return 0, false
	}
	step := jsonNode{kind: '{', items: []jsonNode{{kind: '"', key: strings.ToLower(key), text: action}}}
	end = lineEnd(o.text, at)
	var list *jsonNode // the member whose items stand below it
	for end < len(o.text) {
		line := o.text[end+1 : lineEnd(o.text, end+1)]
		item, isItem := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
		if c, key, value, ok := yamlMember(line, false); ok && c >= column && !actionKeys.has(strings.ToLower(key)) {
			step.items = append(step.items, jsonNode{kind: '"', key: strings.ToLower(key), text: value})
			if list = nil; value == "" {
				list = &step.items[len(step.items)-1]
				list.kind = '['
			}
		} else if isItem && list != nil && len(line)-len(item)-2 >= column {
			list.items = append(list.items, jsonNode{kind: '"', text: strings.Trim(item, " \t\r\"'")})
		} else {
			break
		}
		end = lineEnd(o.text, end+1)
	}
	if len(step.items) == 1 && !unknown {
		return 0, false
	}
	step.end = end - at
	o.jsonStep(&step, at)
	o.line += int32(strings.Count(o.text[at:end], "\n"))
	return end, true
}

// nextStep reports whether an action that is none of the domain stands, in a list of such mappings, behind a step at byte at:
// "- action: smash".
func (o *outline) nextStep(at int, key, action string) bool {
	if len(o.entries) == 0 || action == "" || strings.ContainsAny(action, " ([{") {
		return false
	}
	last := &o.entries[len(o.entries)-1]
	before, line := o.text[last.start:last.end], o.text[at:lineEnd(o.text, at)]
	mark := line[:strings.Index(line, key)+len(key)]
	return last.kind == entryItem && strings.Contains(mark, "- ") && strings.HasPrefix(strings.TrimLeft(before, " "), strings.TrimLeft(mark, " ")) && strings.TrimSpace(o.text[last.end:at]) == ""
}

var notInKey = signsIn(" \t([{`*")

// yamlMember reads a line "key: value", after "- " if it may begin an item. The column is that of the key.
func yamlMember(line string, begins bool) (column int, key, value string, ok bool) {
	const longestKey = 40
	rest := strings.TrimLeft(line, " ")
	if begins {
		rest = strings.TrimPrefix(rest, "- ")
	}
	k := strings.IndexByte(rest[:min(len(rest), longestKey)], ':')
	if k <= 0 || strings.ContainsFunc(rest[:k], func(c rune) bool { return c < 0x80 && notInKey[c] }) {
		return 0, "", "", false
	}
	return len(line) - len(rest), strings.Trim(rest[:k], `"'`), strings.Trim(strings.TrimSpace(rest[k+1:]), `"'`), true
}

// argumentLine is a line with a key and a value, "- **Block**: b".
var argumentLine = pattern.New(`^[ \t>]*(?:[-+*•][ \t]+)?[*_]*\??([\pL][\pL\d _-]{0,40}?)[*_]*[ \t]*[:=][*_]*[ \t]*(.*)$`)

// argumentsBelow gives the arguments to the last entry, which names an action alone, if they stand on the lines below
// it, text[at:], each with its name or all on one: "1. **sail**" above "   - from: harbor". It returns the end of the last one.
func (o *outline) argumentsBelow(at int) (int, bool) {
	if below := o.text[at+1 : lineEnd(o.text, at+1)]; strings.IndexByte(below, ':') < 0 && strings.IndexByte(below, '=') < 0 {
		return 0, false // most lines
	}
	e := &o.entries[len(o.entries)-1]
	action := o.actionAlone(o.text[e.start:e.end])
	if action < 0 || o.r.actions[action].arity == 0 {
		return 0, false
	}
	a := &o.r.actions[action]
	var keys, values []string
	for len(values) < a.arity {
		if at >= len(o.text) {
			return 0, false
		}
		end := lineEnd(o.text, at+1)
		line := argumentLine.FindStringSubmatch(strings.TrimRight(o.text[at+1:end], "\r"))
		if at = end; line == nil {
			return 0, false
		}
		key, list := strings.ToLower(line[1]), argKeys.has(strings.ToLower(line[1]))
		if line[2] == "" && (!list || len(values) > 0) {
			return 0, false // but "Parameters:" above them
		}
		for name := range strings.FieldsFuncSeq(line[2], func(c rune) bool { return strings.ContainsRune(" \t,;()[]`\"'*", c) }) {
			if o.r.word(strings.ToLower(name)).object < 0 {
				return 0, false
			}
			keys, values = append(keys, key), append(values, name)
		}
		if list && len(values) == a.arity {
			keys = a.params
		}
	}
	order, ok := a.arguments(keys)
	if !ok {
		return 0, false
	}
	step := "(" + a.name
	for _, k := range order {
		step += " " + o.r.objects[o.r.word(strings.ToLower(values[k])).object].name
	}
	o.steps[e.from] = step + ")"
	o.line += int32(strings.Count(o.text[e.end:at], "\n"))
	e.itemFlags, e.odd, e.end = itemFlags{label: e.label, action: e.label, formal: true}, false, int32(at)
	return at, true
}

// actionAlone returns the action that a line names without any arguments, -1 if it does not.
func (o *outline) actionAlone(raw string) int32 {
	o.load(raw)
	var h lineHead
	o.head(raw, &h)
	i, _ := o.skipLeads(h.at, false)
	action, end := o.actionName(i)
	for o.punct(end) == ':' || o.punct(end) == '.' || o.punct(end) == ')' {
		end++
	}
	if end < len(o.toks) || o.tags.denied {
		return -1
	}
	return action
}

// lineEnd returns the end of the line at byte at.
func lineEnd(text string, at int) int {
	if k := strings.IndexByte(text[at:], '\n'); k >= 0 {
		return at + k
	}
	return len(text)
}
