// Package llmbridge stands between the planner and language models: it reads the
// plan that an answer commits to.
//
// # Extraction
//
// A Reader is compiled for one problem from the domain's actions, the problem's
// objects and the sentence templates of package domains. It reads a response in
// one pass, line by line:
//
//	response ─► markers, fences, think blocks      (outline.go, marker.go)
//	         ─► tokens of a line                   (token.go)
//	         ─► steps: PDDL, calls, sentences      (step.go, line.go, pattern.go)
//	         ─► lines that resemble a step         (resemble.go)
//	         ─► outline: items, headings, prose    (outline.go)
//	         ─► lists of items                     (lists.go)
//	         ─► the list that the answer commits to (choose.go)
//
// The vocabulary maps each word to an index once; sentences are a trie over those
// indices, so a line is matched without regular expressions and in time linear in
// its length. Nothing is repaired: a line that begins as a step and names none is
// kept as malformed, a wrong number of arguments stays wrong, and names that the
// problem does not have stay as written, for the judge to refuse.
//
// docs/EXTRACTION.md states the rules by which one of several lists is chosen.
package llmbridge
