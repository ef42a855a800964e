package extract

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// cleanLine replaces typographic signs by the ASCII signs that mean the same and
// removes LaTeX: \text{object\_2} becomes {object_2}.
func cleanLine(line string) string {
	if strings.ContainsAny(line, "\x1b\u009b") {
		line = control.ReplaceAllString(line, " ")
	}
	var b strings.Builder
	b.Grow(len(line))
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\\':
			i++
			j := i
			for j < len(line) && byteClass[line[j]] == classWord && line[j] != '_' {
				j++
			}
			switch command := line[i:j]; {
			case strings.HasPrefix(command, "n") && !slices.Contains(commandsInN, command):
				b.WriteString(". ") // an escaped line end and the next line: "pick up a\nstack a b"
				i++
			case command != "":
				b.WriteByte(' ')
				i = j
			case i < len(line) && strings.IndexByte(`\()[],;:!`, line[i]) >= 0:
				b.WriteByte(' ') // \( b \) is b
				i++
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(line[i:])
			b.WriteString(plainSign(r, line[i:i+n]))
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// struck is text that is struck out.
var struck = regexp.MustCompile(`~~.*?~~|<del>.*?</del>|<s>.*?</s>|<strike>.*?</strike>`)

// withoutStruck returns a line without what is struck out: it is taken back.
func withoutStruck(line string) string {
	if strings.IndexByte(line, '~') < 0 && strings.IndexByte(line, '<') < 0 { // most lines
		return line
	}
	return struck.ReplaceAllString(line, " ")
}

// commandsInN are the LaTeX commands with n that an answer may use.
var commandsInN = []string{"nabla", "ne", "nearrow", "neg", "neq", "newline", "newpage", "ngeq", "ni", "nleq", "nobreak", "noindent", "nolimits", "nonumber", "normalsize", "not", "notag", "notin", "nrightarrow", "nu", "numberline", "nwarrow"}

// control is a control sequence of a terminal: ESC [ 2 J, or ESC ] up to a bell.
var control = regexp.MustCompile(`(?:\x1b\[|\x{9b})[ -?]{0,62}[@-~]?|\x1b\][^\x07]{0,62}\x07|\x1b\]|\x1b[A-Za-z_]?`)

// plainSign returns the ASCII text with the meaning of a sign, "" if the sign is invisible, and the sign itself if it
// is a letter.
func plainSign(r rune, sign string) string {
	k := sort.Search(len(typographic), func(i int) bool { return typographic[i].to >= r })
	switch {
	case r == utf8.RuneError && len(sign) == 1:
		return " " // no letter
	case k == len(typographic) || r < typographic[k].from:
		return sign
	case typographic[k].as == "wide":
		return string(r - '！' + '!')
	case len(typographic[k].as) == 2:
		return typographic[k].as[r&1 : r&1+1]
	}
	return typographic[k].as
}

// typographic lists ranges of signs in order, with the text that means the same. Two characters are a pair of brackets.
// A dash with blanks around never joins words.
var typographic = []struct {
	from, to rune
	as       string
}{
	{0x80, 0xa0, " "}, {0xab, 0xab, `"`}, {0xad, 0xad, ""}, {0xb7, 0xb7, "-"}, {0xbb, 0xbb, `"`}, // controls, no-break space, quotes, soft hyphen, dot
	{0x34f, 0x34f, ""}, {0x61c, 0x61c, ""}, {0x180e, 0x180e, ""}, // joiners and marks of direction
	{0x2000, 0x200a, " "}, {0x200b, 0x200f, ""}, {0x2010, 0x2011, "-"}, {0x2012, 0x2015, " - "}, {0x2018, 0x2019, "'"}, {0x201c, 0x201d, `"`},
	{0x2022, 0x2023, " - "}, {0x2026, 0x2026, "."}, {0x2028, 0x2029, " "}, {0x202a, 0x202e, ""}, {0x202f, 0x202f, " "}, {0x2060, 0x206f, ""},
	{0x20c0, 0x20ff, " "}, {0x2116, 0x2116, "#"}, {0x2180, 0x21ff, ">"}, {0x2580, 0x263f, " "}, // key caps, №, arrows, squares
	{0x2700, 0x2767, " "}, {0x2768, 0x2769, "()"}, {0x276a, 0x277f, " "}, {0x2780, 0x27e5, ">"}, {0x27e6, 0x27ef, "<>"}, {0x27f0, 0x27ff, ">"},
	{0x3000, 0x3000, " "}, {0x3001, 0x3001, ","}, {0x3002, 0x3002, "."}, {0x3008, 0x3011, "[]"}, {0x3014, 0x301b, "[]"},
	{0xfe00, 0xfe0f, ""}, {0xfe10, 0xfe3f, " "}, {0xfeff, 0xfeff, ""}, {0xff01, 0xff5e, "wide"}, // variation selectors, byte order mark, wide ASCII
	{0x1f000, 0x1ffff, " "}, {0xe0000, 0xe0fff, ""}, // pictures, tags
}
