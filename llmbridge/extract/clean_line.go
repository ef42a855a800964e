package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// cleanLine replaces typographic signs by the ASCII signs that mean the same and
// removes LaTeX: \text{object\_2} becomes {object_2}.
func cleanLine(line string) string {
	var b strings.Builder
	b.Grow(len(line))
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\\':
			i++
			j := i
			for j < len(line) && byteClass[line[j]] == classWord && line[j] < 0x80 && line[j] != '_' && (line[j] < '0' || line[j] > '9') {
				j++
			}
			if brokenLine(line[i:j]) {
				b.WriteString(". ")
				i++
			} else if j > i { // a command
				b.WriteByte(' ')
				i = j
			} else if i < len(line) && strings.IndexByte(`\()[],;:!`, line[i]) >= 0 {
				b.WriteByte(' ') // \( b \) is b
				i++
			}
		case c >= 0x80:
			if n := controlSequence(line[i:]); n > 0 {
				b.WriteByte(' ')
				i += n
				continue
			}
			if p, n := typographic(line[i:]); n > 0 {
				if p == 0 {
					i += n // invisible
					continue
				}
				if p == '-' && n == 3 && line[i+2] >= 0x92 { // a dash never joins words
					b.WriteString(" - ")
				} else {
					b.WriteByte(p)
				}
				i += n
				continue
			}
			_, n := utf8.DecodeRuneInString(line[i:])
			if n == 1 {
				b.WriteByte(' ') // no letter
			} else {
				b.WriteString(line[i : i+n])
			}
			i += n
		case c == 0x1b:
			b.WriteByte(' ')
			i += max(1, controlSequence(line[i:]))
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// struck are the marks around text that is struck out.
var struck = [][2]string{{"~~", "~~"}, {"<del>", "</del>"}, {"<s>", "</s>"}, {"<strike>", "</strike>"}}

// withoutStruck returns a line without what is struck out: it is taken back.
func withoutStruck(line string) string {
	if strings.IndexByte(line, '~') < 0 && strings.IndexByte(line, '<') < 0 {
		return line
	}
	for _, m := range struck {
		var b strings.Builder
		rest := line
		for {
			before, after, opens := strings.Cut(rest, m[0])
			_, next, shuts := strings.Cut(after, m[1])
			if !opens || !shuts {
				break
			}
			b.WriteString(before)
			b.WriteByte(' ')
			rest = next
		}
		if b.Len() > 0 {
			b.WriteString(rest)
			line = b.String()
		}
	}
	return line
}

// brokenLine reports whether what looks like a LaTeX command is an escaped line end and the beginning of
// the next line: "pick up a\nstack a b".
func brokenLine(command string) bool {
	return strings.HasPrefix(command, "n") && !slices.Contains(commandsInN, command)
}

// commandsInN are the LaTeX commands with n that an answer may use.
var commandsInN = []string{"nabla", "ne", "nearrow", "neg", "neq", "newline", "newpage", "ngeq", "ni", "nleq", "nobreak", "noindent", "nolimits", "nonumber", "normalsize", "not", "notag", "notin", "nrightarrow", "nu", "numberline", "nwarrow"}

// maxControl bounds a control sequence of a terminal.
const maxControl = 64

// controlSequence returns the length of the terminal control sequence at the start of s, 0 if there is
// none: ESC [ 2 J, or ESC ] up to a bell.
func controlSequence(s string) int {
	i := 0
	switch {
	case strings.HasPrefix(s, "\x1b["):
		i = 2
	case strings.HasPrefix(s, "\xc2\x9b"):
		i = 2
	case strings.HasPrefix(s, "\x1b]"):
		if k := strings.IndexByte(s[:min(len(s), maxControl)], 7); k > 0 {
			return k + 1
		}
		return 2
	case s[0] == 0x1b && len(s) > 1 && byteClass[s[1]] == classWord:
		return 2
	default:
		return 0
	}
	for i < len(s) && i < maxControl && s[i] >= 0x20 && s[i] < 0x40 {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
		i++
	}
	return i
}

// typographic maps the sign at the start of s to the ASCII byte with the same meaning, or to 0 if the
// sign is invisible, and returns its length in bytes. The length is 0 if s begins with a letter.
func typographic(s string) (byte, int) {
	if _, n := utf8.DecodeRuneInString(s); n == 1 {
		return 0, 0 // no letter at all
	}
	if len(s) >= 2 && s[0] == 0xc2 {
		switch c := s[1]; {
		case c < 0xa0:
			return ' ', 2 // control characters
		case c == 0xa0:
			return ' ', 2 // no-break space
		case c == 0xad:
			return 0, 2 // soft hyphen
		case c == 0xb7:
			return '-', 2 // middle dot
		case c == 0xab || c == 0xbb:
			return '"', 2
		}
	}
	if strings.HasPrefix(s, "\xcd\x8f") || strings.HasPrefix(s, "\xd8\x9c") {
		return 0, 2 // joiners and marks of direction
	}
	if len(s) >= 4 && s[0] == 0xf0 && s[1] == 0x9f {
		return ' ', 4 // pictures
	}
	if len(s) >= 4 && s[0] == 0xf3 && s[1] == 0xa0 {
		return 0, 4 // tags
	}
	if len(s) < 3 {
		return 0, 0
	}
	switch t := s[2]; s[:2] {
	case "\xe2\x80":
		return punctuation(t)
	case "\xe2\x81":
		if t >= 0xa0 && t <= 0xaf {
			return 0, 3 // word joiner, marks of direction
		}
	case "\xe1\xa0":
		if t == 0x8e {
			return 0, 3
		}
	case "\xe2\x84":
		if t == 0x96 {
			return '#', 3 // №
		}
	case "\xe2\x86", "\xe2\x87", "\xe2\x9e":
		return '>', 3 // arrows
	case "\xe2\x9d":
		if t == 0xa8 || t == 0xa9 {
			return '(' + t - 0xa8, 3
		}
		return ' ', 3
	case "\xe2\x9c", "\xe2\x98", "\xe2\x96", "\xe2\x97", "\xe2\x83":
		return ' ', 3 // check marks, crosses, squares, circles, key caps
	case "\xe2\x9f":
		if t >= 0xa6 && t <= 0xaf {
			return "<>"[t&1], 3 // brackets
		}
		return '>', 3
	case "\xe3\x80":
		switch {
		case t == 0x80:
			return ' ', 3
		case t <= 0x82:
			return ",."[t-0x81], 3
		case t >= 0x88 && t <= 0x9b && t != 0x92 && t != 0x93:
			return "[]"[t&1], 3
		}
	case "\xef\xbc":
		if t > 0x80 {
			return t - 0x60, 3 // wide forms of ASCII
		}
	case "\xef\xbd":
		if t < 0x9f {
			return t - 0x20, 3
		}
	case "\xef\xb8":
		if t <= 0x8f {
			return 0, 3 // variation selectors
		}
		return ' ', 3
	case "\xef\xbb":
		if t == 0xbf {
			return 0, 3 // byte order mark
		}
	}
	return 0, 0
}

// punctuation maps the signs U+2000 to U+203F.
func punctuation(t byte) (byte, int) {
	switch {
	case t >= 0x8b && t <= 0x8f || t >= 0xaa && t <= 0xae:
		return 0, 3 // zero-width marks
	case t < 0x8b || t >= 0xa8 && t <= 0xaf:
		return ' ', 3
	case t <= 0x95 || t == 0xa2 || t == 0xa3:
		return '-', 3 // hyphens, dashes, bullets
	case t == 0x98 || t == 0x99:
		return '\'', 3
	case t == 0x9c || t == 0x9d:
		return '"', 3
	case t == 0xa6:
		return '.', 3 // ellipsis
	}
	return 0, 0
}
