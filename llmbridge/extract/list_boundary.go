package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// remark reports whether a line comments on the item above it, which has steps itself. Below a numbered
// item a remark is indented more or is a bullet; below a bullet it is indented more and is no plain
// step.
func (a *assembler) remark(e *entry) bool {
	if a.cur == nil || !a.own {
		return e.kind != entryItem && a.belowBare(e)
	}
	if e.style == styleNumber || a.fence || a.gap >= gapHead || e.formal && !e.worded && !a.restates(e) {
		return false
	}
	deeper := e.indent > a.indent
	if e.kind == entryItem && e.action && !e.bad && !e.told && !a.restates(e) {
		return false // "Action: ..." names a step wherever it stands
	}
	switch a.cur.style {
	case styleNumber:
		if e.style == styleBare && e.kind == entryItem && !e.bad && !e.told && !e.worded && !e.explains && a.news(e) {
			return false // a step that the list lacks
		}
		if a.part && !a.passed && e.style == styleBullet && e.kind == entryItem && (!e.bad || e.firm) && !e.told && !e.label && e.indent == a.indent && !a.restates(e) {
			return false // another step below the same line
		}
		if e.adds && a.gap <= gapBlank {
			return false // "- and also lift c"
		}
		if e.style == styleBullet && !deeper && e.kind == entryItem && !e.bad && !e.told && (a.news(e) || e.formal && a.o.entries[a.cur.items[len(a.cur.items)-1]].formal) {
			return false // a step that no line above has, or not said in other words
		}
		return deeper || e.style == styleBullet && a.gap <= gapBlank || e.worded && a.gap == gapNone
	case styleBullet:
		return deeper && (e.kind != entryItem || e.told || e.label || e.odd)
	}
	return false
}

// belowBare reports whether a line comments on the step above it, which has neither number nor bullet:
// such a remark is a heading, a bullet or a state that is indented more.
func (a *assembler) belowBare(e *entry) bool {
	return a.cur != nil && a.cur.style == styleBare && e.indent > a.level && !a.fence && a.gap < gapHead && len(a.cur.items) > 0 && (!e.mention || e.facts) &&
		(e.kind == entryHead || e.style == styleBullet || e.state)
}

// goalStep reports whether item i, behind the label of a state, is a step that the list above it lacks: "Goal for b:
// (pick-up a)".
func (a *assembler) goalStep(i int32) bool {
	e := &a.o.entries[i]
	return a.cur != nil && a.cur.steps > 0 && a.gap <= gapBlank && e.formal && !e.bad && a.news(e)
}

// restates reports whether the steps of an entry are those of the item before it.
func (a *assembler) restates(e *entry) bool {
	last := &a.o.entries[a.cur.items[len(a.cur.items)-1]]
	return slices.Equal(a.o.steps[e.from:e.to], a.o.steps[last.from:last.to])
}

// fenceAt handles a code fence; follows says whether an entry stands before it.
func (a *assembler) fenceAt(i int, follows bool, e *entry) {
	a.drop()
	a.gap = gapFence
	if a.fence && a.outer > 0 && a.outer == len(a.lists) && e.end > e.start {
		a.cur, a.gap = &a.lists[a.outer-1], gapBlank // the fence had no step
	} else if !a.fence && follows && len(a.lists) > 0 && a.nextStep(i) {
		a.cur, a.gap = &a.lists[len(a.lists)-1], gapNone
	} else {
		a.outer = 0
		if !a.fence && a.cur != nil && a.cur.style == styleNumber {
			a.outer = len(a.lists)
		}
		a.cur = nil
	}
	if a.fence = !a.fence; a.fence {
		a.within, a.fences = len(a.lists), a.o.numberAbove(e)
		if e.end > e.start { // no JSON
			a.fenced = int32(i) + 1
		}
	} else {
		a.fenced = 0
	}
}

