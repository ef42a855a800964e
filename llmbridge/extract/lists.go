package extract

import (
	"slices"
	"strings"
)

// list is a run of items that belong together.
type list struct {
	style lineStyle
	role  role
	named bool    // its heading names the plan itself
	final bool    // it calls something final
	items []int32 // entries
	steps int     // good steps
	bad   int     // malformed steps
	odd   int     // those of them that no sentence of the domain begins like
	told  int     // items that tell about a step
}

// gap tells what stands between two items.
type gap uint8

const (
	gapNone gap = iota
	gapBlank
	gapNote  // prose right below an item
	gapProse // a paragraph
	gapHead
	gapFence
)

// waiting is a line that waits, and whether it stands apart from the current list.
type waiting struct {
	entry int32
	apart bool
}

// assembler groups the items of a part of the outline into lists.
type assembler struct {
	o       *outline
	lists   []list
	cur     *list
	gap     gap
	section role
	final   bool // the section\'s heading calls it final
	named   bool // the section's heading names the plan itself
	fence   bool
	fences  int  // the number before the last fence
	ofStep  bool // the fence holds what a line such as "Step 2:" announces
	strict  bool
	number  int32 // last number in cur
	indent  int16 // of the last numbered or bulleted item
	level   int16 // of the last item
	own     bool  // that item has steps of its own
	part    bool  // it is one of the steps below a numbered line that has none itself
	passed  bool  // a line with steps was passed over since the last item
	// Lines that are no steps and wait for what comes next: among steps they are
	// malformed steps, elsewhere prose.
	pending []waiting
	header  int32 // in a strict part, a numbered line without a step; -1 for none
	phase   int32
	items   []int32 // room for the items of all lists, in order
	joins   bool    // the next item goes on with the last list, a phase of the same plan
}

// assemble returns the lists of the entries from lo up to hi, which are good until it
// is called again. In a strict part
// every line is a step, a heading or a remark below an item; another line is a
// malformed step.
func (o *outline) assemble(lo, hi int, strict bool) []list {
	if cap(o.items) < hi-lo {
		o.items = make([]int32, 0, max(64, 2*(hi-lo)))
	}
	a := assembler{o: o, strict: strict, header: -1, lists: o.lists[:0], pending: o.pending[:0], items: o.items[:0]}
	for i := lo; i < hi; i++ {
		e := &o.entries[i]
		if e.blank {
			a.gap = max(a.gap, gapBlank)
		}
		switch e.kind {
		case entryHead:
			if a.remark(e) {
				continue
			}
			a.drop()
			a.gap = gapHead
			if e.mention {
				a.wait(int32(i))
			}
			a.joins = e.phase > 1 && e.phase == a.phase+1
			if e.phase > 0 {
				a.phase = e.phase
			}
			if e.role != roleNone {
				a.section, a.named, a.final = e.role, e.strong, e.final
			} else if a.section == roleState {
				a.section = roleBelow
			}
		case entryProse:
			a.prose(int32(i), e)
		case entryFence:
			a.drop()
			a.gap = gapFence
			switch {
			case !a.fence && i > lo && a.awaits(&o.entries[i-1]):
				a.ofStep, a.gap = true, gapNone
			case a.ofStep:
				a.ofStep = false
			case !a.fence && i > lo && len(a.lists) > 0 && a.nextStep(i):
				a.cur, a.gap = &a.lists[len(a.lists)-1], gapNone
			default:
				a.cur = nil
			}
			if a.fence = !a.fence; a.fence {
				a.fences = o.numberAbove(e)
			}
		case entryNonStep:
			a.nonStep(int32(i), e)
		case entryEmpty:
			if a.cur != nil && (a.strict || a.gap <= gapNote) {
				a.wait(int32(i))
			}
		case entryItem:
			a.item(int32(i), e)
		}
	}
	a.drop()
	a.endHeader()
	o.lists, o.pending = a.lists, a.pending
	plain := slices.ContainsFunc(a.lists, func(l list) bool { return l.steps > l.bad && 2*l.told <= len(l.items) && l.role < roleExplain })
	kept := a.lists[:0]
	for _, l := range a.lists {
		if l.steps+l.bad > l.odd || l.odd > 0 && strict {
			if 2*l.told > len(l.items) && !(l.named && (l.final || !plain)) {
				l.role = roleExplain // "first, we unstack ...": talk about a plan
			}
			if l.role == roleBelow {
				l.role = roleState
				if l.steps > 1 && l.bad == 0 && l.told == 0 {
					l.role = roleNone // no facts, but a plan below them
				}
			}
			kept = append(kept, l)
		}
	}
	return kept
}

