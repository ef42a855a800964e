package lsp

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// lineStarts returns the offset of each line's first byte. A line ends at "\n", "\r\n" or a lone "\r".
func lineStarts(text string) []uint32 {
	lines := make([]uint32, 1, len(text)/24+1)
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "\r\n")
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		lines = append(lines, uint32(i))
	}
	return lines
}

// units is the number of UTF-16 units of a character.
func units(r rune) uint32 {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// unitsOf is the length of a text in UTF-16 units. A byte that is no UTF-8 counts as one.
func unitsOf(text string) (n uint32) {
	for _, r := range text {
		n += units(r)
	}
	return n
}

// lineOf returns the line of a byte and its first byte.
func lineOf(lines []uint32, off uint32) (line, from uint32) {
	i := sort.Search(len(lines), func(i int) bool { return lines[i] > off }) - 1
	return uint32(i), lines[i]
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// offset is the byte at a place. A place after the end of its line is that end, one after the last line the end of the
// text, as the protocol wants; one inside a character is its start.
func offset(text string, lines []uint32, p Position) uint32 {
	if int64(p.Line) >= int64(len(lines)) {
		return uint32(len(text))
	}
	i, end := int(lines[p.Line]), len(text)
	if int(p.Line)+1 < len(lines) {
		end = int(lines[p.Line+1])
	}
	for left := p.Character; left > 0 && i < end && text[i] != '\n' && text[i] != '\r'; {
		r, size := utf8.DecodeRuneInString(text[i:end])
		if units(r) > left {
			break
		}
		left -= units(r)
		i += size
	}
	return uint32(i)
}

// apply makes the changes of a notification, each to the text that the ones before have left.
func apply(text string, changes []contentChange) (string, error) {
	for _, c := range changes {
		if c.Range == nil {
			text = c.Text
			continue
		}
		lines := lineStarts(text)
		from, to := offset(text, lines, c.Range.Start), offset(text, lines, c.Range.End)
		if from > to {
			return "", fmt.Errorf("a range that ends before it starts: %d:%d to %d:%d",
				c.Range.Start.Line, c.Range.Start.Character, c.Range.End.Line, c.Range.End.Character)
		}
		if len(text)+len(c.Text) > maxDocument {
			return "", fmt.Errorf("the document would have more than %d MB", maxDocument>>20)
		}
		text = text[:from] + c.Text + text[to:]
	}
	return text, nil
}
