package search

import (
	"errors"
	"strings"
	"testing"
)

func TestSearchStrings(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "auto()",
		"  ":                 "auto()",
		"auto":               "auto()",
		"auto( blind = 15 )": "auto()",
		"auto(blind=50)":     "auto(blind=50)",
		"astar(lmcut())":     "astar(lmcut())",
		" astar ( lmcut ) ":  "astar(lmcut())",
		"astar(hmax())":      "astar(hmax())",
		"astar(blind)":       "astar(blind())",
		"ucs":                "ucs()",

		"astar(pdb)":                         "astar(pdb())",
		"astar(pdb(orders=4, states=20000))": "astar(pdb())",
		"astar( pdb(total=9,states = 7) )":   "astar(pdb(states=7, total=9))",
	} {
		got, err := Canonical(text)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q is not stable: %q, %v", got, again, err)
		}
	}
}

func TestSearchStringErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		column  int
		message string // contained in the error
	}{
		{"astra(lmcut())", 1, "did you mean astar?"},
		{"zzz()", 1, "known: auto, astar, ucs"},
		{"lmcut()", 1, "did you mean astar(lmcut())?"},
		{"astar(lmcutt())", 7, "did you mean lmcut?"},
		{"astar(ff())", 7, "known: blind, hmax, lmcut"},
		{"astar()", 1, "astar needs a heuristic"},
		{"astar", 1, "astar needs a heuristic"},
		{"astar(lmcut(x=1))", 13, "lmcut takes no options"},
		{"astar(pdb(stats=3))", 11, "did you mean states?"},
		{"astar(pdb(states=0))", 18, "option states is between 1"},
		{"astar(pdb(3))", 11, "unexpected argument of pdb"},
		{"astar(lmcut(), w=2)", 16, `astar has no option "w"`},
		{"astar(lmcut(), hmax())", 16, "unexpected argument"},
		{"ucs(3)", 5, "unexpected argument of ucs"},
		{"auto(blind=0)", 12, "between 1 and 99"},
		{"auto(blind=99999999999999999999)", 12, "between 1 and 99"},
		{"auto(blind=lmcut)", 12, "is a number"},
		{"auto(blid=3)", 6, "did you mean blind?"},
		{"auto(blind=3, blind=4)", 15, "given twice"},
		{"astar(lmcut()", 14, "unexpected token"},
		{"astar(lmcut()) x", 16, "unexpected token"},
		{"astar(lm;cut)", 9, "invalid input"},
		{strings.Repeat("astar(", 300), 1, "longer than"},
		{strings.Repeat("a(", 400), 801, "unexpected token"},
	} {
		_, err := Canonical(c.text)
		var ce *ConfigError
		if !errors.As(err, &ce) {
			t.Errorf("%q: %v, want a *ConfigError", c.text, err)
			continue
		}
		if ce.Column != c.column || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: column %d (want %d): %v (want %q)", c.text, ce.Column, c.column, err, c.message)
		}
	}
}

// FuzzSearchString checks that no string makes the reader panic and that errors lie inside.
func FuzzSearchString(f *testing.F) {
	for _, s := range []string{"auto()", "astar(lmcut())", "auto(blind=3)", "astar(", "((", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Canonical(text)
		var ce *ConfigError
		switch {
		case err == nil:
			if again, err := Canonical(got); err != nil || again != got {
				t.Fatalf("%q is not stable", got)
			}
		case !errors.As(err, &ce) || ce.Column < 1 || ce.Column > len(ce.Text)+1:
			t.Fatalf("%q: %v", text, err)
		default:
			_ = ce.Error()
		}
	})
}