// prose takes a line of prose.
func (a *assembler) prose(i int32, e *entry) {
	if a.remark(e) {
		return
	}
	if a.strict && !e.state {
		a.malformed(i)
	}
	if a.cur != nil && !a.strict && (a.fence || e.mention) {
		a.wait(i)
		if a.fence {
			return
		}
	}
	if e.blank || a.gap >= gapProse || a.cur == nil {
		a.gap = max(a.gap, gapProse)
	} else {
		a.gap = gapNote
	}
}

// malformed enters a line that is no step as one.
func (a *assembler) malformed(i int32) {
	if a.cur == nil {
		a.open(a.o.entries[i].style)
	}
	a.cur.items = append(a.cur.items, i)
	a.cur.bad++
	a.passed = false
}

// nonStep follows the numbering through items without a step.
func (a *assembler) nonStep(i int32, e *entry) {
	if e.style != styleNumber {
		switch {
		case a.remark(e):
		case a.strict:
			a.malformed(i)
		case e.mention && a.cur != nil:
			a.wait(i)
		}
		return // a remark under an item, or a list of facts
	}
	a.endHeader()
	if e.role != roleNone && a.section != roleExplain && e.role != roleState && !a.title(i, e) {
		a.section, a.named, a.final = e.role, e.strong, e.final
	}
	if a.cur == nil || a.cur.style != styleNumber || e.number <= a.number {
		a.open(styleNumber)
	}
	a.number, a.indent, a.own, a.gap = e.number, e.indent, false, gapNone
	if a.strict {
		a.header = i
	}
}

// endHeader ends the wait for the step of a numbered line that has none itself: in
// a strict part such a line is malformed.
func (a *assembler) endHeader() {
	if a.header >= 0 {
		a.malformed(a.header)
	}
	a.header = -1
}

func (a *assembler) open(style lineStyle) {
	if n := len(a.lists); n > 0 {
		// A list that found no room there has moved away.
		if used := len(a.items) + len(a.lists[n-1].items); used <= cap(a.items) {
			a.items = a.items[:used]
		}
	}
	a.lists = append(a.lists, list{style: style, role: a.section, named: a.named, final: a.final, items: a.items[len(a.items):]})
	a.cur = &a.lists[len(a.lists)-1]
}

// remark tells whether a line comments on the item before it, which has steps of
// its own: below a numbered item it is indented more or is a bullet, below a
// bullet it is indented more and is no plain step.
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
		if a.part && !a.passed && e.style == styleBullet && e.kind == entryItem && (!e.bad || e.firm) && !e.told && !e.label && e.indent == a.indent && !a.restates(e) {
			return false // another step below the same line
		}
		return deeper || e.style == styleBullet && a.gap <= gapBlank || e.worded && a.gap == gapNone
	case styleBullet:
		return deeper && (e.kind != entryItem || e.told || e.label || e.odd)
	}
	return false
}

// belowBare tells whether a line comments on the step above it, which has neither a number
// nor a bullet: a heading, a bullet or a state that is indented more.
func (a *assembler) belowBare(e *entry) bool {
	return a.cur != nil && a.cur.style == styleBare && e.indent > a.level && !a.fence && a.gap < gapHead && len(a.cur.items) > 0 && (!e.mention || e.facts) &&
		(e.kind == entryHead || e.style == styleBullet || e.state)
}

