// Package constrain keeps the decoder of a language model on the path.
//
//	problem ─► expression of its plans ─► GBNF, Lark, regex, JSON schema  (grammar.go, grammar_write.go)
//	prefix  ─► packed state, or the judge ─► steps that can come next      (mask.go)
//
// A [Grammar] admits the texts that are plans of a task's actions and objects. A [Masker]
// knows more: which steps are applicable after those already said. docs/GRAMMARS.md
// describes both.
package constrain
