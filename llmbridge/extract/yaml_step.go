package extract

import "strings"

// A step as a mapping of YAML stands on several lines, "- action: unstack" above "args: [b, c]", "block: b" or a list
// of arguments. It is read as the JSON object that it means.

// yamlStep reads the mapping whose first line is text[at:end], and returns the end of its last line.
func (o *outline) yamlStep(at, end int) (int, bool) {
	column, key, action, _ := yamlMember(o.text[at:end], true)
	if o.r.word(action).action < 0 || !actionKeys[strings.ToLower(key)] {
		return 0, false
	}
	step := jsonNode{kind: '{', items: []jsonNode{{kind: '"', key: strings.ToLower(key), text: action}}}
	end = lineEnd(o.text, at)
	var list *jsonNode // the member whose items stand below it
	for end < len(o.text) {
		line := o.text[end+1 : lineEnd(o.text, end+1)]
		item, isItem := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
		if c, key, value, ok := yamlMember(line, false); ok && c >= column {
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
	if len(step.items) == 1 {
		return 0, false
	}
	step.end = end - at
	o.jsonStep(&step, at)
	o.line += int32(strings.Count(o.text[at:end], "\n"))
	return end, true
}

// yamlMember reads a line "key: value", after "- " if it may begin an item. The column is that of the key.
func yamlMember(line string, begins bool) (column int, key, value string, ok bool) {
	const longestKey = 40
	rest := strings.TrimLeft(line, " ")
	if begins {
		rest = strings.TrimPrefix(rest, "- ")
	}
	k := strings.IndexByte(rest[:min(len(rest), longestKey)], ':')
	if k <= 0 || strings.ContainsAny(rest[:k], " \t([{`*") {
		return 0, "", "", false
	}
	return len(line) - len(rest), strings.Trim(rest[:k], `"'`), strings.Trim(strings.TrimSpace(rest[k+1:]), `"'`), true
}

// lineEnd returns the end of the line at byte at.
func lineEnd(text string, at int) int {
	if k := strings.IndexByte(text[at:], '\n'); k >= 0 {
		return at + k
	}
	return len(text)
}
