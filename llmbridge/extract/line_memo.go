package extract

import (
	"slices"
	"strings"
)

// lineMemo keeps how lines were read: answers to the same tasks repeat few different lines. A line has room in one of
// two slots and takes the place of the one that was needed less lately. The memo only saves time; no result depends on
// it.
type lineMemo struct {
	marks [memoSets]struct {
		kept [2]uint32 // parts of the hashes of the lines in the slots
		last uint32    // the slot that was needed last
	}
	slots [memoSets][2]memoSlot
}

const (
	memoSets = 1 << 9
	memoLine = 64 // bytes of the longest line that is kept; longer ones seldom come again
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
	own  entry     // backs entry
	step [1]string // backs steps
}

// hash returns the hash of a line, whose lower bits are its set; 0 for a line that is too long to keep.
func (k *memoKey) hash() uint64 {
	if len(k.text) > memoLine {
		return 0
	}
	hash, rest := k.lexicon.seed^uint64(len(k.text)), k.text
	for ; len(rest) > 8; rest = rest[8:] {
		hash = mix(hash, load8(rest))
	}
	return mix(hash, lastBytes(k.text, len(rest))) | 1<<63
}

// lastBytes returns the last n bytes of a text, which are at most eight.
func lastBytes(text string, n int) (x uint64) {
	if len(text) >= 8 {
		return load8(text[len(text)-8:]) >> (64 - 8*n)
	}
	for i := range len(text) {
		x |= uint64(text[i]) << (8 * i)
	}
	return x
}

// find returns how a line was read before, or nil. It is valid until the next keep.
func (m *lineMemo) find(k *memoKey, hash uint64) *lineReading {
	set, mark := hash%memoSets, &m.marks[hash%memoSets]
	for i := range mark.kept {
		if mark.kept[i] != uint32(hash>>32) {
			continue
		}
		if s := &m.slots[set][i]; s.lexicon == k.lexicon && s.numbered == k.numbered && s.fence == k.fence && string(s.text[:s.size]) == k.text {
			mark.last = uint32(i)
			return &s.lineReading
		}
	}
	return nil
}

// keep notes how a line was read.
func (m *lineMemo) keep(k *memoKey, hash uint64, l *lineReading) {
	mark := &m.marks[hash%memoSets]
	mark.last ^= 1
	s := &m.slots[hash%memoSets][mark.last]
	mark.kept[mark.last], s.size = uint32(hash>>32), copy(s.text[:], k.text)
	s.lexicon, s.numbered, s.fence = k.lexicon, k.numbered, k.fence
	s.lineReading, s.own = *l, *l.entry
	s.entry = &s.own
	if s.steps = s.step[:0]; len(l.steps) == 1 { // as most items have
		s.step[0], s.steps = l.steps[0], s.step[:1]
	} else if len(l.steps) > 1 {
		s.steps = slices.Clone(l.steps)
	}
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
