package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestBins(t *testing.T) {
	for _, c := range []struct {
		b     *bins
		names string
		of    map[float64]string
	}{
		{newBins([]float64{4, 5, 8}), "0-4 5 6-8 9+", map[float64]string{0: "0-4", 4: "0-4", 5: "5", 6: "6-8", 8: "6-8", 9: "9+"}},
		{newBins([]float64{1.5}), "<=1.5 >1.5", map[float64]string{1.5: "<=1.5", 1.6: ">1.5"}},
		{newBins(nil), "all", map[float64]string{3: "all"}},
		{quantileBins([]float64{2, 2, 2, 4, 4, 6, 6, 8}, 4), "0-2 3-4 5-6 7+", nil},
		{quantileBins([]float64{2, 2, 2, 2}, 4), "all", nil},
		{quantileBins(nil, 4), "all", nil},
	} {
		if got := strings.Join(c.b.names, " "); got != c.names {
			t.Errorf("bins %s, want %s", got, c.names)
		}
		for x, want := range c.of {
			if got := c.b.names[c.b.of(x)]; got != want {
				t.Errorf("%v is in %s, want %s", x, got, want)
			}
		}
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for i := range 1000 {
		h.add(1000 + i)
	}
	h.finish()
	if h.Min != 1000 || h.Max != 1999 || h.Half != 1499 || h.P90 != 1899 || h.P99 != 1989 || len(h.Bins) != 20 || h.Bins[0] != (LengthBin{1049, 50}) {
		t.Errorf("%+v", h)
	}
	h = Histogram{}
	h.add(7)
	h.finish()
	if h.Half != 7 || len(h.Bins) != 1 || h.Bins[0] != (LengthBin{7, 1}) {
		t.Errorf("%+v", h)
	}
}

// A sample has different tasks, in order, and another one for another seed.
func TestSample(t *testing.T) {
	src := exhaust(t, 3, false)
	a, b := Sample(src, 20, 1), Sample(src, 20, 2)
	var ids [2][]string
	for i := range 20 {
		ids[0], ids[1] = append(ids[0], a.ID(i)), append(ids[1], b.ID(i))
	}
	seen := map[string]bool{}
	for _, id := range ids[0] {
		seen[id] = true
	}
	if a.Len() != 20 || len(seen) != 20 || slices.Equal(ids[0], ids[1]) || Sample(src, 500, 1).Len() != 156 {
		t.Errorf("%v, %v", ids[0], ids[1])
	}
}

func TestSettingsOfBadText(t *testing.T) {
	for _, text := range []string{"", "70,10,10", "70,10,10,20", "a,b,c,d", "-10,60,40,10", "NaN,0,0,100"} {
		if r, err := ParseRatio(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
	for _, text := range []string{"4,4", "8,4", "x", "-1", "NaN", "1e400"} {
		if e, err := ParseEdges(text); err == nil {
			t.Errorf("%q is read as %v", text, e)
		}
	}
}
