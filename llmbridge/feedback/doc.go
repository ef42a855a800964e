// Package feedback answers a plan that is not valid.
//
//	verdict ─► words for a model or a person  (feedback.go, explain.go)
//	plan    ─► the nearest valid plans         (repair.go)
//
// A [Critic] says what is wrong, at a chosen level of detail. A [Repairer] proposes valid
// plans; each is found by search and accepted by the judge. docs/FEEDBACK.md describes what
// comes out.
package feedback
