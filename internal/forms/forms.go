// Package forms finds where the forms of a PDDL text begin and end, for readers of texts that are not, or not yet, PDDL.
package forms

import "strings"

// Skip returns the place of the first byte from at on that is neither white space nor in a comment.
func Skip(text string, at int) int {
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case c == ';':
			at = commentEnd(text, at)
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return at
		}
	}
	return len(text)
}

// End returns the place after the parenthesis that closes the first one of a text, -1 if none does. Comments are passed.
func End(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			i = commentEnd(text, i)
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// First cuts a text after its first form.
func First(text string) string {
	if end := End(text); end >= 0 {
		return text[:end]
	}
	return text
}

// commentEnd is the place of the last byte of the comment at a place.
func commentEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n - 1
	}
	return len(text) - 1
}
