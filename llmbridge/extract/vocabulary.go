package extract

import "math/bits"

// vocabulary maps words, in any case, to dense indices. It is filled once and then only read. Most words
// of an answer are not in it, and one probe of a small table finds that out.
type vocabulary struct {
	slots []wordSlot // an open-addressing table, at most three quarters full
	shift uint8      // 64 less the number of bits that count the slots
	words []string   // lower case
}

// wordSlot is a place in the table; its key is 0 and its word -1 if it is empty.
type wordSlot struct {
	key  uint64
	word int32
	bits lineBits // of the word, from lexicon.finish on
}

const (
	smallLetters = 0x2020202020202020 // the bit that tells small letters from capitals
	everyByte    = 0x0101010101010101
	highBits     = 0x80 * everyByte
	golden       = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	hashBit      = 1 << 63            // marks a key that is a hash; no key of ASCII bytes has it
)

// wordKey returns the key of a word; words that differ only in case have the same key. Up to eight letters,
// digits, underscores, hyphens and apostrophes, in lower case, are their own key. For other words the
// key is a hash with hashBit set.
func wordKey(s string) uint64 {
	if n := len(s); n > 8 {
		hash, rest := uint64(n), s
		for ; len(rest) > 8; rest = rest[8:] {
			hash = mix(hash, load8(rest)|smallLetters)
		}
		return mix(hash, (load8(s[n-8:])|smallLetters)>>(64-8*len(rest))) | hashBit
	}
	key, plain := uint64(0), s != ""
	for i := range len(s) {
		class := byteClass[s[i]]
		plain = plain && (class >= classDigit || class == classDash)
		key |= uint64(s[i]|0x20) << (8 * i)
	}
	if plain {
		return key
	}
	return mix(uint64(len(s)), key) | hashBit
}

// mix adds a key to a hash.
func mix(hash, key uint64) uint64 {
	hash = (hash ^ key) * golden
	return hash ^ hash>>32
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
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

// home returns the slot at which the search for a key begins.
func home(key uint64, shift uint8) uint32 { return uint32(key * golden >> (shift & 63)) }

// find returns the index of a word in any case, or -1.
func (v *vocabulary) find(word string) int32 {
	if len(v.slots) == 0 {
		return -1
	}
	key, mask := wordKey(word), uint32(len(v.slots)-1)
	for i := home(key, v.shift); ; i++ {
		switch s := &v.slots[i&mask]; {
		case s.key == 0:
			return -1
		case s.key == key && (key&hashBit == 0 || equalLower(v.words[s.word], word)):
			return s.word
		}
	}
}

// findKey is find for a key that is no hash, which finds nothing if it is 0. It returns the word's bits too.
func (v *vocabulary) findKey(key uint64) (word int32, bits lineBits) {
	mask := uint32(len(v.slots) - 1)
	for i := home(key, v.shift); ; i++ {
		s := &v.slots[i&mask]
		switch s.key {
		case 0:
			return -1, 0
		case key:
			return s.word, s.bits
		}
	}
}

// equalLower reports whether a word in any case equals a lower-case one.
func equalLower(lower, word string) bool {
	if len(lower) != len(word) {
		return false
	}
	if lower == word {
		return true
	}
	for i := range len(word) {
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
	v.words = append(v.words, word)
	if 4*len(v.words) > 3*len(v.slots) {
		v.slots = make([]wordSlot, max(64, 2*len(v.slots)))
		v.shift = uint8(64 - bits.TrailingZeros(uint(len(v.slots))))
		v.fill(0)
	} else {
		v.put(len(v.words) - 1)
	}
	return int32(len(v.words)) - 1, true
}

// fill enters all words in the table, those from index first on before the others: an earlier one is found sooner.
func (v *vocabulary) fill(first int) {
	for i := range v.slots {
		v.slots[i] = wordSlot{word: -1}
	}
	for w := range v.words {
		v.put((first + w) % len(v.words))
	}
}

// put enters a word in the table.
func (v *vocabulary) put(word int) {
	key, mask := wordKey(v.words[word]), uint32(len(v.slots)-1)
	i := home(key, v.shift)
	for v.slots[i&mask].key != 0 {
		i++
	}
	v.slots[i&mask] = wordSlot{key: key, word: int32(word)}
}
