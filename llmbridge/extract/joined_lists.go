package extract

import "slices"

// candidates returns the lists that may be the plan, with what their steps say about their role.
func (a *assembler) candidates() []list {
	plain := slices.ContainsFunc(a.lists, func(l list) bool { return l.steps > l.bad && 2*l.told <= len(l.items) && l.role < roleExplain })
	kept := a.lists[:0]
	told := -1 // the last list that may be the plan
	for _, l := range a.joined() {
		if l.shuffled {
			l.order(a.o)
		}
		if l.steps+l.bad > l.odd || l.odd > 0 && (a.strict || l.named && l.role == roleCommit) {
			if 2*l.told > len(l.items) && !(l.named && (l.final || !plain)) {
				l.role = roleExplain // "first, we unstack ..." talks about a plan
			}
			if l.role == roleBelow {
				l.role = roleState
				if l.steps > 1 && l.bad == 0 && l.told == 0 {
					l.role = roleNone // no facts, but a plan below them
				}
			}
			if l.retells && told >= 0 && subsequence(a.o.stepsOf(&l), a.o.stepsOf(&kept[told])) {
				l.role = roleExplain // "In plain English: ..."
			} else if l.role < roleExplain && l.role != roleState && l.steps > 0 {
				told = len(kept)
			}
			kept = append(kept, l)
		}
	}
	return kept
}

// joined returns the lists, with those put together that stand under headings such as "For ball 1:" and "For ball
// 2:", one after the other, and do not repeat each other.
func (a *assembler) joined() []list {
	out := a.lists[:0]
	for _, l := range a.lists {
		n := len(out)
		if l.single() {
			for n > 1 && len(out[n-1].items) == 0 {
				n-- // numbered lines above the fences
			}
		}
		if n > 0 && (l.single() && a.nextFence(&out[n-1], &l) || (l.neutral && out[n-1].neutral || l.titled && out[n-1].titled && !a.shares(&out[n-1], &l)) && l.style == out[n-1].style && l.role == out[n-1].role && l.steps > 0 || l.gap <= gapBlank && a.table(&l) == a.table(&out[n-1]) && l.style != out[n-1].style && l.role == out[n-1].role && !a.repeatsList(&out[n-1], &l)) {
			out = out[:n]
			last := &out[n-1]
			if !last.joined { // its items stand among those of others
				last.joined, last.items, last.each = true, slices.Clone(last.items), l.single() && last.single()
			}
			last.items = append(last.items, l.items...)
			last.fence, last.above = l.fence, l.above
			last.steps, last.bad, last.odd, last.told = last.steps+l.steps, last.bad+l.bad, last.odd+l.odd, last.told+l.told
			continue
		}
		out = append(out, l)
	}
	return out
}

// lacks reports whether a short list that begins with number 1 has no item with a number yet.
func (l *list) lacks(number int32, entries []entry) bool {
	const most = 64
	return len(l.items) > 0 && len(l.items) < most && entries[l.items[0]].number == 1 && !slices.ContainsFunc(l.items, func(i int32) bool { return entries[i].number == number })
}

// order puts the items of a list whose numbers do not go up into their order. If they are no permutation of 1, 2, ..., its
// first step is malformed.
func (l *list) order(o *outline) {
	slices.SortStableFunc(l.items, func(a, b int32) int { return int(o.entries[a].number - o.entries[b].number) })
	for k, i := range l.items {
		if e := &o.entries[i]; int(e.number) != k+1 || e.kind != entryItem {
			if first := slices.IndexFunc(l.items, func(i int32) bool { return o.entries[i].to > o.entries[i].from }); first >= 0 {
				l.bad++
				o.steps[o.entries[l.items[first]].from] = ""
			}
			return
		}
	}
}

// single reports whether a list is one step in a code fence.
func (l *list) single() bool {
	return l.fence > 0 && l.steps == 1 && l.bad == 0 && l.option.number == 0 && !l.final
}

// nextFence reports whether a step in a code fence follows steps in fences of their own, with words between.
func (a *assembler) nextFence(last, l *list) bool {
	if !last.each && !last.single() || last.role != l.role || l.fence == last.fence {
		return false
	}
	from, to := a.o.entries[last.items[len(last.items)-1]].end, a.o.entries[l.items[0]].start
	if from > to || l.fence < 2 || a.o.r.withholds(a.o.text[from:to], withholds) {
		return false // "I leave out:"
	}
	return l.above > last.above && last.above > 0 || l.above == 0 && last.above == 0 && a.o.entries[l.fence-2].kind != entryFence
}

