package pddl

import "github.com/alecthomas/participle/v2"
import "github.com/alecthomas/participle/v2/lexer"

// The skeleton of a file, which is all that participle reads. The lexer
// (skeleton.go) hands every section body over as one Block, because a token for
// each word would cost some fifty bytes of memory per byte of input. One
// sectionTree stands for a whole run of neighbouring sections, such as all actions,
// since a grounded domain has tens of thousands of them.
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
