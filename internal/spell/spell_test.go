package spell

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"b1", "stack", "unstack", "pick-up", "put-down", strings.Repeat("x", 1000)}
	for name, want := range map[string]string{
		"stak": "stack", "STAK": "stack", "unstakc": "unstack", "zzz": "", "b3": "", "stack": "stack", "unstak": "unstack", "pickup": "pick-up", "drive": "", "": "", "s": "", "putdown": "put-down", strings.Repeat("x", 999): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"a", "", 3, 1}, {"", "ab", 3, 2}, {"kitten", "sitting", 3, 3}, {"ab", "ba", 3, 1},
		{"slove", "solve", 3, 1}, {"Stack", "sTACK", 3, 0}, {"kitten", "sitting", 2, 3}, {"abc", "xyz", 1, 2},
		{"a", "abcdef", 2, 3}, {strings.Repeat("x", 101), strings.Repeat("x", 101), 2, 3},
	} {
		if got, back := distance(c.a, c.b, c.limit), distance(c.b, c.a, c.limit); got != c.want || back != c.want {
			t.Errorf("%.20q %.20q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
