package extract

import (
	"slices"
	"strings"
)

// Headings that only mention the list below them, and sentences that change or withdraw the plan beside them.

// quoted reports whether the sentence from token i on only mentions the list below it: it supposes what is not so, or
// the list is somebody else's or of another task. "If the arm had two hands, I would do this:", "Bob says:".
func (o *outline) quoted(i int) bool {
	if o.seen&(hasMention|hasSuppose) != 0 && (o.supposes(i) || o.saidByOthers(i)) {
		return true
	}
	if o.seen&(hasRole|hasOption) == 0 || strings.IndexByte(o.lineReader.line, '\'') < 0 {
		return false // most lines
	}
	for k := i; k+1 < len(o.toks); k++ {
		if o.toks[k+1].bits&(hasRole|hasOption) != 0 && (o.info(k+1).strong || o.info(k+1).option) && strings.HasSuffix(o.lineReader.text(k), "'s") {
			owner := strings.ToLower(strings.TrimSuffix(o.lineReader.text(k), "'s"))
			if w := o.r.word(owner); !ownNames.has(owner) && !receivers.has(owner) && w.object < 0 && w.action < 0 && !w.noun && !w.fact {
				return true // "Claude's answer:"
			}
		}
	}
	return false
}

// has reports whether a word of a set stands at or after token i.
func (o *outline) has(i int, set *wordSet) bool {
	for ; i < len(o.toks) && o.seen&set.bit == set.bit; i++ {
		if o.in(i, set) {
			return true
		}
	}
	return false
}

// supposes reports whether the sentence from token i on begins like one that supposes something: "Had I two hands, ...",
// but not "Assuming unit costs, ..." and "If you do this, ...".
func (o *outline) supposes(i int) bool {
	if i >= len(o.toks) || !o.in(i, supposeWords) {
		return false
	}
	switch strings.ToLower(o.lineReader.text(i)) {
	case "if":
		return o.has(i, unrealWords)
	case "provided", "providing":
		return o.wordAt(i+1, wordThat)
	case "assuming":
		for k := i; k < len(o.toks); k++ {
			if o.info(k).class == classMeasure {
				return false
			}
		}
	}
	return true
}

// saidByOthers reports whether the sentence from token i on has a phrase of those that only mention a list, or ends in
// somebody's saying it.
func (o *outline) saidByOthers(i int) bool {
	for k := i; k < len(o.toks) && !o.endsSentence(k); k++ {
		if t := &o.toks[k]; t.bits&hasMention == 0 || !o.leadsOn(o.r.mentioned.table[t.word], k+1) {
			continue
		}
		if done, _ := o.longest(o.r.mentioned, k); done == 0 || done > 0 && !o.has(i, firstPerson) {
			return true
		}
	}
	last := len(o.toks) - 1
	if o.punct(last) != ':' || !o.in(last-1, sayingWords) {
		return false
	}
	words := o.words(i, last)
	return words > 1 && words <= fewWords && !o.has(i, firstPerson)
}

// disowns reports whether a sentence of the answer's own about the list below rejects it: "Below is a plan that I do not adopt."
func (o *outline) disowns(i int) bool {
	for from, k := i, i; k <= len(o.toks); k++ {
		if k < len(o.toks) && !o.endsSentence(k) {
			continue
		}
		below, own := false, false
		for n := from; n < k; n++ {
			below, own = below || o.in(n, belowWords), own || o.in(n, firstPerson)
		}
		if below && own {
			_, _, rejects := o.claimsIn(from)
			return rejects
		}
		from = k + 1
	}
	return false
}

// compares reports whether what a line from token i on claims is about one plan among others, or about a step: "there is
// no shorter plan", "c cannot be reached first".
func (l *lineReader) compares(i int) bool {
	rest := l.toks[i:]
	if !slices.ContainsFunc(rest, func(t token) bool { return t.bits&hasWhole != 0 }) {
		return true
	}
	if !slices.ContainsFunc(rest, func(t token) bool { return t.bits&hasCompare != 0 }) {
		return false
	}
	for k := i; k < len(l.toks); k++ {
		if l.toks[k].bits&hasClaim != 0 {
			if done, end := l.longest(l.r.claims, k); done == int32(claimUnsolvable) && l.deniesAll(i, end) {
				return false
			}
		}
	}
	return true
}

// deniesAll reports whether the claim before token end of a line, whose words begin at token i, is about all plans: its
// clause names the task or the plan, and its sentence compares nothing. "The two exclude each other, so no plan exists."
func (l *lineReader) deniesAll(i, end int) bool {
	clause, whole := true, false
	for k := end - 1; k >= i && !l.endsSentence(k); k-- {
		clause = clause && l.punct(k) != ','
		whole = whole || clause && l.in(k, wholeWords)
		other := l.in(k, otherWords) && (!clause || l.mutual(k)) && !l.says(k+1, "than")
		if l.in(k, comparatives) && !other {
			return false
		}
	}
	for k := end; k < len(l.toks) && !l.endsSentence(k); k++ {
		if l.in(k, comparatives) && !l.mutual(k) {
			return false
		}
	}
	return whole
}

// mutual reports whether token i ends "each other" or "one another".
func (l *lineReader) mutual(i int) bool {
	return l.says(i, "other") && l.says(i-1, "each") || l.says(i, "another") && l.wordAt(i-1, wordOne)
}

// endsSentence reports whether token i is a sign at the end of a sentence.
func (l *lineReader) endsSentence(i int) bool {
	p := l.punct(i)
	return p == '.' || p == '!' || p == '?' || p == ';'
}

// sequels reports whether a sentence behind a block takes it back, "I take that back.", or adds a step that it lacks, "Then pick up a."
func (o *outline) sequels(b block, e *entry) bool {
	if e.style != styleBare || e.bad {
		return e.style == styleBare && (e.rejects || e.adds)
	}
	return e.adds && !e.about && !e.explains && e.to-e.from == 1 && o.lacks(b, e)
}

// lacks reports whether a block has no step such as the first of an entry behind it.
func (o *outline) lacks(b block, e *entry) bool {
	return !slices.Contains(o.steps[o.entries[b.lo].from:e.from], o.steps[e.from])
}

// withdrawn reports whether words after a block deny it, and no other list follows.
func (o *outline) withdrawn(b block) bool {
	const most = 16 // entries that are compared with the block, so that reading stays linear
	if !b.closed {
		return false
	}
	items := 0
	for i := b.hi; i < len(o.entries); i++ {
		if e := &o.entries[i]; e.kind == entryItem {
			if items++; items > most || !o.sequels(b, e) {
				return false
			}
		}
	}
	for i, compared := b.hi, 0; i < len(o.entries) && compared < most; i++ {
		switch e := &o.entries[i]; {
		case e.kind == entryCut:
			return false
		case e.kind == entryItem, e.kind == entryProse && (e.rejects || e.withdraws):
			return true
		case e.change >= addsStep:
			if compared++; e.alters(o.steps[o.entries[b.lo].from:e.from], o.steps[e.from], true) {
				return true
			}
		case e.kind == entryProse && e.adds && e.to > e.from:
			if compared++; o.lacks(b, e) {
				return true
			}
		}
	}
	return false
}
