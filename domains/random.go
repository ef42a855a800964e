package domains

import "math/bits"

// random is splitmix64 (Steele, Lea and Flood, OOPSLA 2014). The standard
// library's generators may change their output between Go releases, and a task's
// name must keep its meaning.
type random struct{ state uint64 }

// newRandom seeds a generator from the numbers of a task's name, so that tasks
// that differ in any parameter are unrelated.
func newRandom(numbers ...uint64) *random {
	r := &random{}
	for _, n := range numbers {
		r.state ^= n
		r.state = r.next()
	}
	return r
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// intn returns a uniform number in 0..n-1.
func (r *random) intn(n int) int {
	threshold := -uint64(n) % uint64(n) // 2^64 mod n: below it, numbers are over-represented
	for {
		hi, lo := bits.Mul64(r.next(), uint64(n))
		if lo >= threshold {
			return int(hi)
		}
	}
}

// perm returns a uniform permutation of 0..n-1.
func (r *random) perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := r.intn(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}
