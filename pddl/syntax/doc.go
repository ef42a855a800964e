// Package syntax says what each word of a PDDL text is and where it is declared, also in texts that are broken or
// half typed. It is what an editor asks; whether a text is right is for package pddl to say.
//
//	text ─► tree (tree.go) ─► words with roles (walk.go, formulas.go, plan.go) ─► File
//
// Unmatched parentheses are repaired as the readers of pddl do it: a list ends where a new section begins inside it,
// and in an action where its next part begins. Nothing is looked up in other files: a word of a problem that no
// section of it declares has the role that its place gives it.
package syntax
