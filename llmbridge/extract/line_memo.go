package extract

import "strings"

// lineMemo keeps how lines were read: answers to the same tasks repeat few different lines. A line has room in one of
// two slots and takes the place of the one that was needed less lately. The memo only saves time; no result depends on
// it.
type lineMemo struct {
	marks []memoMarks
	slots [][2]memoSlot // by set, as the marks
	kept  int           // lines so far
}

// memoMarks are about the two slots of a set.
type memoMarks struct {
	kept [2]uint32 // parts of the hashes of the lines in the slots
	last uint32    // the slot that was needed last
}

const (
	// A memo is small at first, for the processor's cache. Once it has kept manyLines it has room for those of some
	// thousand answers, about 3 MB: whoever reads so many reads answers to the same tasks again.
	memoSets  = 1 << 9
	moreSets  = 1 << 13
	manyLines = 1 << 15
	memoLine  = 64 // bytes of the longest line that is kept; longer ones seldom come again
)

func (m *lineMemo) makeRoom(sets int) {
	m.marks, m.slots = make([]memoMarks, sets), make([][2]memoSlot, sets)
}

// memoKey is what the reading of a piece of a line depends on.
type memoKey struct {
	text     string // the piece without the number before it
	lexicon  *lexicon
	numbered bool // a number stood before the text
	fence    bool // the line stands in a code fence
}

// memoSlot is a line that is kept, with one step at most. It is small, for the processor's cache.
type memoSlot struct {
	lexicon  *lexicon
	text     [memoLine]byte
	size     uint8 // of the text
	numbered bool
	fence    bool
	counts   bool // as in lineReading
	steps    uint8
	entry
	step [1]string
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

// find returns a line that was read before, or nil. It is valid until the next keep.
func (m *lineMemo) find(k *memoKey, hash uint64) *memoSlot {
	set := hash & uint64(len(m.marks)-1)
	mark := &m.marks[set]
	for i := range mark.kept {
		if mark.kept[i] != uint32(hash>>32) {
			continue
		}
		if s := &m.slots[set][i]; s.lexicon == k.lexicon && s.numbered == k.numbered && s.fence == k.fence && string(s.text[:s.size]) == k.text {
			mark.last = uint32(i)
			return s
		}
	}
	return nil
}

// keep notes how a line was read.
func (m *lineMemo) keep(k *memoKey, hash uint64, l *lineReading) {
	if len(l.steps) > 1 {
		return
	}
	if m.kept++; m.kept == manyLines {
		m.makeRoom(moreSets)
	}
	set := hash & uint64(len(m.marks)-1)
	mark := &m.marks[set]
	mark.last ^= 1
	mark.kept[mark.last] = uint32(hash >> 32)
	s := &m.slots[set][mark.last]
	s.lexicon, s.numbered, s.fence, s.size = k.lexicon, k.numbered, k.fence, uint8(copy(s.text[:], k.text))
	s.entry = *l.entry
	if s.counts, s.steps = l.counts, uint8(len(l.steps)); len(l.steps) == 1 {
		s.step[0] = l.steps[0]
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
