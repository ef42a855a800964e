package extract

// list is a run of items that belong together: one candidate for the plan.
type list struct {
	style lineStyle
	role  role
	named bool    // its heading names the plan itself
	final bool    // its heading says "final"
	items []int32 // entries
	steps int     // good steps
	bad   int     // malformed steps
	odd   int     // the malformed ones that look like steps of another domain
	told  int     // items that only talk about a step
	// option is the plan's label among several. neutral: a heading without a role announces the list, and nothing
	// but that heading stands between it and the list before.
	option  option
	neutral bool
	titled  bool  // the same for a title of many words
	retells bool  // its heading says that it tells the plan again
	gap     gap   // what stands before it
	fence   int32 // the entry of the code fence that it stands in, 0 for none
	above   int   // the number above that fence
	joined  bool
	// shuffled: its numbers do not go up
	shuffled bool
	each     bool // and each of its steps stands in a code fence of its own
}

// gap says what stands between two items, weakest first.
type gap uint8

const (
	gapNone gap = iota
	gapBlank
	gapNote  // prose directly below an item
	gapProse // a paragraph
	gapHead
	gapFence
)

// waiting is a line that cannot be sorted before more is known (assembler.pending).
type waiting struct {
	entry int32
	apart bool // it stands apart from the current list
}

// assembler groups the items in a part of the outline into lists.
type assembler struct {
	o       *outline
	lists   []list
	cur     *list
	gap     gap
	section role
	option  option // of the section's heading
	brief   bool   // that heading has few words
	bold    bool   // it is set as a heading
	prosed  bool   // words stand between the last item and what follows
	final   bool   // the section's heading says "final"
	notes   bool   // the last heading is one of remarks
	plain   bool   // it has no role
	retells bool   // it says the plan again
	named   bool   // the section's heading names the plan itself
	fence   bool
	fenced  int32 // the entry + 1 of the open code fence, 0 for none
	fences  int   // the number above the last opening fence
	within  int   // the lists before it
	outer   int   // the same, if a list with numbers stands above it
	strict  bool
	number  int32 // last number in cur
	indent  int16 // of the last item with a number or bullet
	level   int16 // of the last item
	own     bool  // the last item with a number or bullet has steps itself
	below   bool  // the last line with a number has none itself
	untold  bool  // a label such as "Step 2:" stands above what follows, and nothing of it has steps yet
	inner   bool  // the open code fence stands below such a label
	inners  bool  // so did one in the current list
	part    bool  // the last item is a bullet below a numbered line without a step
	passed  bool  // a line with steps was skipped since the last item
	// Lines without steps that wait for what follows: among steps they are malformed, elsewhere
	// they are prose.
	pending  []waiting
	header   int32 // in a strict part, a numbered line that has no step yet; -1 for none
	phase    int32
	items    []int32 // buffer for the items of all lists, in order
	rejected int32   // the last heading of what is not to be done
	unless   bool    // that heading rejects the list above it if no list follows
	joins    bool    // the next item continues the last list, as "Phase 2" of the same plan
	changes  []changed
}

