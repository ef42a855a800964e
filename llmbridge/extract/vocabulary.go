package extract

// vocabulary maps words, in any case, to dense indices. It is filled once and then only read. Most words
// of an answer are not in it, and one probe of a small table finds that out.
type vocabulary struct {
	slots []int32   // open addressing, at most half full: a word's index + 1
	keys  []wordKey // by word
	words []string  // lower case
}

// wordKey is the key of a word; words that differ only in case have the same key. One of fewer than eight bytes has
// them as its key, a longer one a hash and the highest bit.
type wordKey uint64

// add returns the key after one more byte, at index i of the word.
func (k wordKey) add(c byte, i int) wordKey {
	if i < 7 {
		return k<<8 | wordKey(lowerByte[c])
	}
	return (k^wordKey(lowerByte[c]))*golden | 1<<63
}

const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

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

func keyOf(word string) (k wordKey) {
	for i := range len(word) {
		k = k.add(word[i], i)
	}
	return k
}

// home returns the slot at which the search for a key begins.
func (v *vocabulary) home(k wordKey) int {
	return int((uint64(k)*golden)>>32) & (len(v.slots) - 1)
}

// find returns the index of the word with a key, or -1.
func (v *vocabulary) find(k wordKey, word string) int32 {
	for i := v.home(k); v.slots[i] != 0; i = (i + 1) & (len(v.slots) - 1) {
		if w := v.slots[i] - 1; v.keys[w] == k && (k>>63 == 0 || equalLower(v.words[w], word)) {
			return w
		}
	}
	return -1
}

// equalLower reports whether a word in any case equals a lower-case one.
func equalLower(lower, word string) bool {
	if len(lower) != len(word) {
		return false
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
	if 2*len(v.words)+2 > len(v.slots) {
		v.slots = make([]int32, max(64, 2*len(v.slots)))
		for w := range v.words {
			v.put(w)
		}
	}
	k := keyOf(word)
	if w := v.find(k, word); w >= 0 {
		return w, false
	}
	v.words, v.keys = append(v.words, word), append(v.keys, k)
	v.put(len(v.words) - 1)
	return int32(len(v.words)) - 1, true
}

// put enters a word in the table.
func (v *vocabulary) put(word int) {
	i := v.home(v.keys[word])
	for v.slots[i] != 0 {
		i = (i + 1) & (len(v.slots) - 1)
	}
	v.slots[i] = int32(word + 1)
}
