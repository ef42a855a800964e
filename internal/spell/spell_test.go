package spell

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"stack", "unstack", "pick-up", "put-down", strings.Repeat("x", 1000)}
	for name, want := range map[string]string{
		"stak": "stack", "stack": "stack", "unstak": "unstack", "pickup": "pick-up", "drive": "", "": "", "s": "", "putdown": "put-down", strings.Repeat("x", 999): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
