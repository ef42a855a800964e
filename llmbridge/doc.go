// Package llmbridge stands between the planner and language models: it writes
// prompts, and reads the plan, state or verdict that an answer commits to.
//
// # Prompts
//
// MakePrompt turns a task into a PromptRecord: a Prompt whose parts are known by
// their offsets, and the Gold answer, which is never in it.
//
//	problem ─► priced, printed, renamed      (prompt_make.go, rename.go)
//	        ─► the question and its answer   (prompt_kinds.go, prompt_world.go)
//	        ─► worked examples of others     (prompt_examples.go)
//	        ─► text with spans               (prompt_write.go, prompt_answer.go, render*.go)
//	        ─► masked                        (prompt_mask.go)
//
// A Renderer tells states, steps, goals and rules; the readers below read back what
// it writes, which it checks as it goes. docs/PROMPTS.md shows every kind.
//
// # Extraction
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
// (read_verdict.go). Grader puts the three and the judge together (grade.go).
//
// docs/EXTRACTION.md states the rules by which one of several lists is chosen.
//
// # Keeping a decoder on the path, and putting a plan right
//
//	problem ─► expression of its plans ─► GBNF, Lark, regex, JSON schema  (grammar.go, grammar_write.go)
//	prefix  ─► packed state, or the judge ─► steps that can come next      (mask.go)
//	plan    ─► verdict, explained ─► words at four levels                  (feedback.go, feedback_explain.go)
//	        └► task with edits as costs ─► nearest valid plan              (repair.go)
//
// A repair, and with it a hint, is found by search and accepted by the judge.
// docs/GRAMMARS.md and docs/FEEDBACK.md describe what comes out.
package llmbridge