// restates tells whether the steps of an entry are those of the item before it.
func (a *assembler) restates(e *entry) bool {
	last := &a.o.entries[a.cur.items[len(a.cur.items)-1]]
	return slices.Equal(a.o.steps[e.from:e.to], a.o.steps[last.from:last.to])
}

// wait keeps a line that is no step until it is known what follows.
func (a *assembler) wait(i int32) {
	a.pending = append(a.pending, waiting{i, a.cur == nil || a.gap > gapNote})
}

// settle takes the waiting lines into the current list, before item i. When the
// item goes on with the list, they stand among its steps. Above the first item of
// a list, those count that could be nothing but steps, with nothing but blank lines
// between, and those with nothing between at all.
func (a *assembler) settle(started bool, i int32) {
	near := len(a.pending)
	for line := a.o.entries[i].line; near > 0; near-- {
		p := a.pending[near-1].entry
		e := &a.o.entries[p]
		if e.kind != entryItem || p != i-1 || !e.firm && e.line != line-1 {
			break
		}
		i, line = p, e.line
	}
	for k, p := range a.pending {
		e := &a.o.entries[p.entry]
		if k >= near || !started && (!p.apart || e.mention || e.formal) {
			a.malformed(p.entry)
		}
	}
	a.pending = a.pending[:0]
}

// drop ends the waiting: what stands after the last step is prose, unless it could
// be nothing but a step.
func (a *assembler) drop() {
	if a.cur != nil && a.cur.steps > 0 {
		for _, p := range a.pending {
			if e := &a.o.entries[p.entry]; !p.apart && e.firm {
				a.malformed(p.entry)
			}
		}
	}
	a.pending = a.pending[:0]
}

// item adds an item to the list it belongs to, or to none when it comments on
// another.
func (a *assembler) item(i int32, e *entry) {
	if a.remark(e) {
		a.passed = true
		return
	}
	if e.bad && !e.formal && (e.odd || !e.firm || a.colon(e)) && a.title(i, e) {
		a.passed = true
		a.nonStep(i, e)
		return
	}
	if e.bad && e.style == styleBare && !a.fence && !a.strict && !e.label && (!e.firm && !e.odd || a.cur == nil || a.gap > gapNone || a.cur.steps == 0) {
		a.passed = true
		a.wait(i)
		a.gap = max(a.gap, gapBlank)
		return
	}
	if e.style == styleNumber {
		a.endHeader()
	}
	// "1. Current State: ..." with "Action: (stack a b)" below: the numbered item's own step.
	tracked := a.header >= 0 && e.label && e.style == styleBare && e.indent > a.indent
	a.header = -1
	started := a.starts(e)
	if started && a.joins && len(a.lists) > 0 {
		a.cur, started = &a.lists[len(a.lists)-1], false
	}
	a.joins = false
	if !started && e.to-e.from > 1 && (e.label || a.gap > gapNone) && a.summary(i, e) && a.repeated(e) {
		started = true
	}
	if started {
		a.open(e.style)
		a.own = false
	}
	a.settle(started, i)
	a.cur.items = append(a.cur.items, i)
	a.passed, a.level = false, e.indent
	if e.odd {
		a.cur.odd++
	}
	if e.told {
		a.cur.told++
	}
	for k := e.from; k < e.to; k++ {
		if a.o.steps[k] == "" {
			a.cur.bad++
		} else {
			a.cur.steps++
		}
	}
	if e.style == styleNumber {
		a.number = e.number
	}
	if e.style != styleBare {
		a.part = e.style == styleBullet && !e.label && a.cur.style == styleNumber
		a.indent, a.own = e.indent, true
	}
	a.own = a.own || tracked
	a.gap = gapNone
}

// awaits tells whether a line is "Step 2:" or the like, of the current list and without a
// step of its own.
func (a *assembler) awaits(e *entry) bool {
	return e.kind == entryNonStep && e.label && a.cur != nil && a.cur.style == styleNumber
}

