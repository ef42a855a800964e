package llmbridge

// vocabulary maps words to dense indices, case aside. It is filled once and then
// only read. Looking a word up takes its hash and in most cases one
// probe: most words of an answer are not in it.
type vocabulary struct {
	slots []vocabularySlot // open addressing, a power of two, at most half full
	words []string         // lower case
}

// vocabularySlot holds a word by its key: up to eight letters, digits, underscores,
// hyphens and apostrophes are their own key, with small letters, and n is their number.
// Other words have a hash for a key, and minus their length for n.
type vocabularySlot struct {
	key  uint64
	n    int32
	word int32 // index + 1; 0 for an empty slot
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
	smallLetters = 0x2020202020202020 // the bit that small letters have
	golden       = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
)

// wordKey returns the key of a word of any case: words that differ in case have the
// same key. It is exact when n > 0.
func wordKey(s string) (key uint64, n int32) {
	if len(s) > 8 {
		return hashWord(s), -int32(len(s))
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if class := byteClass[c]; class != classWord && class != classDash {
			return hashWord(s), -int32(len(s))
		}
		key |= uint64(c|0x20) << (8 * i)
	}
	return key, int32(len(s))
}

// hashWord hashes a word of any case. It takes eight bytes at a time.
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

// find returns the index of a word, -1 when unknown.
func (v *vocabulary) find(word string) int32 {
	key, n := wordKey(word)
	if n > 0 {
		return v.findShort(key, n)
	}
	if len(v.slots) == 0 {
		return -1
	}
	mask := uint64(len(v.slots) - 1)
	for i := home(key) & mask; ; i = (i + 1) & mask {
		s := &v.slots[i]
		if s.word == 0 {
			return -1
		}
		if s.key == key && s.n == n && equalLower(v.words[s.word-1], word) {
			return s.word - 1
		}
	}
}

// findShort returns the index of a word that is its own key, -1 when unknown.
func (v *vocabulary) findShort(key uint64, n int32) int32 {
	if len(v.slots) == 0 {
		return -1
	}
	mask := uint64(len(v.slots) - 1)
	for i := home(key) & mask; ; i = (i + 1) & mask {
		s := &v.slots[i]
		if s.key == key && s.n == n || s.word == 0 {
			return s.word - 1
		}
	}
}

// home is the slot where the search for a key begins, more bits than are needed.
func home(key uint64) uint64 { return key * golden >> 32 }

// equalLower compares a lower-case word with one of any case.
func equalLower(lower, word string) bool {
	if len(lower) != len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
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
	if 2*(len(v.words)+1) > len(v.slots) {
		old := v.slots
		v.slots = make([]vocabularySlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.word != 0 {
				v.put(s)
			}
		}
	}
	v.words = append(v.words, word)
	w := int32(len(v.words))
	key, n := wordKey(word)
	v.put(vocabularySlot{key, n, w})
	return w - 1, true
}

func (v *vocabulary) put(s vocabularySlot) {
	mask := uint64(len(v.slots) - 1)
	i := home(s.key) & mask
	for v.slots[i].word != 0 {
		i = (i + 1) & mask
	}
	v.slots[i] = s
}
