// Package extract reads the plan, the state or the verdict that an answer of a language
// model commits to.
//
// A Reader is compiled for one problem from the domain's actions, the problem's
// objects and the sentence templates of package domains. It reads a response in
// one pass, line by line:
//
//	response ─► markers, fences, think blocks      (outline.go, marker.go)
//	         ─► lines read before                  (memo.go)
//	         ─► tokens of a line                   (scan.go, token.go)
//	         ─► what stands before its content     (line_head.go, decoration.go)
//	         ─► steps: PDDL, calls, sentences      (line.go, step.go, step_form.go, object.go, arguments.go, pattern.go)
//	         ─► what follows a step                (tail.go)
//	         ─► lines that resemble a step         (resemble.go)
//	         ─► outline: items, headings, prose    (outline.go, outline_line.go, table.go)
//	         ─► lists of items                     (lists.go)
//	         ─► the list that the answer commits to (choose.go)
//
// The vocabulary maps each word to an index once; sentences are a trie over those
// indices, so a line is matched without regular expressions and in time linear in
// its length. Nothing is repaired: a line that begins as a step and names none is
// kept as malformed, a wrong number of arguments stays wrong, and names that the
// problem does not have stay as written, for the judge to refuse.
//
// StateReader is the same engine with predicates for actions (read_state.go,
// read_facts.go); VerdictReader is a trie of phrases over the same tokens
// (read_verdict.go). Package grade puts the three and the judge together.
//
// docs/EXTRACTION.md states the rules by which one of several lists is chosen.
package extract