// nextStep tells whether the code fence of entry i follows another with nothing but a
// number between, "Step 2:", that goes on from the one above that.
func (a *assembler) nextStep(i int) bool {
	last, e := &a.o.entries[i-1], &a.o.entries[i]
	return last.kind == entryFence && e.end > e.start && last.end > last.start && strings.ContainsAny(a.o.text[last.end:e.start], "0123456789") &&
		a.fences > 0 && a.o.numberAbove(e) > a.fences
}

// numberAbove returns the first number in the line above an entry, blank lines aside, 0 for none.
func (o *outline) numberAbove(e *entry) int {
	const near = 1 << 10 // bytes that are looked at
	above := o.text[max(0, int(e.start)-near):e.start]
	for line := ""; ; {
		k := strings.LastIndexByte(above, '\n')
		if line, above = above[k+1:], above[:max(k, 0)]; blankLine(line) && k >= 0 {
			continue
		}
		line = line[:min(len(line), 80)]
		if k = strings.IndexAny(line, "0123456789"); k < 0 {
			return 0
		}
		n := 0
		for ; k < len(line) && line[k] >= '0' && line[k] <= '9' && n < 1<<20; k++ {
			n = 10*n + int(line[k]-'0')
		}
		return n
	}
}

// summary tells whether an item may say again what stands above it: it has no number that
// goes on, nothing in it says that this is done once more, and no step follows.
func (a *assembler) summary(i int32, e *entry) bool {
	if e.style != styleBare || int(i)+1 < len(a.o.entries) && a.o.entries[i+1].kind == entryItem {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(a.o.text[e.start:e.end]), func(c rune) bool { return c < 'a' || c > 'z' })
	return len(words) == 0 || !onceMore[words[0]]
}

// onceMore are the words that begin a line which goes on with steps that were done before.
var onceMore = map[string]bool{"then": true, "again": true, "repeat": true, "next": true, "now": true, "after": true, "afterwards": true, "finally": true, "and": true, "also": true, "twice": true}

// repeated tells whether an item says all of the current list again in one line, as a
// summary does.
func (a *assembler) repeated(e *entry) bool {
	if int(e.to-e.from) != a.cur.steps || a.cur.bad > 0 || len(a.cur.items) < 2 && !e.label {
		return false
	}
	k := e.from
	for _, i := range a.cur.items {
		for _, s := range a.o.steps[a.o.entries[i].from:a.o.entries[i].to] {
			if a.o.steps[k] != s {
				return false
			}
			k++
		}
	}
	return true
}

// title tells whether a numbered line is the title of the step below it: "1. Free the
// block" above "Action: (unstack a b)".
func (a *assembler) title(i int32, e *entry) bool {
	if e.style != styleNumber || int(i)+1 == len(a.o.entries) {
		return false
	}
	next := &a.o.entries[i+1]
	return next.kind == entryItem && next.label && !next.bad && next.style != styleNumber && next.indent > e.indent
}

// colon tells whether a line ends in a colon, emphasis aside.
func (a *assembler) colon(e *entry) bool {
	return strings.HasSuffix(strings.TrimRight(a.o.text[e.start:e.end], " \t*_`"), ":")
}

// starts tells whether an item begins a new list.
func (a *assembler) starts(e *entry) bool {
	switch {
	case a.cur == nil:
		return true
	case e.style == styleNumber && a.cur.style == styleNumber:
		if e.number == a.number {
			return a.gap > gapBlank
		}
		return e.number < a.number
	case e.style == a.cur.style:
		return a.gap > gapNote
	case a.cur.style == styleNumber && !a.own && (e.indent > a.indent || a.gap <= gapNote):
		return false // the step of a numbered item that has none itself
	case a.part && e.style == styleBullet && e.indent == a.indent:
		return a.gap > gapBlank // a further one
	}
	return a.gap > gapNone
}
