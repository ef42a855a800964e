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

// keyFits are the ways in which a key can name a parameter, best first: by the parameter's name, by a word of it ("new
// direction" for ?d_new), and by its type.
var keyFits = []func(a *actionInfo, key string, k int) bool{
	func(a *actionInfo, key string, k int) bool { return strings.TrimPrefix(key, "?") == a.params[k] },
	func(a *actionInfo, key string, k int) bool {
		parts := slices.Collect(words(a.params[k]))
		return slices.ContainsFunc(slices.Collect(words(key)), func(w string) bool { return len(w) > 1 && slices.Contains(parts, w) })
	},
	func(a *actionInfo, key string, k int) bool {
		return a.types[k] != "" && slices.Contains(slices.Collect(words(key)), a.types[k])
	},
}

// hasParameter reports whether a key may name a parameter of the action.
func (a *actionInfo) hasParameter(key string) bool {
	for k := range a.params {
		for _, fits := range keyFits {
			if fits(a, key, k) {
				return true
			}
		}
	}
	return false
}

// arguments returns the key of each parameter. A key names the only parameter left that it fits, if no other key left fits
// that one; every key must name one.
func (a *actionInfo) arguments(keys []string) (order []int, ok bool) {
	if len(keys) != len(a.params) || len(keys) > maxArgs {
		return nil, false
	}
	order = slices.Repeat([]int{-1}, len(keys))
	for _, fits := range keyFits {
		for range keys {
			for i, key := range keys {
				k := only(len(keys), func(k int) bool { return order[k] < 0 && fits(a, key, k) })
				if k >= 0 && !slices.Contains(order, i) && only(len(keys), func(n int) bool { return !slices.Contains(order, n) && fits(a, keys[n], k) }) >= 0 {
					order[k] = i
				}
			}
		}
	}
	return order, !slices.Contains(order, -1)
}

// only returns the one number below n that has a property, -1 if none or several have it.
func only(n int, has func(int) bool) int {
	found := -1
	for k := range n {
		if has(k) {
			if found >= 0 {
				return -1
			}
			found = k
		}
	}
	return found
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
// "| Unstack | a | b |", "| Unstack | a, b |", "| move | | 1 -> 2 |", "| move | - | 1 to 2 |". It returns 0 for another cell.
func (l *lineReader) cell(i int) int {
	if l.punct(i) != '|' || l.punct(0) != '|' {
		return 0
	}
	for l.punct(i+1) == '|' || l.punct(i+1) == '-' && l.punct(i+2) == '|' {
		i++
	}
	_, end, ok := l.name(i + 1)
	for ok && l.punct(end) != '|' && end < len(l.toks) {
		if l.punct(end) == ',' || l.wordAt(end, wordTo) {
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

// cellSpan says where the arguments of a step stand in a row of a table, in columns behind the action's: the last of them,
// and the next column with objects, 0 for none.
type cellSpan struct{ last, over int8 }

// spans notes the columns of a step whose action's name ends before token i, and its arguments before token end.
func (l *lineReader) spans(i, end int) {
	column := func(end int) (n int8) {
		for _, t := range l.toks[i:end] {
			if t.punct == '|' && n < maxColumns {
				n++
			}
		}
		return n
	}
	l.cells.last = max(l.cells.last, column(end))
	if next := l.cell(end); next > 0 {
		l.cells.over = column(next)
	}
}
