// Package spell finds the known name that a misspelt one probably means, and lists the
// known names:
//
//	unstakc, [stack unstack pick-up] ─► Nearest ─► unstack ─► "did you mean unstack?"
package spell

// A hint must never cost more than the work around it, whatever the input: these bound the
// length of names and the number of names compared.
const (
	maxName  = 100
	maxNames = 20000
)

// Nearest returns the known name that differs least from name, if at most a third of its
// letters differ, else ""; names of one or two letters never have one. Of equally near
// names it returns the first. The case of ASCII letters does not matter.
func Nearest(name string, known []string) string {
	if len(name) > maxName {
		return ""
	}
	best, limit := "", len(name)/3
	for i, k := range known {
		if i == maxNames || limit <= 0 {
			break
		}
		if d := distance(name, k, limit); d <= limit && d < len(name) {
			best, limit = k, d-1
		}
	}
	return best
}

// distance is the number of single-character insertions, deletions, replacements and swaps
// of neighbours that turn a into b (optimal string alignment), or limit+1 if it is more
// than limit. The case of ASCII letters does not matter.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit || len(a) > maxName || len(b) > maxName {
		return limit + 1
	}
	var rows [3][maxName + 1]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range b {
		prev[j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			x, y := lower(a[i-1]), lower(b[j-1])
			d := prev[j-1]
			if x != y {
				d++
			}
			d = min(d, prev[j]+1, cur[j-1]+1)
			if i > 1 && j > 1 && x == lower(b[j-2]) && lower(a[i-2]) == y {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(b)], limit+1)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
