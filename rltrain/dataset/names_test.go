package dataset

import (
	"slices"
	"testing"
)

func TestNamePool(t *testing.T) {
	for _, c := range []struct {
		way  string
		want []string
		err  string
	}{
		{"a,B2,c-d", []string{"a", "b2", "c-d"}, ""},
		{"colour", nil, `there are no names "colour": there are colour-sets, colours, letters, own, words, and lists such as a,b,c`},
		{"a,,b", nil, `"" in the list of names is no name of an object`},
		{"a,2b", nil, `"2b" in the list of names is no name of an object`},
		{"a,b)", nil, `"b)" in the list of names is no name of an object`},
		{"a,b,A", nil, `the list of names has "a" twice`},
	} {
		got, err := namePool(c.way)
		if told := ""; err != nil {
			if told = err.Error(); told != c.err {
				t.Errorf("%s: error %q, want %q", c.way, told, c.err)
			}
		} else if c.err != "" || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q, error %q", c.way, got, c.want, c.err)
		}
	}
}
