// Package constrain keeps the decoder of a language model to plans.
//
//	problem ─► expression of its plans    grammar.go
//	        ─► GBNF, Lark, regular expression or JSON schema    grammar_write.go
//	problem, prefix of steps ─► the steps that can come next    mask.go, ground_actions.go
//
// A [Grammar] admits the texts that are plans of a task's actions and objects, applicable or not. A
// [Masker] knows more: which steps are applicable after a prefix. docs/GRAMMARS.md describes both.
package constrain
