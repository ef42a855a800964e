// Package spell finds the name that somebody meant.
package spell

// maxName bounds the names that are compared: the work is quadratic in it.
const maxName = 100

// Nearest returns the known name that differs least from name, if at most a third
// of its letters differ, else "". Of equally near ones the first counts. Case
// matters: callers lower both.
func Nearest(name string, known []string) string {
	if len(name) > maxName {
		return ""
	}
	best, limit := "", max(1, len(name)/3)
	for _, k := range known {
		if len(k) > maxName {
			continue
		}
		if d := distance(name, k); d <= limit && d < len(name) {
			best, limit = k, d-1
		}
	}
	return best
}

// distance is the number of single-character insertions, deletions and
// replacements that turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
