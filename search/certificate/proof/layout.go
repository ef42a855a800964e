package proof

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// Layout says how a certificate writes a state: the state variables in order of their
// index, each in as many bits as its values need, from the top bit of 64-bit words on. A
// variable does not straddle two words. Derived variables are left out.
type Layout struct {
	slots []slot // by variable; word is -1 for derived variables
	size  []int32
	words int
	Bytes int // of a state in a file: the words, most significant byte first, less the unused end
}

type slot struct {
	word  int
	shift uint
	mask  uint64
}

// NewLayout returns the layout of the states over variables.
func NewLayout(variables []fdr.Variable) *Layout {
	l := &Layout{slots: make([]slot, len(variables)), size: make([]int32, len(variables)), words: 1}
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
			l.words++
			used = 0
		}
		used += width
		l.slots[v] = slot{word: l.words - 1, shift: (64 - used) & 63, mask: 1<<width - 1}
	}
	l.Bytes = (l.words-1)*8 + int(used+7)/8
	return l
}

// Words returns the number of words of a state.
func (l *Layout) Words() int { return l.words }

// Pack writes the state variables of values to row, which has Words() words.
func (l *Layout) Pack(row []uint64, values []int32) {
	clear(row)
	for v := range l.slots {
		if s := &l.slots[v]; s.word >= 0 {
			row[s.word] |= uint64(uint32(values[v])) & s.mask << s.shift
		}
	}
}

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