// assemble groups entries[lo:hi] into lists, valid until the next call. If strict, every line must be
// a step, a heading or a remark below an item; other lines are malformed steps.
func (o *outline) assemble(lo, hi int, strict bool) []list {
	if cap(o.items) < hi-lo {
		o.items = make([]int32, 0, max(64, 2*(hi-lo)))
	}
	a := assembler{o: o, strict: strict, header: -1, rejected: -2, lists: o.lists[:0], pending: o.pending[:0], items: o.items[:0]}
	for i := lo; i < hi; i++ {
		e := &o.entries[i]
		if e.blank {
			a.gap = max(a.gap, gapBlank)
		}
		switch e.kind {
		case entryHead:
			a.head(int32(i), e)
		case entryProse:
			a.prose(int32(i), e)
		case entryFence:
			a.fenceAt(i, i > lo, e)
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
	a.lacking()
	a.drop()
	a.endHeader()
	if a.unless && len(a.lists) > 0 {
		a.lists[len(a.lists)-1].role = roleReject // "**Invalid**"
	}
	a.change()
	o.lists, o.pending = a.lists, a.pending
	return a.candidates()
}

// head handles a heading.
func (a *assembler) head(i int32, e *entry) {
	if a.remark(e) || e.comment && (i == 0 || a.o.entries[i-1].kind != entryFence) {
		return
	}
	if e.end == 0 && e.role == roleState && a.goalStep(i+1) {
		return
	}
	a.untold = false
	if a.drop(); e.change == addsStep {
		a.changes = append(a.changes, changed{i, len(a.lists)})
	}
	if a.gap = gapHead; a.strict && (e.role == roleReject || e.option == elseOption && len(a.lists) > 0) {
		a.malformed(i)
	}
	if e.mention {
		a.wait(i)
	}
	a.option, a.brief, a.bold = option{}, e.brief, e.heading
	a.plain, a.notes, a.retells = e.role == roleNone, e.notes, e.retells
	if e.role != roleFinal {
		a.option = e.option
	}
	a.joins = e.phase > 1 && e.phase == a.phase+1 || e.then && len(a.lists) > 0 && a.lists[len(a.lists)-1].role <= roleCommit
	if e.phase > 0 {
		a.phase = e.phase
	}
	if e.role == roleReject {
		a.rejected, a.unless = i, e.rejects && !e.colon
	}
	switch {
	case a.rejected == i-1 && a.section == roleReject && !e.mends && !e.final:
		a.rejected = i // "# Do not use" above "Plan:"
	case e.role != roleNone:
		a.section, a.named, a.final = e.role, e.strong, e.final
	case a.section == roleState:
		a.section = roleBelow
	case a.section == roleReject:
		a.section = roleNone
	}
}

// prose handles a line of prose.
func (a *assembler) prose(i int32, e *entry) {
	if e.change >= addsStep {
		a.changes = append(a.changes, changed{i, len(a.lists)})
	}
	if e.change == setsStep && !a.strict || e.change == changesNothing && !(e.rejects && e.style == styleBullet && e.indent <= a.indent && e.blank) && a.remark(e) {
		return
	}
	if !a.strict && a.amid(i, e) {
		a.malformed(i)
		return
	}
	a.prosed = true
	switch {
	case !e.rejects && !e.withdraws || a.strict || a.reject(e):
	case len(a.lists) == 0 && e.rejects && (e.brief || e.change == ordersChange):
		a.section, a.rejected = roleReject, i // "Plan A (rejected)"
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

// malformed adds a line to the current list as a malformed step.
func (a *assembler) malformed(i int32) {
	if a.cur == nil {
		a.open(a.o.entries[i].style)
	}
	a.cur.items = append(a.cur.items, i)
	a.cur.bad++
	a.passed = false
}

// nonStep handles a numbered or bulleted line without a step.
func (a *assembler) nonStep(i int32, e *entry) {
	if e.style != styleNumber {
		switch {
		case a.remark(e):
		case a.strict, a.amid(i, e):
			a.malformed(i)
		case e.mention && a.cur != nil:
			a.wait(i)
		}
		return // a remark under an item, or a list of facts
	}
	a.endHeader()
	if a.nested(i, e) {
		a.entitled(true)
		return
	}
	if e.role != roleNone && a.section != roleExplain && e.role != roleState && !a.title(i, e) {
		a.section, a.named, a.final = e.role, e.strong, e.final
	}
	fresh := a.cur == nil || a.cur.style != styleNumber || e.number <= a.number
	if fresh {
		a.open(styleNumber)
	}
	if (!fresh || e.number == 0) && a.between(i, e) {
		a.malformed(i)
	}
	a.lacking()
	a.below = true
	a.number, a.indent, a.own, a.gap, a.untold = e.number, e.indent, false, gapNone, e.titled || a.inners && !fresh
	if a.strict && !e.empty {
		a.header = i
	}
}

// endHeader ends the wait for the step of a numbered line: in a strict part a numbered line without
// one is malformed.
func (a *assembler) endHeader() {
	if a.header >= 0 {
		a.malformed(a.header)
	}
	a.header = -1
}

func (a *assembler) open(style lineStyle) {
	if n := len(a.lists); n > 0 {
		if a.fence && n > a.within && a.section == roleReject && a.rejected >= 0 && a.o.entries[a.rejected].counted { // a loop behind a plan
			a.cur = &a.lists[n-1]
			a.malformed(a.rejected)
		}
		// The items of a list that outgrew the buffer have moved elsewhere.
		if used := len(a.items) + len(a.lists[n-1].items); used <= cap(a.items) {
			a.items = a.items[:used]
		}
	}
	a.unless, a.inners = false, false
	titled := (a.section == roleNone || a.section == roleCommit && a.plain) && a.gap == gapHead && (!a.prosed || len(a.lists) == 0) && a.option.number == 0
	a.lists = append(a.lists, list{style: style, role: a.section, named: a.named, final: a.final, option: a.option, neutral: titled && a.brief, titled: titled && a.bold, retells: a.retells, gap: a.gap, fence: a.fenced, above: a.fences, items: a.items[len(a.items):]})
	a.cur = &a.lists[len(a.lists)-1]
}

// wait keeps a line without a step until it is known what follows.
func (a *assembler) wait(i int32) {
	a.pending = append(a.pending, waiting{i, a.cur == nil || a.gap > gapNote})
}

// settle decides on the waiting lines when item i follows. If the item continues a list, they stand
// among its steps and are malformed. Above the first item of a list, only those count that touch it,
// or that can only be meant as steps and are separated by blank lines at most.
func (a *assembler) settle(started bool, i int32) {
	near := len(a.pending)
	for line := a.o.entries[i].line; near > 0; near-- {
		p := a.pending[near-1].entry
		e := &a.o.entries[p]
		if e.kind != entryItem || p != i-1 || !e.firm && e.line != line-1 || a.row(e) != a.row(&a.o.entries[i]) {
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

// lacking makes the waiting lines below a label such as "Step 2:" malformed steps if it has no other.
func (a *assembler) lacking() {
	if !a.untold || a.cur == nil {
		return
	}
	for _, p := range a.pending {
		if e := &a.o.entries[p.entry]; e.bad && e.odd {
			a.malformed(p.entry)
		}
	}
	a.pending = a.pending[:0]
}

// drop decides on the waiting lines when no item follows: they are prose, except for those that can
// only be meant as steps.
func (a *assembler) drop() {
	if n := len(a.lists); a.cur == nil && n > 0 && a.gap >= gapFence {
		for _, p := range a.pending { // behind a fence
			if e := &a.o.entries[p.entry]; e.adds && e.style != styleNumber {
				l := &a.lists[n-1]
				l.items, l.bad = append(l.items, p.entry), l.bad+1
			}
		}
	}
	if a.cur != nil && a.cur.steps > 0 {
		for _, p := range a.pending {
			if e := &a.o.entries[p.entry]; e.adds && e.style != styleNumber || !p.apart && (e.firm || e.change < addsStep && a.news(e)) {
				a.malformed(p.entry)
			}
		}
	}
	a.pending = a.pending[:0]
}

// item adds an item to the list it belongs to. An item that comments on another is left out.
func (a *assembler) item(i int32, e *entry) {
	if a.remark(e) || e.explains && a.explained(i, e) || a.noted(i, e) || commentStarts[a.o.text[e.start]] && a.commentedOut(e) {
		a.passed = true
		return
	}
	if a.title(i, e) {
		a.entitle(i, e)
		return
	}
	if e.bad && e.odd && e.told && !e.adds && a.comments(e) {
		return
	}
	below := (a.named && a.section == roleCommit || a.phase > 0) && e.odd && (a.cur == nil || a.gap == gapHead || a.cur.odd > 0 && a.gap == gapNone) // "Plan:"
	if !below && e.bad && e.style == styleBare && !a.fence && !a.strict && !e.label && (!e.firm && !e.odd || a.cur == nil || a.gap > gapNone || a.cur.steps == 0) {
		if e.rejects || e.withdraws {
			a.reject(e) // "but c can't be stacked, so the problem is unsolvable"
		}
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
	if e.option.number > 0 && e.option != a.option {
		started, a.option = true, e.option
	}
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
		if !a.fence && a.gap == gapHead && e.style == styleBare && e.formal && e.indent > 0 { // a block of code without a fence
			a.cur.fence, a.cur.above = i+1, a.o.numberAbove(e)
		}
	}
	a.settle(started, i)
	a.cur.items = append(a.cur.items, i)
	a.passed, a.level = false, e.indent
	a.cur.count(e, a.o.steps)
	if e.style == styleNumber {
		a.number, a.below = e.number, false
	}
	if e.style != styleBare {
		a.part = e.style == styleBullet && !e.label && a.cur.style == styleNumber
		a.indent, a.own = e.indent, true
	}
	a.own = a.own || tracked
	a.gap, a.prosed, a.untold = gapNone, false, false
}