// nextStep reports whether the code fence of entry i continues the one before it: only a line such as
// "Step 2:" stands between them, and its number is larger than the one above the first fence.
func (a *assembler) nextStep(i int) bool {
	last, e := &a.o.entries[i-1], &a.o.entries[i]
	return last.kind == entryFence && e.end > e.start && last.end > last.start && strings.ContainsAny(a.o.text[last.end:e.start], "0123456789") &&
		a.fences > 0 && a.o.numberAbove(e) > a.fences
}

// numberAbove returns the first number in the line above an entry, skipping blank lines; 0 for none.
func (o *outline) numberAbove(e *entry) int {
	const near, most = 1 << 10, 80 // bytes that are looked at
	above := strings.TrimSpace(o.text[max(0, int(e.start)-near):e.start])
	line := above[strings.LastIndexByte(above, '\n')+1:]
	n, _ := strconv.Atoi(firstNumber.FindString(line[:min(len(line), most)]))
	return n
}

var firstNumber = pattern.New(`[0-9]+`)

// summary reports whether an item may repeat the list above it: it has no number or bullet, does not
// say that the steps are done once more, and no other item follows.
func (a *assembler) summary(i int32, e *entry) bool {
	if e.style != styleBare || int(i)+1 < len(a.o.entries) && a.o.entries[i+1].kind == entryItem {
		return false
	}
	for word := range words(strings.TrimLeft(a.o.text[e.start:e.end], "0123456789")) {
		return !onceMore.has(word)
	}
	return true
}

// repeated reports whether an item has all steps of the current list in one line, as a summary does.
func (a *assembler) repeated(e *entry) bool {
	if int(e.to-e.from) != a.cur.steps || a.cur.bad > 0 || len(a.cur.items) < 2 && !e.label {
		return false
	}
	return slices.Equal(a.o.stepsOf(a.cur), a.o.steps[e.from:e.to])
}

// amid reports whether a line that may order something, "harvest", stands between two steps that are set as it is.
func (a *assembler) amid(i int32, e *entry) bool {
	if !e.counted || e.blank || a.cur == nil || a.cur.style != e.style || a.gap > gapNone || len(a.cur.items) == 0 || int(i)+1 == len(a.o.entries) {
		return false
	}
	next := &a.o.entries[i+1]
	return next.kind == entryItem && !next.bad && !next.blank && next.style == e.style && next.indent == e.indent
}

