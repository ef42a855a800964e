package extract

import (
	"hash/maphash"
	"strings"
)

// lineMemo keeps how lines were read: answers to the same tasks repeat few different lines. A line with a step is kept
// at once, another one when it comes again. The memo only saves time; no result depends on it.
type lineMemo struct {
	// marks has, by slot, a part of the hash of the line that it keeps and of the last line that had it.
	marks [memoSlots]struct{ kept, seen uint32 }
	slots [memoSlots]memoSlot
}

const (
	memoSlots = 1 << 10
	memoLine  = 96 // bytes of the longest line that is kept
)

// memoKey is what the reading of a piece of a line depends on.
type memoKey struct {
	text     string // the piece without the number before it
	lexicon  *lexicon
	numbered bool // a number stood before the text
	fence    bool // the line stands in a code fence
}

type memoSlot struct {
	memoKey // its text is empty
	text    [memoLine]byte
	size    int
	lineReading
	step [1]string // backs steps
}

// hash returns the hash of a line, whose lower bits are its slot; 0 for a line that is too long to keep. A line of
// several tasks has a slot for each.
func (k *memoKey) hash() uint64 {
	if len(k.text) > memoLine {
		return 0
	}
	return maphash.String(k.lexicon.seed, k.text) | 1<<63
}

// find returns how a line was read before, or nil. It is valid until the next keep.
func (m *lineMemo) find(k *memoKey, hash uint64) *lineReading {
	slot := hash % memoSlots
	if m.marks[slot].kept != uint32(hash>>32) {
		return nil
	}
	s := &m.slots[slot]
	if s.lexicon != k.lexicon || s.numbered != k.numbered || s.fence != k.fence || string(s.text[:s.size]) != k.text {
		return nil
	}
	return &s.lineReading
}

// keep notes how a line was read.
func (m *lineMemo) keep(k *memoKey, hash uint64, l *lineReading) {
	mark := &m.marks[hash%memoSlots]
	if mark.seen != uint32(hash>>32) && !(l.counts && l.kind == entryItem) {
		mark.seen = uint32(hash >> 32)
		return
	}
	s := &m.slots[hash%memoSlots]
	mark.kept, s.size = uint32(hash>>32), copy(s.text[:], k.text)
	s.lexicon, s.numbered, s.fence = k.lexicon, k.numbered, k.fence
	s.lineReading = *l
	s.steps = append(s.step[:0], l.steps...)
}

// numberBefore cuts the number off a line such as "12. pick up a"; nothing else in how the line is read depends on it.
// The number is 0 for other lines.
func numberBefore(line string) (rest string, number int32) {
	at := 0
	for ; at < len(line) && at < 3 && '0' <= line[at] && line[at] <= '9'; at++ {
		number = number*10 + int32(line[at]-'0')
	}
	if number == 0 || !strings.HasPrefix(line[at:], ". ") {
		return line, 0
	}
	return line[at:], number
}
