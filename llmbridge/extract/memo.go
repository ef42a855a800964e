package extract

// lineReading is what a piece of a line was read as, apart from its place.
type lineReading struct {
	lexicon uint64 // its number
	// The piece, without the number in front of it, of which only number depends.
	text     string
	numbered bool
	fence    bool // read within a code fence
	// What a label before the steps says of those below: an entry of its own.
	head   role
	counts bool // entry is one of the outline
	entry
	steps []string // of an item, "" where one is malformed
}

// knownLine is a reading that is kept.
type knownLine struct {
	lineReading
	size int // of what it is of, in the table's text
	one  [1]string
}

// lineMemo keeps how lines were read that come again and again: answers to the same
// tasks consist of few different lines. Nothing depends on what it keeps. A line with
// steps is kept at once and another line when it is seen for the second time, in the place
// of another if need be. Each outline has one: readers share outlines, and nothing is
// shared between processors. Long lines, most of them prose, have a table of their own.
type lineMemo struct {
	short, long memoTable
}

// memoTable keeps lines of at most room bytes.
type memoTable struct {
	marks []uint32 // the high half of their hashes, of lines that are kept
	once  []uint32 // the same of lines that were seen
	known []knownLine
	text  []byte // room bytes for each of them
	room  int
}

const (
	shortSlots, shortRoom = 1 << 10, 96 // a power of two; more are slower, since other things leave the cache
	longSlots, longRoom   = 1 << 7, 320
)

// newLineMemo keeps nothing yet.
func newLineMemo() *lineMemo {
	return &lineMemo{newMemoTable(shortSlots, shortRoom), newMemoTable(longSlots, longRoom)}
}

func newMemoTable(slots, room int) memoTable {
	return memoTable{marks: make([]uint32, slots), once: make([]uint32, slots), room: room}
}

// table returns where a line of some length is kept, nil for one that is too long.
func (m *lineMemo) table(size int) *memoTable {
	switch {
	case size <= shortRoom:
		return &m.short
	case size <= longRoom:
		return &m.long
	}
	return nil
}

// hash returns the hash of a line, which has a mark.
func (l *lineReading) hash() uint64 { return hashWord(l.text) ^ l.lexicon*golden | 1<<32 }

// find returns how a line was read, nil when that is not known; it is good until a line
// is noted.
func (m *memoTable) find(hash uint64, line *lineReading) *lineReading {
	slot := int(hash) & (len(m.marks) - 1)
	if m.marks[slot] != uint32(hash>>32) {
		return nil
	}
	l := &m.known[slot]
	if at := slot * m.room; l.lexicon == line.lexicon && l.fence == line.fence && l.numbered == line.numbered && string(m.text[at:at+l.size]) == line.text {
		return &l.lineReading
	}
	return nil
}

// note takes note of a line that was read.
func (m *memoTable) note(hash uint64, l *lineReading) {
	slot, mark := int(hash)&(len(m.marks)-1), uint32(hash>>32)
	if m.once[slot] != mark && (l.kind != entryItem || !l.counts) {
		m.once[slot] = mark
		return
	}
	if m.known == nil { // made when the first line is kept
		m.known, m.text = make([]knownLine, len(m.marks)), make([]byte, len(m.marks)*m.room)
	}
	k := &m.known[slot]
	k.size = copy(m.text[slot*m.room:(slot+1)*m.room], l.text)
	k.set(l)
	m.marks[slot] = mark
}

// set makes l a copy of a reading that shares no memory with the answer. Its steps are
// pieces of what steps are written to, stepRoom each.
func (l *knownLine) set(from *lineReading) {
	l.lineReading = *from
	l.text, l.steps = "", append(l.one[:0], from.steps...)
}

// numberBefore splits a line such as "12. pick up a": it returns where the text after
// the number begins and the number; 0, 0 for another line.
func numberBefore(line string) (at int, number int32) {
	for at < len(line) && at < 3 && '0' <= line[at] && line[at] <= '9' {
		number = number*10 + int32(line[at]-'0')
		at++
	}
	if at == 0 || at+1 >= len(line) || line[at] != '.' || line[at+1] != ' ' {
		return 0, 0
	}
	return at, number
}
