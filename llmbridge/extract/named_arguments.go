package extract

import (
	"slices"
	"strings"
)

// Arguments with names, and arguments in the cells of a table.

// named reads arguments with names, "block=a, under=b" or "?x: a", in any order up to the closing
// bracket. The names must be the action's parameters, each once; otherwise it returns false.
func (l *lineReader) named(f *found, action int32, i int) (end int, ok bool) {
	params := l.r.actions[action].params
	if len(params) > maxArgs {
		return i, false
	}
	given := f.args[:len(params)]
	clear(given)
	for n := 0; ; n++ {
		if l.punct(i) == '?' {
			i++
		}
		k := -1
		if i < len(l.toks) {
			k = slices.IndexFunc(params, func(p string) bool { return strings.EqualFold(p, l.text(i)) })
		}
		if k < 0 || given[k].end > 0 || l.punct(i+1) != '=' && l.punct(i+1) != ':' {
			return i, false
		}
		arg, end, ok := l.formalObject(i + 2)
		if !ok {
			return i, false
		}
		given[k] = arg
		switch i = end; {
		case l.punct(i) == ')' && n+1 == len(params):
			f.args = given
			return i + 1, true
		case l.punct(i) == ',':
			i++
		case l.punct(i) == ')':
			return i, false
		}
	}
}

// givesName reports whether the argument at token i has a name.
func (l *lineReader) givesName(i int) bool {
	if l.punct(i) == '?' {
		i++
	}
	p := l.punct(i + 1)
	return p == '=' || p == ':'
}

// cell returns the first token of the next cell of a table, at token i, that is not empty, if it holds only objects:
// "| Unstack | a | b |", "| Unstack | a, b |", "| move | | 1 -> 2 |". It returns 0 for another cell.
func (l *lineReader) cell(i int) int {
	if l.punct(i) != '|' || l.punct(0) != '|' {
		return 0
	}
	for l.punct(i+1) == '|' || l.punct(i+1) == '-' && l.punct(i+2) == '|' {
		i++
	}
	_, end, ok := l.name(i + 1)
	for ok && l.punct(end) != '|' && end < len(l.toks) {
		if l.punct(end) == ',' {
			end++
		} else if next := l.arrow(end); next > 0 {
			end = next
		}
		_, end, ok = l.name(end)
	}
	if !ok {
		return 0
	}
	return i + 1
}
