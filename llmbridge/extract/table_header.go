package extract

import (
	"slices"
	"strconv"
	"strings"
)

// header keeps what it says about columns up to date, line by line. A row without a step is the header of the rows below
// it if it names a column of actions; a line that is no row ends the table.
func (o *outline) header(line string, item bool) {
	if line != "" && line[0] <= ' ' {
		line = strings.TrimSpace(line)
	}
	if !strings.HasPrefix(line, "|") {
		o.columns, o.doubtful = maxColumns, o.doubtful[:0]
		return
	}
	if item {
		return
	}
	at, last, column := int8(-1), 0, int8(-1) // at counts the columns after the action's
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		if column++; column == 0 && strings.Trim(cell, " :-") != "" {
			o.doubtful = o.doubtful[:0]
		}
		if kind := o.r.asked(cell, true); kind != asksNothing && column < maxColumns {
			o.doubtful = append(o.doubtful, doubtfulColumn{column, kind})
		}
		words := strings.FieldsFunc(strings.ToLower(cell), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
		if at >= 0 {
			if at++; at < o.columns && !o.plainColumn(words, int(at), &last) {
				o.columns = at - 1
			}
		} else if len(words) > 0 && actionColumns.has(words[0]) {
			at, o.columns = 0, maxColumns
		}
	}
}

// doubtfulColumn is a column that says of each row whether its step is to be done.
type doubtfulColumn struct {
	at   int8
	kind answerKind
}

const maxColumns = 100

// deniedRow reports whether a row of a table says that its step is not to be done. Steps in a column of rejected ones
// are not.
func (o *outline) deniedRow(line string) bool {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for _, c := range o.doubtful {
		if int(c.at) < len(cells) && (o.r.denies(c.kind, cells[c.at]) || c.kind == asksNo && strings.Contains(cells[c.at], "(")) {
			return true
		}
	}
	return false
}

// plainColumn reports whether the words above a column allow that it holds the action's argument number
// at. Numbers in the header must go up.
func (o *outline) plainColumn(words []string, at int, last *int) bool {
	for i, w := range words {
		digits := strings.TrimLeft(w, "abcdefghijklmnopqrstuvwxyz")
		w = w[:len(w)-len(digits)]
		if digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil || n <= *last {
				return false
			}
			*last = n
		}
		switch info := o.r.word(w); {
		case w == "" || argumentColumns.has(w):
		case i == 0 && stateColumns.has(w):
			return false
		case info.noun || info.fact ||
			slices.ContainsFunc(o.r.actions, func(a actionInfo) bool { return slices.Contains(a.params, w) }):
		case ordinals[w] > 0:
			if ordinals[w] != at {
				return false
			}
		case at == 1:
			return false
		}
	}
	return true
}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4}