// title reports whether a line is the title of the step below it: "1. Free the block" above "Action: (unstack a
// b)", "## Step 1: Go to room-2" or "Move ball1:" above "(go robot room-1 room-2)". A title that reads like a step
// ends in a colon or is set as a heading. If it is a step of the domain, the line below must have the same action.
func (a *assembler) title(i int32, e *entry) bool {
	at := int(i) + 1
	if e.formal || at == len(a.o.entries) || e.label && !e.colon {
		return false
	}
	next := &a.o.entries[at]
	if !a.fence && next.kind == entryFence && at+2 < len(a.o.entries) && a.o.entries[at+2].kind == entryFence { // one line in a code fence
		n := &a.o.entries[at+1]
		return n.kind == entryItem && !n.bad && n.formal && n.to-n.from == 1 && (e.bad || e.to-e.from == 1 && a.o.steps[e.from] == a.o.steps[n.from])
	}
	if e.bad && e.heading && e.style == styleBare && next.kind == entryItem && !next.bad && next.style != styleBare && (a.cur == nil || a.cur.style == next.style) && (next.style == styleBullet || a.cur == nil || next.number == a.number+1) {
		return true // "**Go back**" between numbered steps
	}
	if e.bad && (e.style == styleNumber && next.kind == entryItem && !next.bad && next.style == styleNumber && next.indent > e.indent && a.numberedWithin(next, e.number) || a.nested(i, e)) {
		return true // "3. Serve it" above "3.1 serve mug"
	}
	if e.bad && next.kind == entryItem && !next.bad && (next.indent > e.indent || next.style == styleNumber) && a.lettered(e) {
		return true // "I. Take the tower apart" above "1. unstack b c"
	}
	if e.heading && next.kind == entryItem && next.style == styleNumber && next.number == 1 && a.titles(at, e, false) {
		return true // "## Paint north" above "1. open d1"
	}
	if e.gerund && e.style == styleBare && e.colon && next.kind == entryItem && !next.bad {
		return true // "Putting b on c:"
	}
	if next.kind != entryItem || next.bad || next.style == styleNumber && (e.style == styleNumber || !e.bad) {
		return false
	}
	deeper := next.indent > e.indent
	if a.titles(at, e, deeper) {
		return true
	}
	if e.kind == entryNonStep {
		return deeper && next.label && next.style != styleNumber
	}
	if titles := a.cur == nil || a.cur.style != styleNumber || !a.own || a.part; titles && e.bad && e.style == styleNumber && next.to-next.from == 1 &&
		(deeper || e.heading && !next.heading && next.style == styleBare && !next.told) {
		return true // the lines with numbers above are titles, too
	}
	if e.bad && e.style == styleNumber && deeper && next.label && (e.odd || !e.firm || e.colon) {
		return true
	}
	if !e.colon && (!e.heading || next.heading) {
		return false
	}
	if e.bad {
		return e.odd || deeper && next.style != styleNumber || next.formal && !next.told
	}
	return e.to-e.from == 1 && next.to-next.from == 1 && next.formal && e.kind == entryItem && actionOf(a.o.steps[e.from]) == actionOf(a.o.steps[next.from]) && a.o.steps[e.from] != a.o.steps[next.from] ||
		e.to-e.from == 1 && next.formal && next.to > next.from && a.o.steps[e.from] == a.o.steps[next.from] && (deeper || e.heading && e.style == styleNumber && next.style == styleBare)
}

// numberedWithin reports whether an item's number is one within another: "3.1".
func (a *assembler) numberedWithin(e *entry, number int32) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(a.o.text[e.start:e.end], " \t"), strconv.Itoa(int(number))+".")
	return ok && rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

// nested reports whether a numbered line without a step stands above items that are indented more and count from 1: "2. Rebuild".
func (a *assembler) nested(i int32, e *entry) bool {
	if e.style != styleNumber || int(i)+1 == len(a.o.entries) {
		return false
	}
	next := &a.o.entries[i+1]
	return next.kind == entryItem && !next.bad && next.style == styleNumber && next.number == 1 && next.indent > e.indent
}

// lettered reports whether a bullet is a capital letter or a Roman number.
func (a *assembler) lettered(e *entry) bool {
	if e.style != styleBullet {
		return false
	}
	text := strings.TrimLeft(a.o.text[e.start:e.end], " \t*#(")
	end := strings.IndexAny(text, ".)")
	return end > 0 && (end == 1 && 'A' <= text[0] && text[0] <= 'Z' || roman(text[:end]))
}

// titles reports whether an incomplete step in words is the title of steps below it, one of which is complete and has
// its action: "- **Search the chest**" above "  - search chest cellar".
func (a *assembler) titles(at int, e *entry, deeper bool) bool {
	const near = 32 // entries that are looked at
	if e.kind != entryItem || e.bad || e.style == styleNumber || e.to-e.from != 1 || !deeper && (!e.heading || a.o.entries[at].heading) {
		return false
	}
	full := func(step string) bool {
		w := a.o.r.word(strings.TrimPrefix(actionOf(step), "("))
		return w.action < 0 || strings.Count(step, " ") >= a.o.r.actions[w.action].arity
	}
	step := a.o.steps[e.from]
	for end := min(len(a.o.entries), at+near); at < end && !full(step); at++ {
		n := &a.o.entries[at]
		if n.kind != entryItem || deeper && n.indent <= e.indent || n.heading {
			break
		}
		if n.to-n.from == 1 && restates(a.o.steps[n.from], step) && full(a.o.steps[n.from]) {
			return true
		}
	}
	return false
}

