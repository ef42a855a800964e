package llmbridge

// vocabulary maps words to dense indices, case aside. It is filled once and then
// only read. Looking a word up takes its hash, which the scanner computes on the
// way, and in most cases one probe: most words of an answer are not in it.
type vocabulary struct {
	slots []vocabularySlot // open addressing, a power of two, at most half full
	words []string         // lower case
}

type vocabularySlot struct {
	hash uint32
	word int32 // index + 1; 0 for an empty slot
}

const (
	hashBasis = 2166136261 // FNV-1a
	hashPrime = 16777619
)

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

func hashWord(s string) uint32 {
	h := uint32(hashBasis)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(lowerByte[s[i]])) * hashPrime
	}
	return h
}

// find returns the index of a word with the given hash, -1 when unknown.
func (v *vocabulary) find(word string, hash uint32) int32 {
	if len(v.slots) == 0 {
		return -1
	}
	mask := uint32(len(v.slots) - 1)
	for i := (hash ^ hash>>15) & mask; ; i = (i + 1) & mask {
		s := v.slots[i]
		if s.word == 0 {
			return -1
		}
		if s.hash == hash && equalLower(v.words[s.word-1], word) {
			return s.word - 1
		}
	}
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
	hash := hashWord(word)
	if w := v.find(word, hash); w >= 0 {
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
	v.put(vocabularySlot{hash, w})
	return w - 1, true
}

func (v *vocabulary) put(s vocabularySlot) {
	mask := uint32(len(v.slots) - 1)
	i := (s.hash ^ s.hash>>15) & mask
	for v.slots[i].word != 0 {
		i = (i + 1) & mask
	}
	v.slots[i] = s
}