// withholds reports whether a text denies, chooses or supposes something, or has one of the other words.
func (r *lexicon) withholds(text string, others *wordSet) bool {
	for w := range words(text) {
		if r.word(w).withholds() || others.has(w) {
			return true
		}
	}
	return false
}

// withholds reports whether a word denies, chooses or supposes something.
func (w *wordInfo) withholds() bool {
	return w.class == classIf || w.class == classOr || w.class == classNot || w.class == classNo || w.says() == denies || w.says() == doubts
}

// shares reports whether two lists have a step in common, as two plans have and parts of one seldom.
func (a *assembler) shares(x, y *list) bool {
	known := a.known(x)
	return slices.ContainsFunc(a.o.stepsOf(y), func(s string) bool { return known[s] })
}

// known returns the steps of a list as a set.
func (a *assembler) known(l *list) map[string]bool {
	set := map[string]bool{}
	for _, s := range a.o.stepsOf(l) {
		set[s] = true
	}
	return set
}

// stepsOf returns the steps of a list in order, "" for those that cannot be read.
func (o *outline) stepsOf(l *list) (steps []string) {
	for _, i := range l.items {
		e := &o.entries[i]
		if e.kind != entryItem {
			steps = append(steps, "")
		}
		steps = append(steps, o.steps[e.from:e.to]...)
	}
	return steps
}

// subsequence reports whether steps, but for those that cannot be read, are among others in their order.
func subsequence(steps, others []string) bool {
	for _, s := range steps {
		k := slices.Index(others, s)
		if s != "" && k < 0 || len(others) == 0 {
			return false
		}
		others = others[k+1:]
	}
	return true
}

// repeatsList reports whether one of two lists has only steps of the other, as a summary or a second version has.
func (a *assembler) repeatsList(x, y *list) bool {
	if len(x.items) > len(y.items) {
		x, y = y, x
	}
	known, steps := a.known(y), a.o.stepsOf(x)
	if len(x.items) == 1 && len(y.items) > 1 && x.told+y.told == 0 {
		return len(steps) > 1 && known[steps[0]]
	}
	return !slices.ContainsFunc(steps, func(s string) bool { return !known[s] })
}

// reject notes that a line denies the list above it, and reports whether there is one: "This does not work." Of several
// options it denies the one that it names, or all of them, "Both are wrong."; but not if it chooses one.
func (a *assembler) reject(e *entry) bool {
	if len(a.lists) == 0 || a.gap == gapHead && !(a.notes && e.rejects) || a.gap == gapFence && a.fence {
		return false
	}
	last := &a.lists[len(a.lists)-1]
	for k := range a.lists {
		l := &a.lists[k]
		switch one := last.option.number > 0 && l.option.word == last.option.word; {
		case one && (e.option.number > 0 || e.refused.number > 0 && e.refused != l.option):
		case l == last, one:
			l.role = roleReject
		}
	}
	return true
}

// noted reports whether item i stands behind a plan, perhaps below "Notes:", and is no item of its own. One that adds a step to the
// plan is a malformed step of it: "- Then also do this."
func (a *assembler) noted(i int32, e *entry) bool {
	n := len(a.lists)
	if n == 0 {
		return false
	}
	if a.notes && e.about {
		return true
	}
	behind := e.style == styleBullet && a.gap != gapHead && (a.cur == nil || a.cur.style != styleBullet)
	if !e.bad || !e.adds || !behind && (!a.notes || e.style == styleNumber) {
		return false // most items
	}
	l := &a.lists[n-1]
	l.items, l.bad = append(l.items, i), l.bad+1
	return true
}

// between reports whether a numbered line without a step stands between numbered steps, and its number counts it as one
// of them: "3. wait"; or before the first, "0. calibrate the arm".
func (a *assembler) between(i int32, e *entry) bool {
	if !e.counted || e.number > 0 && (!a.own || e.number != a.number+1) {
		return false
	}
	if int(i)+1 == len(a.o.entries) || a.o.entries[i+1].kind > entryNonStep {
		return e.firm && a.gap == gapNone // "7. deploy satellite"
	}
	next := &a.o.entries[i+1]
	return next.kind == entryItem && !next.bad && next.style == styleNumber && next.number == e.number+1 && next.indent == e.indent
}

// count counts the steps of an item of the list.
func (l *list) count(e *entry, steps []string) {
	if e.odd {
		l.odd++
	}
	if e.told {
		l.told++
	}
	for _, s := range steps[e.from:e.to] {
		if s == "" {
			l.bad++
		} else {
			l.steps++
		}
	}
}
