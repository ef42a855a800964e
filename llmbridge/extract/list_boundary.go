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
	return a.cur != nil && a.cur.steps > 0 && a.gap <= gapBlank && !e.told && !e.about && !e.bad && a.news(e)
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
	if a.inner = !a.fence && a.untold || a.fence && a.inner; a.inner {
		a.gap, a.inners = gapNone, true // a fence below "**Step 2:**"
	} else if a.fence && a.outer > 0 && a.outer == len(a.lists) && e.end > e.start {
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

// amid reports whether a line that may order something, "harvest", stands between two steps that are set as it is, or is the
// last of the answer.
func (a *assembler) amid(i int32, e *entry) bool {
	if !e.counted || e.blank || a.cur == nil || a.cur.style != e.style || a.gap > gapNone || len(a.cur.items) == 0 {
		return false
	}
	if int(i)+1 == len(a.o.entries) {
		return e.indent == a.o.entries[a.cur.items[len(a.cur.items)-1]].indent
	}
	next := &a.o.entries[i+1]
	return next.kind == entryItem && !next.bad && !next.blank && next.style == e.style && next.indent == e.indent
}

// comments reports whether a sentence that tells a step of another domain stands beside a list that does not tell its steps, and
// is about the plan: "The arm frees c first."
func (a *assembler) comments(e *entry) bool {
	if a.cur != nil && a.gap == gapNone && (a.cur.told > 0 || a.alike(e)) {
		return false
	}
	if e.rejects || e.withdraws {
		a.reject(e)
	}
	a.passed = true
	return true
}

// alike reports whether a line begins with the same word as the last item: "The robot ...".
func (a *assembler) alike(e *entry) bool {
	if len(a.cur.items) == 0 {
		return false
	}
	last := &a.o.entries[a.cur.items[len(a.cur.items)-1]]
	first, _, _ := strings.Cut(a.o.text[e.start:e.end], " ")
	return strings.HasPrefix(a.o.text[last.start:last.end], first+" ")
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
	case a.cur.style == styleNumber && !a.own && (e.indent > a.indent || a.gap <= gapNote || a.untold):
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
