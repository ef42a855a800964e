package forms

import "testing"

func TestForms(t *testing.T) {
	for text, want := range map[string]string{
		"(a (b) c) d":       "(a (b) c)",
		"(a ; )\n b)\n":     "(a ; )\n b)",
		"(a":                "(a",
		"(a ; )":            "(a ; )",
		"":                  "",
		"; (\n(a) ; rest (": "; (\n(a)",
		"(define (x)) (y))": "(define (x))",
	} {
		if got := First(text); got != want {
			t.Errorf("the first form of %q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]int{"": 0, " \t\r\n": 4, " ; c\n ;; d\n(a": 11, "x": 0, "; c": 3, ";\nx": 2, ";": 1} {
		if got := Skip(text, 0); got != want {
			t.Errorf("Skip(%q) is %d, want %d", text, got, want)
		}
	}
}
