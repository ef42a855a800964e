package state

import (
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// Packer maps the state variables of a task to bits of 64-bit words. Variables are
// placed first-fit in order of decreasing width (ties by index), which for widths
// up to 32 bits wastes little and is deterministic. Derived variables are not stored. Each
// fluent of a numeric task takes a word behind them.
type Packer struct {
	words int
	facts int    // words with variables; the others hold one fluent each
	slots []slot // by variable
	// fields lists the stored variables of non-zero width by word, for Unpack.
	fields []field
	start  []int32 // fields of word w are fields[start[w]:start[w+1]]
	fixed  []int32 // variables with one value: always 0
	vars   int
}

// slot is the place of one variable. mask is shifted down: value = word>>shift & mask.
type slot struct {
	word  int32
	shift uint8
	mask  uint32
}

type field struct {
	variable int32
	mask     uint32
	shift    uint8
}

// NewPacker lays out the state variables of t.
func NewPacker(t *grounder.Task) *Packer {
	p := &Packer{vars: len(t.Variables), slots: make([]slot, len(t.Variables))}
	type item struct{ v, width int }
	var items []item
	for i := range t.Variables {
		v := &t.Variables[i]
		p.slots[i].word = -1
		if v.Layer >= 0 {
			continue
		}
		w := bits.Len(uint(max(v.Size()-1, 0)))
		if w == 0 {
			p.slots[i] = slot{} // one value: reads as 0 from any word
			p.fixed = append(p.fixed, int32(i))
			continue
		}
		items = append(items, item{i, w})
	}
	slices.SortStableFunc(items, func(x, y item) int { return int(y.width) - int(x.width) })
	p.place(len(items), func(i int) (int, int) { return items[i].v, items[i].width })
	p.facts = max(p.words, 1)
	p.words = p.facts + fluents(t)

	byWord := make([][]field, p.facts)
	for _, it := range items {
		s := p.slots[it.v]
		byWord[s.word] = append(byWord[s.word], field{int32(it.v), s.mask, s.shift})
	}
	p.start = make([]int32, p.facts+1)
	for w, fs := range byWord {
		p.fields = append(p.fields, fs...)
		p.start[w+1] = int32(len(p.fields))
	}
	return p
}

// place assigns n items, given by decreasing width, to the first word with room.
// Words fill up in order of width, so for each width the search resumes where the
// last item of that width went: total time is linear in items and words.
func (p *Packer) place(n int, item func(int) (v, width int)) {
	var used []int // bits used per word
	from, last := 0, 65
	for i := 0; i < n; i++ {
		v, width := item(i)
		if width != last {
			from, last = 0, width
		}
		for from < len(used) && used[from]+width > 64 {
			from++
		}
		if from == len(used) {
			used = append(used, 0)
		}
		p.slots[v] = slot{word: int32(from), shift: uint8(used[from]), mask: uint32(1)<<width - 1}
		used[from] += width
	}
	p.words = len(used)
}

// Words returns the number of 64-bit words of a packed state, at least 1.
func (p *Packer) Words() int { return p.words }

// Stored reports whether variable v is part of the packed state.
func (p *Packer) Stored(v int32) bool { return p.slots[v].word >= 0 }

// Get returns the value of a stored variable.
func (p *Packer) Get(row []uint64, v int32) int32 {
	s := &p.slots[v]
	return int32(uint32(row[s.word]>>s.shift) & s.mask)
}

// Set changes the value of a stored variable.
func (p *Packer) Set(row []uint64, v, val int32) {
	s := &p.slots[v]
	row[s.word] = row[s.word]&^(uint64(s.mask)<<s.shift) | uint64(val)<<s.shift
}

// Pack writes the stored variables of values to row, which has Words() words.
func (p *Packer) Pack(row []uint64, values []int32) {
	for w := 0; w < p.facts; w++ {
		var x uint64
		for _, f := range p.fields[p.start[w]:p.start[w+1]] {
			x |= uint64(uint32(values[f.variable])&f.mask) << f.shift
		}
		row[w] = x
	}
	for w := p.facts; w < p.words; w++ {
		row[w] = uint64(Fluent(values, p.vars, w-p.facts))
	}
}

// Unpack writes the stored variables of row to values, which has Unpacked(task) entries.
// Those of derived variables are left alone.
func (p *Packer) Unpack(values []int32, row []uint64) {
	for w := 0; w < p.facts; w++ {
		x := row[w]
		for _, f := range p.fields[p.start[w]:p.start[w+1]] {
			values[f.variable] = int32(uint32(x>>(f.shift&63)) & f.mask)
		}
	}
	for _, v := range p.fixed {
		values[v] = 0
	}
	for w := p.facts; w < p.words; w++ {
		setFluent(values, p.vars, w-p.facts, int64(row[w]))
	}
}

// bitsOf returns the word of a stored variable, the mask of its bits in place and
// the bits of value val in place.
func (p *Packer) bitsOf(v, val int32) (word int32, mask, set uint64) {
	s := &p.slots[v]
	return s.word, uint64(s.mask) << s.shift, uint64(uint32(val)) << s.shift
}
