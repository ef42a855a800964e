package validator

// nameTable finds the index of a name, ignoring ASCII case, without allocating.
// The judge has its own instead of the parser's look-ups because a plan's names
// are looked up millions of times and arrive in any spelling.
type nameTable struct {
	slots []int32 // index+1 into names; len is a power of two
	names []string
}

// newNameTable builds a table over names, which are distinct when case is ignored.
func newNameTable(names []string) nameTable {
	size := 8
	for size < 2*len(names) {
		size *= 2
	}
	t := nameTable{slots: make([]int32, size), names: names}
	for i, n := range names {
		h := foldHash(n) & uint64(size-1)
		for t.slots[h] != 0 {
			h = (h + 1) & uint64(size-1)
		}
		t.slots[h] = int32(i) + 1
	}
	return t
}

// find returns the index of name, or -1.
func (t *nameTable) find(name string) int32 {
	mask := uint64(len(t.slots) - 1)
	for h := foldHash(name) & mask; ; h = (h + 1) & mask {
		i := t.slots[h] - 1
		if i < 0 {
			return -1
		}
		if n := t.names[i]; n == name || foldEqual(n, name) {
			return i
		}
	}
}

// foldHash hashes name so that spellings which differ in case collide. Setting
// bit 5 of every byte lowers letters and merges a few other characters, which a
// hash may do; eight bytes are taken at once.
func foldHash(s string) uint64 {
	const fold = 0x2020202020202020
	h := uint64(len(s)) * 0x9e3779b97f4a7c15
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = mix(h ^ (w | fold))
		s = s[8:]
	}
	var w uint64
	for i := 0; i < len(s); i++ {
		w = w<<8 | uint64(s[i])
	}
	return mix(h ^ (w | fold))
}

// mix spreads the bits of x (the finaliser of splitmix64, shortened).
func mix(x uint64) uint64 {
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93
	return x ^ (x >> 32)
}

// foldEqual reports whether a and b are equal when ASCII case is ignored.
func foldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