// row reports whether an entry is a row of a table.
func (a *assembler) row(e *entry) bool { return a.o.text[e.start] == '|' }

// table reports whether a list begins with a row of a table.
func (a *assembler) table(l *list) bool { return len(l.items) > 0 && a.row(&a.o.entries[l.items[0]]) }

// actionOf returns the action's name in a step.
func actionOf(step string) string {
	name, _, _ := strings.Cut(step, " ")
	return strings.TrimSuffix(name, ")")
}

// explained reports whether a sentence about steps stands behind a list that has them all, and is no part of it:
// "(unstack b c) is needed first." Of a list of such sentences it may be one more.
func (a *assembler) explained(i int32, e *entry) bool {
	l := a.cur
	if l == nil && len(a.lists) > 0 && a.gap == gapFence && !a.fence {
		l = &a.lists[len(a.lists)-1]
	}
	if l == nil || a.fence || a.strict || a.gap == gapHead || l.steps < 2 || a.o.entries[l.items[0]].explains {
		return false
	}
	if e.style == l.style && (a.gap == gapNone || e.style == styleNumber && e.number > a.number) || l.style == styleNumber && !a.own {
		return false
	}
	if next := int(i) + 1; next < len(a.o.entries) && a.o.entries[next].kind == entryItem && (a.gap == gapProse || !a.o.entries[next].explains) {
		return false
	}
	return !a.newsIn(l, e)
}

// news reports whether an entry has a step that the current list lacks.
func (a *assembler) news(e *entry) bool { return a.newsIn(a.cur, e) }

// newsIn is news for any list.
func (a *assembler) newsIn(l *list, e *entry) bool {
	const most = 1 << 12 // items that are looked at, so that reading stays linear
	if len(l.items) > most {
		return true
	}
	return slices.ContainsFunc(a.o.steps[e.from:e.to], func(s string) bool {
		return s != "" && !slices.ContainsFunc(l.items, func(i int32) bool {
			return slices.Contains(a.o.steps[a.o.entries[i].from:a.o.entries[i].to], s)
		})
	})
}

// starts reports whether an item begins a new list.
func (a *assembler) starts(e *entry) bool {
	switch {
	case a.cur == nil:
		return true
	case e.style == styleNumber && a.cur.style == styleNumber:
		if e.number == a.number {
			return a.gap > gapBlank
		}
		if e.number < a.number && a.gap == gapNone && e.number > 1 && a.cur.lacks(e.number, a.o.entries) {
			a.cur.shuffled = true // 1, 3, 2
		}
		return e.number < a.number && !a.cur.shuffled
	case e.style == styleNumber && a.cur.style == styleBare && int(e.number) == len(a.cur.items)+1 && a.gap <= gapBlank:
		return false // it counts the items above
	case e.style == a.cur.style:
		return a.gap > gapNote || a.gap > gapNone && a.row(e) != a.table(a.cur)
	case a.cur.style == styleNumber && !a.own && (e.indent > a.indent || a.gap <= gapNote):
		return false // the step of a numbered item that has none itself
	}
	return a.gap > gapNone
}

// about reports whether the line ends in words about the step before token i: "(unstack b c) is needed first".
func (l *lineReader) about(i int) bool {
	if len(l.toks) < i+2 {
		return false
	}
	if p := l.punct(i); p == ',' || p == ':' || p == '-' {
		i++
	}
	if l.info(i).class == classIt || l.wordAt(i, wordThis) || l.wordAt(i, wordThat) || l.wordAt(i, wordWhich) {
		i++
	}
	c := l.info(i).class
	return c == classIs || c == classVerb || c == classTell || l.info(i).object < 0 && i < len(l.toks) && l.toks[i].kind == tokWord && l.tells(i)
}
