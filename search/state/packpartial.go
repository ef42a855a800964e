package state

import "math/bits"

// PackPartial writes a partial state, one value per variable or a negative number for
// "unconstrained", to two rows of Words() words each: mask has the bits of the constrained
// variables, bits their values. Variables with one value have no bits and always come back
// as unconstrained, which says the same.
func (p *Packer) PackPartial(bits, mask []uint64, values []int32) {
	for w := 0; w < p.words; w++ {
		var x, m uint64
		for _, f := range p.fields[p.start[w]:p.start[w+1]] {
			if v := values[f.variable]; v >= 0 {
				x |= uint64(uint32(v)&f.mask) << f.shift
				m |= uint64(f.mask) << f.shift
			}
		}
		bits[w], mask[w] = x, m
	}
}

// UnpackPartial writes to values what PackPartial has packed, -1 for unconstrained
// variables. Entries of derived variables are left alone.
func (p *Packer) UnpackPartial(values []int32, bits, mask []uint64) {
	for w := 0; w < p.words; w++ {
		x, m := bits[w], mask[w]
		for _, f := range p.fields[p.start[w]:p.start[w+1]] {
			if m>>(f.shift&63)&1 == 0 {
				values[f.variable] = -1
			} else {
				values[f.variable] = int32(uint32(x>>(f.shift&63)) & f.mask)
			}
		}
	}
	for _, v := range p.fixed {
		values[v] = -1
	}
}

// Field is a stretch of at most four bits of a packed state that belongs to one variable.
type Field struct {
	Word  int32
	Shift uint8
	Width uint8
}

// Value returns the content of the field.
func (f *Field) Value(row []uint64) int { return int(row[f.Word] >> f.Shift & (1<<f.Width - 1)) }

// Set reports whether a mask made by PackPartial has the field's variable.
func (f *Field) Set(mask []uint64) bool { return mask[f.Word]>>f.Shift&1 != 0 }

// Fields cuts the packed state into fields, by word and shift: together they cover all
// bits in which states differ.
func (p *Packer) Fields() []Field {
	var out []Field
	for w := 0; w < p.words; w++ {
		for _, f := range p.fields[p.start[w]:p.start[w+1]] {
			for shift, mask := f.shift, f.mask; mask != 0; {
				width := uint8(min(4, bits.Len32(mask)))
				out = append(out, Field{int32(w), shift, width})
				shift, mask = shift+width, mask>>width
			}
		}
	}
	return out
}
