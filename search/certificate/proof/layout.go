package proof

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// Layout says how a certificate writes a state: the state variables in order of their
// index, each in as many bits as its values need, from the top bit of 64-bit words on. A
// variable does not straddle two words. Derived variables are left out. Each numeric fluent takes
// a word behind them.
type Layout struct {
	slots []slot // by variable; word is -1 for derived variables
	size  []int32
	facts int // words with variables
	words int
	Bytes int // of a state in a file: the words, most significant byte first, less the unused end
}

type slot struct {
	word  int
	shift uint
	mask  uint64
}

// NewLayout returns the layout of the states over variables and a number of fluents.
func NewLayout(variables []fdr.Variable, fluents int) *Layout {
	l := &Layout{slots: make([]slot, len(variables)), size: make([]int32, len(variables)), facts: 1}
	used := uint(0)
	for v := range variables {
		x := &variables[v]
		l.size[v] = int32(x.Size())
		if x.Layer >= 0 {
			l.slots[v].word = -1
			continue
		}
		width := uint(bits.Len32(uint32(max(l.size[v]-1, 0))))
		if used+width > 64 {
			l.facts++
			used = 0
		}
		used += width
		l.slots[v] = slot{word: l.facts - 1, shift: (64 - used) & 63, mask: 1<<width - 1}
	}
	l.words = l.facts + fluents
	if l.Bytes = (l.facts-1)*8 + int(used+7)/8; fluents > 0 {
		l.Bytes = l.words * 8
	}
	return l
}

// Words returns the number of words of a state.
func (l *Layout) Words() int { return l.words }

// Entries is the length of an unpacked state: a value for each variable, and two entries for the
// number of each fluent.
func (l *Layout) Entries() int { return len(l.slots) + 2*(l.words-l.facts) }

// Pack writes the state in values, which has Entries() entries, to row, which has Words() words.
func (l *Layout) Pack(row []uint64, values []int32) {
	clear(row)
	for v := range l.slots {
		if s := &l.slots[v]; s.word >= 0 {
			row[s.word] |= uint64(uint32(values[v])) & s.mask << s.shift
		}
	}
	for f := range l.words - l.facts {
		row[l.facts+f] = uint64(number(values[len(l.slots):], f))
	}
}

// Number returns the value of fluent f of an unpacked state, in units.
func (l *Layout) Number(values []int32, f int) int64 { return number(values[len(l.slots):], f) }

// set changes the value of one state variable.
func (l *Layout) set(row []uint64, v, val int32) {
	s := &l.slots[v]
	row[s.word] = row[s.word]&^(s.mask<<s.shift) | uint64(uint32(val))<<s.shift
}

// Unpack writes the state in row to values, except for derived variables.
func (l *Layout) Unpack(values []int32, row []uint64) {
	for v := range l.slots {
		if s := &l.slots[v]; s.word >= 0 {
			values[v] = int32(row[s.word] >> s.shift & s.mask)
		}
	}
	for f := range l.words - l.facts {
		setNumber(values[len(l.slots):], f, int64(row[l.facts+f]))
	}
}

// valid reports whether row is the packed form of a state.
func (l *Layout) valid(row []uint64, values []int32, again []uint64) bool {
	l.Unpack(values, row)
	for v, s := range l.slots {
		if s.word >= 0 && values[v] >= l.size[v] {
			return false
		}
	}
	l.Pack(again, values)
	return slices.Equal(row, again)
}

// fromBytes reads a state in the form of the file.
func (l *Layout) fromBytes(row []uint64, src []byte) {
	var b [8]byte
	for i := range row {
		clear(b[:])
		copy(b[:], src[i*8:])
		row[i] = binary.BigEndian.Uint64(b[:])
	}
}
