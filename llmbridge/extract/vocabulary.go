package extract

import "math/bits"

// vocabulary maps words, in any case, to dense indices. It is filled once and then only read. Most words
// of an answer are not in it, and one probe of a small table finds that out. The table is small because
// many vocabularies are in use at the same time.
type vocabulary struct {
	// slots is an open-addressing table, at most half full, whose size is a power of two. The low
	// bits of a slot, as many as count the slots, hold a word's index + 1; the bits above hold
	// the tag, part of the hash of its key. An empty slot is 0.
	slots []uint32
	shift uint8    // 64 minus the number of low bits
	keys  []uint64 // by word
	words []string // lower case
}

// lowerByte maps upper-case ASCII letters to lower case.
var lowerByte = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return
}()

const (
	smallLetters = 0x2020202020202020 // the bit that tells small letters from capitals
	golden       = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
)

// wordKey returns the key of a word; words that differ only in case have the same key. Up to eight letters,
// digits, underscores, hyphens and apostrophes, in lower case, are their own key. For other words the
// key is a hash with hashBit set.
func wordKey(s string) uint64 {
	if len(s) > 8 {
		return hashWord(s) | hashBit
	}
	key := uint64(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if class := byteClass[c]; class != classWord && class != classDash {
			return hashWord(s) | hashBit
		}
		key |= uint64(c|0x20) << (8 * i)
	}
	return key
}

// hashBit marks a key that is a hash; no key of ASCII bytes has it.
const hashBit = 1 << 63

// hashWord hashes a word without regard to case, eight bytes at a time.
func hashWord(s string) uint64 {
	h, n := uint64(len(s))*golden, len(s)
	switch {
	case n >= 8:
		for i := 0; i+8 < n; i += 8 {
			h = (h ^ (load8(s[i:]) | smallLetters)) * golden
			h ^= h >> 32
		}
		h ^= load8(s[n-8:]) | smallLetters
	case n >= 4:
		h ^= (load4(s) | load4(s[n-4:])<<32) | smallLetters
	case n > 0:
		h ^= (uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16) | smallLetters
	}
	h *= golden
	return h ^ h>>32
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load4(s string) uint64 {
	_ = s[3]
	return uint64(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// find returns the index of a word in any case, or -1.
func (v *vocabulary) find(word string) int32 {
	if len(v.slots) == 0 {
		return -1
	}
	key := wordKey(word)
	mask := uint32(len(v.slots) - 1)
	for i, tag := homeAndTag(key, v.shift); ; i++ {
		s := v.slots[i&mask]
		if s == 0 {
			return -1
		}
		if w := s&mask - 1; (s^tag)&^mask == 0 && v.keys[w] == key && (key&hashBit == 0 || equalLower(v.words[w], word)) {
			return int32(w)
		}
	}
}

// homeAndTag returns the slot at which the search for a key begins, and the key's tag, whose low bits are
// ignored.
func homeAndTag(key uint64, shift uint8) (home, tag uint32) {
	h := key * golden
	return uint32(h >> (shift & 63)), uint32(h >> 20)
}

// lower8 maps the capital ASCII letters among eight bytes to lower case.
func lower8(x uint64) uint64 {
	low := x &^ highBits
	capital := (low + (0x80-'A')*eachByte) &^ (low + (0x7f-'Z')*eachByte) &^ x & highBits
	return x | capital>>2
}

// equalLower reports whether a word in any case equals a lower-case one.
func equalLower(lower, word string) bool {
	if len(lower) != len(word) {
		return false
	}
	i := 0
	for ; i+8 <= len(word); i += 8 {
		if lower8(load8(word[i:])) != load8(lower[i:]) {
			return false
		}
	}
	for ; i < len(word); i++ {
		if lowerByte[word[i]] != lower[i] {
			return false
		}
	}
	return true
}

// add returns the index of a lower-case word and whether it is new.
func (v *vocabulary) add(word string) (int32, bool) {
	if w := v.find(word); w >= 0 {
		return w, false
	}
	v.words, v.keys = append(v.words, word), append(v.keys, wordKey(word))
	if 2*len(v.words) > len(v.slots) {
		v.slots = make([]uint32, max(64, 2*len(v.slots)))
		v.shift = uint8(64 - bits.TrailingZeros(uint(len(v.slots))))
		for w := range v.words {
			v.put(w)
		}
	} else {
		v.put(len(v.words) - 1)
	}
	return int32(len(v.words)) - 1, true
}

// put enters a word in the table.
func (v *vocabulary) put(word int) {
	mask := uint32(len(v.slots) - 1)
	i, tag := homeAndTag(v.keys[word], v.shift)
	for v.slots[i&mask] != 0 {
		i++
	}
	v.slots[i&mask] = tag&^mask | uint32(word+1)
}
