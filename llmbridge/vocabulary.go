package llmbridge

// vocabulary maps words to dense indices, case aside. It is filled once and then
// only read. Looking a word up takes in most cases one probe of a small table: most
// words of an answer are not in it.
type vocabulary struct {
	slots []vocabularySlot // open addressing, a power of two, at most half full
	keys  []uint64         // by word
	words []string         // lower case
}

// vocabularySlot holds a word by a part of the hash of its key.
type vocabularySlot struct {
	tag  uint32
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
// same key. Up to eight letters, digits, underscores, hyphens and apostrophes are their
// own key, with small letters; other words have a hash for a key, with hashBit set.
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

// hashBit is set in a key that is a hash, and in no ASCII byte.
const hashBit = 1 << 63

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
	key := wordKey(word)
	if key&hashBit == 0 {
		return v.findShort(key)
	}
	if len(v.slots) == 0 {
		return -1
	}
	mask := uint32(len(v.slots) - 1)
	for i, tag := homeAndTag(key); ; i++ {
		s := v.slots[i&mask]
		if s.word == 0 || s.tag == tag && v.keys[s.word-1] == key && equalLower(v.words[s.word-1], word) {
			return s.word - 1
		}
	}
}

// findShort returns the index of a word that is its own key, -1 when unknown.
func (v *vocabulary) findShort(key uint64) int32 {
	if len(v.slots) == 0 {
		return -1
	}
	mask := uint32(len(v.slots) - 1)
	for i, tag := homeAndTag(key); ; i++ {
		s := v.slots[i&mask]
		if s.word == 0 || s.tag == tag && v.keys[s.word-1] == key {
			return s.word - 1
		}
	}
}

// homeAndTag returns where the search for a key begins, with more bits than are needed,
// and the key's tag.
func homeAndTag(key uint64) (home, tag uint32) {
	h := key * golden
	return uint32(h >> 32), uint32(h >> 20)
}

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
	v.words, v.keys = append(v.words, word), append(v.keys, wordKey(word))
	_, tag := homeAndTag(wordKey(word))
	v.put(vocabularySlot{tag, int32(len(v.words))})
	return int32(len(v.words)) - 1, true
}

func (v *vocabulary) put(s vocabularySlot) {
	mask := uint32(len(v.slots) - 1)
	i, _ := homeAndTag(v.keys[s.word-1])
	for v.slots[i&mask].word != 0 {
		i++
	}
	v.slots[i&mask] = s
}
