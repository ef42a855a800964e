package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestScanPlain: words that are taken in one piece are the tokens that byte after byte
// gives.
func TestScanPlain(t *testing.T) {
	pieces := []string{"the", "The", "a", "pick-up", "pick", "up", "block", "RED", "red's", "c", "1", "12", "2b", "_", "__", "_red_", "the_", "unstacking", "12345678", "abcdefgh", "abcdefghi", "-", "--", "'", "a-", "-a", "x-y", "(", ")", "[", ".", ",", " ", "  ", "\t", "*", "`", "é", "\x80", "\\", "\x00"}
	for _, task := range []string{"blocks", "logistics", "plain"} {
		r := testReader(t, task).lexicon
		rapid.Check(t, func(t *rapid.T) {
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
			toks, seen, ok := r.scanLine(line, len(line), nil, rawTable)
			var want []token
			var bits lineBits
			wantOK := true
			for i := 0; i < len(line); {
				tok, end, clean := r.scanToken(line, i, rawTable)
				if !clean {
					wantOK = false
					break
				}
				if i = end; tok.end == 0 || tok.word == r.article {
					continue
				}
				want = append(want, tok)
				if tok.word >= 0 {
					bits |= r.bits[tok.word]
				} else {
					bits |= bracketBits[tok.punct]
				}
			}
			if ok != wantOK || ok && (!slices.Equal(toks, want) || seen != bits) {
				t.Fatalf("%q: %v %b %v, want %v %b %v", line, toks, seen, ok, want, bits, wantOK)
			}
		})
	}
}

// TestLineMemo: a line is read alike whether its reading is known or not, whatever number
// stands before it, and in which lexicon others were read.
func TestLineMemo(t *testing.T) {
	lines := []string{"Pick up the red block.", "(pick-up a)", "(stack a b) ; now it holds", "stack a under b", "Plan: (put-down a)", "Initial state:", "2 blocks are left", "the 2 blocks are left", "There is no plan.", "12 (pick-up a)", "Pick up block 3", "() ", "*", "; a comment", "# a comment", "Step 4: put down a", "pick up a, then stack it on b"}
	readers := []*Reader{testReader(t, "blocks"), testReader(t, "plain"), testReader(t, "timed"), testReader(t, "logistics")}
	known := &outline{memo: newLineMemo()}
	read := func(o *outline, r *Reader, text string) string {
		o.r, o.infer = r.lexicon, r.infer
		o.entries, o.steps, o.fence, o.blank, o.line = o.entries[:0], o.steps[:0], false, false, 0
		o.scan(text)
		return fmt.Sprintf("%+v %q", o.entries, o.steps)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(readers).Draw(t, "reader")
		var text strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			text.WriteString(rapid.SampledFrom([]string{"", "", "1. ", "7. ", "207. ", ". ", "1234. ", "3) ", "- ", "```\n", "\n"}).Draw(t, "before"))
			text.WriteString(rapid.SampledFrom(lines).Draw(t, "line"))
			text.WriteByte('\n')
		}
		fresh := &outline{memo: newLineMemo()}
		if got, want := read(known, r, text.String()), read(fresh, r, text.String()); got != want {
			t.Fatalf("%s\nis read as %s\nwant       %s", text.String(), got, want)
		}
	})
	if n := len(known.memo.short.known); n == 0 {
		t.Error("nothing was kept")
	}
}

// TestLineMemoCollision: of lines with one hash none is taken for another.
func TestLineMemoCollision(t *testing.T) {
	line := func(change func(*lineReading)) *lineReading {
		l := &lineReading{lexicon: 1, text: ". pick up a"}
		change(l)
		return l
	}
	kept := line(func(*lineReading) {})
	m := newLineMemo().table(len(kept.text))
	for range 2 {
		m.note(kept.hash(), kept)
	}
	for what, l := range map[string]*lineReading{
		"another lexicon": line(func(l *lineReading) { l.lexicon = 2 }),
		"another text":    line(func(l *lineReading) { l.text = ". pick up b" }),
		"a numbered line": line(func(l *lineReading) { l.numbered = true }),
		"a line of code":  line(func(l *lineReading) { l.fence = true }),
	} {
		if m.find(kept.hash(), l) != nil {
			t.Errorf("%s is taken for the line that was kept", what)
		}
	}
	if m.find(kept.hash(), kept) == nil {
		t.Error("the line is not kept")
	}
}

// TestPlainStep: what is read on the short way is what the long way reads.
func TestPlainStep(t *testing.T) {
	words := map[string][]string{
		"blocks":    {"pick-up", "stack", "unstack", "put-down", "a", "b", "c", "red", "block", "the", "on", "clear", "zz"},
		"depots":    {"drive", "lift", "truck0", "depot0", "crate0", "hoist0", "pallet0", "truck", "from", "zz"},
		"plain":     {"go", "take-key", "wait", "hall", "attic", "k1", "k2", "s-1-2", "key", "spot", "a"},
		"logistics": {"load-truck", "drive-truck", "p0", "t0", "l0-0", "truck", "a0", "package"},
	}
	plain := &lineReader{r: testReader(t, "plain").lexicon}
	plain.load("(go hall attic)")
	if _, ok := plain.plainStep(plain.head(plain.line).at); !ok {
		t.Fatal("(go hall attic) is not read on the short way")
	}
	for task, names := range words {
		l := &lineReader{r: testReader(t, task).lexicon}
		rapid.Check(t, func(t *rapid.T) {
			line := "(" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "words"), " ") + rapid.SampledFrom([]string{")", ")", ") ", "", ").", ") (", ", )"}).Draw(t, "end")
			l.load(rapid.SampledFrom([]string{"", "", "1. ", "- "}).Draw(t, "before") + line)
			h := l.head(l.line)
			res, ok := l.plainStep(h.at)
			if !ok {
				return
			}
			got := fmt.Sprintf("%+v %+v", res, l.out)
			if want := fmt.Sprintf("%+v %+v", l.readSteps(h.at), l.out); got != want {
				t.Fatalf("%q: %s, want %s", l.line, got, want)
			}
		})
	}
}
