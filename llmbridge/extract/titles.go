package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// Lines that are titles of the steps below them.

// title reports whether a line is the title of the step below it: "1. Free the block" above "Action: (unstack a
// b)", "## Step 1: Go to room-2" or "Move ball1:" above "(go robot room-1 room-2)". A title that reads like a step
// ends in a colon or is set as a heading. If it is a step of the domain, the line below must have the same action.
func (a *assembler) title(i int32, e *entry) bool {
	at := int(i) + 1
	if e.titled && e.bad && (!e.formal || e.colon) && a.holdsStep(at, e) {
		return true // "### Step 2: Lift b" above a reason and the step
	}
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
	if e.heading && next.kind == entryItem && next.style == styleNumber && (next.number == 1 || next.number == a.number+1) && a.titles(at, e, false) {
		return true // "## Paint north" above "1. open d1"
	}
	if e.bad && !e.odd && e.style == styleBullet && next.kind == entryItem && !next.bad && next.indent > e.indent && a.namesAction(e, next) {
		return true // "- Water" above "  - water bed1"
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
	if e.bad && e.style == styleNumber && deeper && next.formal && next.to-next.from == 1 && a.onlyNames(e, a.o.steps[next.from]) {
		return true // "5. Lift b" above "- (pick-up b)"
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

// holdsStep reports whether a step, perhaps behind remarks about it, is the next item from entry i on below a line e with a number, and
// the other lines with numbers have no steps of their own either. Below the first one, the next must be such a line, too.
func (a *assembler) holdsStep(i int, e *entry) bool {
	const near = 12 // entries that are looked at
	if a.cur != nil && (a.cur.style != styleNumber || !a.below) {
		return false
	}
	held := false
	for end := min(len(a.o.entries), i+near); i < end; i++ {
		switch n := &a.o.entries[i]; {
		case n.style == styleNumber:
			return held && n.titled && n.number == e.number+1
		case n.kind == entryItem:
			if held = held || !n.bad; !held || a.cur != nil {
				return held
			}
		case n.kind == entryFence, n.kind == entryProse && !n.rejects, n.kind == entryNonStep:
		default:
			return false
		}
	}
	return false
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
	if next.kind != entryItem || next.bad || next.style != styleNumber || next.number != 1 || next.indent <= e.indent {
		return false
	}
	return !a.o.r.withholds(a.o.text[e.start:e.end], elseWords) // "2. Do not take the return trip"
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
	whole := full(step)
	if whole && (!e.heading || e.style != styleBare || e.formal) {
		return false
	}
	for end := min(len(a.o.entries), at+near); at < end; at++ {
		n := &a.o.entries[at]
		if n.kind != entryItem || deeper && n.indent <= e.indent || n.heading {
			break
		}
		if whole && n.to-n.from == 1 && a.o.steps[n.from] == step {
			return true // "### Put d on c" above "6. (stack d c)"
		}
		if !whole && n.to-n.from == 1 && restates(a.o.steps[n.from], step) && full(a.o.steps[n.from]) {
			return true
		}
	}
	return false
}

// commentStarts begin a line that is commented out.
var commentStarts = signsIn("#-/")

// commentedOut reports whether a step with a number or in formal notation stands behind the sign of a comment, and none behind
// it before: "# (stack a b)" below "(pick-up a)". A number behind the sign makes the step malformed.
func (a *assembler) commentedOut(e *entry) bool {
	if a.cur == nil || len(a.cur.items) == 0 || a.gap >= gapHead || e.kind != entryItem || !e.formal && e.style != styleNumber || e.label || e.style == styleBullet {
		return false
	}
	last := a.o.entries[a.cur.items[len(a.cur.items)-1]]
	sign := commented.FindString(a.o.text[e.start:e.end])
	if sign == "" || commentStarts[a.o.text[last.start]] {
		return false
	}
	if sign[len(sign)-1] != '(' { // "# 4. (stack a b)" may be step 4
		e.bad = true
		for k := e.from; k < e.to; k++ {
			a.o.steps[k] = ""
		}
		return false
	}
	return true
}

// commented begins a line that is commented out; "#7: (stack a b)" is none.
var commented = pattern.New(`^(#[ \t]*\(|#[ \t]+[0-9]|(--|//|#\|)[ \t]*[(0-9])`)

// namesAction reports whether the only word of an entry is the action of another's step.
func (a *assembler) namesAction(e, step *entry) bool {
	return strings.EqualFold(strings.Trim(a.o.text[e.start:e.end], " \t-*+_`:"), strings.TrimPrefix(actionOf(a.o.steps[step.from]), "("))
}

// onlyNames reports whether a line names an object, and none that a step does not have.
func (a *assembler) onlyNames(e *entry, step string) bool {
	o, named := a.o, false
	o.load(o.text[e.start:e.end])
	for k := range o.toks {
		x, _, ok := o.object(k)
		if named = named || ok; ok && (x.object < 0 || !slices.Contains(strings.Fields(strings.Trim(step, "()"))[1:], o.r.objects[x.object].name)) {
			return false
		}
	}
	return named
}

// entitle makes an item the title of the steps below it.
func (a *assembler) entitle(i int32, e *entry) {
	a.passed = true
	if e.style == styleNumber {
		a.nonStep(i, e)
		a.untold = true
	}
	lettered := a.lettered(e)
	if e.style == styleNumber || e.style == styleBullet && !e.colon && !lettered {
		return
	}
	const short = 24 // bytes of "Travel:", but not of a sentence
	a.entitled(e.heading || lettered || e.end-e.start <= short && e.colon)
}

// entitled begins a part of the plan below a title.
func (a *assembler) entitled(brief bool) {
	a.drop()
	a.brief, a.plain, a.retells, a.option, a.prosed = brief, true, false, option{}, false
	if a.gap = gapHead; a.section == roleState {
		a.section = roleBelow
	}
}
