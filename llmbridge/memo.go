package llmbridge

import "strings"

// lineReading is what a piece of a line was read as, apart from its place.
type lineReading struct {
	lexicon uint64 // its number
	raw     string
	fence   bool // read within a code fence
	// What a label before the steps says of those below: an entry of its own.
	head   role
	counts bool // entry is one of the outline
	entry
	steps []string  // of an item, "" where one is malformed
	one   [1]string // room for them
}

// lineMemo keeps how lines were read that come again and again: answers to the same
// tasks consist of few different lines. Nothing depends on what it keeps. A line is
// kept when it is seen for the second time, in the place of another if need be. Each
// outline has one: readers share outlines, and nothing is shared between processors.
type lineMemo struct {
	marks [memoSlots]uint32 // of the lines that are kept
	once  [memoSlots]uint32 // of lines that were seen
	known []lineReading     // made when the first line is kept
}

const (
	memoSlots = 1 << 11 // a power of two
	maxMemo   = 160     // bytes of a line that is kept
)

// hash returns the hash of a line. The part that is the mark is never 0.
func (m *lineMemo) hash(lexicon uint64, raw string) uint64 {
	return (hashWord(raw) ^ lexicon*golden) | 1<<32
}

// find returns how a line was read, nil when that is not known; it is good until a line
// is noted.
func (m *lineMemo) find(hash, lexicon uint64, raw string, fence bool) *lineReading {
	slot := hash % memoSlots
	if m.marks[slot] != uint32(hash>>32) {
		return nil
	}
	if l := &m.known[slot]; l.lexicon == lexicon && l.fence == fence && l.raw == raw {
		return l
	}
	return nil
}

// note takes note of a line that was read.
func (m *lineMemo) note(hash uint64, l *lineReading) {
	if len(l.raw) > maxMemo {
		return
	}
	slot, mark := hash%memoSlots, uint32(hash>>32)
	if m.once[slot] != mark {
		m.once[slot] = mark
		return
	}
	if m.known == nil {
		m.known = make([]lineReading, memoSlots)
	}
	m.known[slot].set(l)
	m.marks[slot] = mark
}

// set makes l a copy of a reading that shares no memory with the answer or with other
// steps.
func (l *lineReading) set(from *lineReading) {
	*l = *from
	size := len(from.raw)
	for _, s := range from.steps {
		size += len(s)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(from.raw)
	for _, s := range from.steps {
		b.WriteString(s)
	}
	at := len(from.raw)
	l.raw, l.steps = b.String()[:at], l.one[:0]
	for _, s := range from.steps {
		l.steps = append(l.steps, b.String()[at:at+len(s)])
		at += len(s)
	}
}
