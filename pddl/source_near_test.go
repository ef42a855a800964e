package pddl

import "testing"

// TestNear: places near the start of a text, which are counted, are those of the table of lines.
func TestNear(t *testing.T) {
	for _, text := range []string{"", "a", "\n", "(a)\n(b)\n", "é\nü(x)\n\n", bom + "(a)\n(b)", bom, "a\r\nb\rc\n", "\xff\n\x80x"} {
		for p := Pos(0); int(p) <= len(text)+2; p++ {
			line, col := (&Source{Text: text}).LineCol(p)
			far := &Source{Text: text}
			far.once.Do(far.findLines)
			wantLine, wantCol := 1, 1
			for i, from := range far.lines {
				if q := max(min(int(p), len(text)), int(far.lines[0])); int(from) <= q {
					wantLine, wantCol = i+1, 1+len([]rune(text[from:q]))
				}
			}
			if line != wantLine || col != wantCol {
				t.Errorf("%q at %d: %d:%d, want %d:%d", text, p, line, col, wantLine, wantCol)
			}
		}
	}
}
