package extract

// lineReading is what was read from a piece of a line, without its place in the answer.
type lineReading struct {
	lexicon uint64 // lexicon.number
	// text is the piece without the number before it, on which nothing but number depends.
	text     string
	numbered bool
	fence    bool // it stands in a code fence
	// head is what a label before the steps says about the steps below; it gets its own entry.
	head   role
	counts bool // the line adds an entry to the outline
	entry
	steps []string // of an item; "" for a malformed step
}

// knownLine is a reading kept in the memo.
type knownLine struct {
	lineReading
	size int       // bytes of its line in memoTable.text
	one  [1]string // backs steps, most of which are one
}

// lineMemo remembers how lines were read: answers to the same tasks repeat few different lines. It only
// saves time; no result depends on it. A line with steps is kept at once, another line when it comes
// for the second time, and either may replace an older one. Each outline has its own memo, so that
// processors share nothing. Long lines, most of them prose, have a separate table.
type lineMemo struct {
	short, long memoTable
}

// memoTable holds lines of at most room bytes.
type memoTable struct {
	marks []uint32 // by slot: the high half of the hash of the line that is kept
	once  []uint32 // by slot: the same for the last line seen
	known []knownLine
	text  []byte // room bytes per slot
	room  int
}

const (
	shortSlots, shortRoom = 1 << 10, 96 // powers of two; more slots are slower, because they push other data out of the cache
	longSlots, longRoom   = 1 << 7, 320
)

// newLineMemo returns an empty memo.
func newLineMemo() *lineMemo {
	return &lineMemo{newMemoTable(shortSlots, shortRoom), newMemoTable(longSlots, longRoom)}
}

func newMemoTable(slots, room int) memoTable {
	return memoTable{marks: make([]uint32, slots), once: make([]uint32, slots), room: room}
}

// table returns the table for lines of a size, nil if the line is too long to keep.
func (m *lineMemo) table(size int) *memoTable {
	switch {
	case size <= shortRoom:
		return &m.short
	case size <= longRoom:
		return &m.long
	}
	return nil
}

// hash returns the hash of a line; its high half is never 0, which marks an empty slot.
func (l *lineReading) hash() uint64 { return hashWord(l.text) ^ l.lexicon*golden | 1<<32 }

// find returns how a line was read before, or nil. The result is valid until the next note.
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

// note remembers a line that was read.
func (m *memoTable) note(hash uint64, l *lineReading) {
	slot, mark := int(hash)&(len(m.marks)-1), uint32(hash>>32)
	if m.once[slot] != mark && (l.kind != entryItem || !l.counts) {
		m.once[slot] = mark
		return
	}
	if m.known == nil { // allocated for the first line that is kept
		m.known, m.text = make([]knownLine, len(m.marks)), make([]byte, len(m.marks)*m.room)
	}
	k := &m.known[slot]
	k.size = copy(m.text[slot*m.room:(slot+1)*m.room], l.text)
	k.set(l)
	m.marks[slot] = mark
}

// set copies a reading without sharing memory with the answer. Its steps are already pieces of the
// reader's own text (lineReader.keep).
func (l *knownLine) set(from *lineReading) {
	l.lineReading = *from
	l.text, l.steps = "", append(l.one[:0], from.steps...)
}

// numberBefore splits a line such as "12. pick up a". It returns the byte after the number, and the
// number; 0, 0 for other lines.
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
