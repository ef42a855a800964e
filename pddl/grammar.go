package pddl

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The skeleton of a file, which is all that participle reads. The lexer
// (skeleton.go) hands every section body over as one Block, because a token for
// each word would cost some fifty bytes of memory per byte of input. One
// sectionTree covers a whole run of neighbouring sections, such as all actions, since a
// grounded domain has tens of thousands of them.
type fileTree struct {
	Kind     lexer.Token    `parser:"'(' 'define' '(' @('domain' | 'problem')"`
	Name     lexer.Token    `parser:"@Word ')'"`
	Sections []*sectionTree `parser:"@@* ')'"`
}

type sectionTree struct {
	Keyword lexer.Token `parser:"'(' @Keyword"`
	Body    lexer.Token `parser:"@Block ')'"`
}

// Lookahead 1 keeps error positions exact: with more, backtracking reports the
// start of the enclosing rule.
var skeletonParser = participle.MustBuild[fileTree](
	participle.Lexer(skeletonDefinition{}),
	participle.UseLookahead(1),
)

// parseSkeleton reads the outline of a file of the given kind, "domain" or "problem". The
// tree is nil if the outline is beyond repair or the file is of the other kind.
func parseSkeleton(c *collector, kind string) (*fileTree, []section) {
	text := c.src.Text
	if uint64(len(text)) > math.MaxUint32-1 {
		c.errorf(FileTooLarge, 0, 0, "a file of %d bytes; the largest allowed has %d", len(text), uint64(MaxSourceSize))
		return nil, nil
	}
	if !checkText(c) {
		return nil, nil
	}
	l := newSkeletonLexer(c)
	if !l.skip() {
		c.errorf(EmptyFile, 0, 0, "the file contains no definition")
		return nil, nil
	}
	if !l.lex() {
		return nil, nil
	}
	p, err := lexer.Upgrade(l)
	if err == nil {
		var t *fileTree
		if t, err = skeletonParser.ParseFromLexer(p); err == nil {
			if found := t.Kind.Value; found != kind {
				off := t.Kind.Pos.Offset
				c.errorf(WrongKindOfFile, off, off+len(found), "expected a %s, found a %s", kind, found)
				return nil, nil
			}
			return t, l.sectionsOf(t)
		}
	}
	l.report(err)
	return nil, nil
}

// report turns an error of the grammar into a diagnostic.
func (l *skeletonLexer) report(err error) {
	var pe participle.Error
	off := 0
	msg := err.Error()
	if errors.As(err, &pe) {
		off, msg = pe.Position().Offset, pe.Message()
	}
	l.keepBefore(off)
	end := off
	var ut *participle.UnexpectedTokenError
	if errors.As(err, &ut) {
		end = min(off+len(ut.Unexpected.Value), len(l.text))
		msg = "unexpected " + quote(ut.Unexpected.Value) + " in the head of the definition"
		if ut.Unexpected.EOF() {
			msg = "the text ends in the head of the definition"
		}
	}
	l.errorHint(MalformedFile, off, end, headHint, "%s", msg)
}

// keepBefore drops the errors about the text from off on and about parentheses: when
// the head is wrong, they are mostly consequences.
func (l *skeletonLexer) keepBefore(off int) {
	l.list = slices.DeleteFunc(l.list, func(d Diagnostic) bool {
		return int(d.Pos) >= off && d.Code != IllegalCharacter || d.Code == UnclosedParen || d.Code == ExtraParen
	})
}

// checkText refuses what is not text in a single-byte or UTF-8 encoding.
func checkText(c *collector) bool {
	t := c.src.Text
	if len(t) >= 2 && (t[:2] == "\xff\xfe" || t[:2] == "\xfe\xff") {
		c.errorHint(NotText, 0, 0, "save it as UTF-8", "the file is encoded in UTF-16")
		return false
	}
	if i := strings.IndexByte(t, 0); i >= 0 {
		c.errorf(NotText, i, i+1, "a NUL byte: the file is not text, or is encoded in UTF-16")
		return false
	}
	return true
}
