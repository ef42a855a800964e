// Package prompt turns planning tasks into prompts for language models.
//
// [Make] turns a task into a [Record]: a [Prompt], whose parts are known by their byte offsets, and
// the [Gold] answer, which is never part of the prompt.
//
//	problem ─► with its prices, printed, renamed    make.go, rename.go, rename_words.go
//	        ─► the question and its right answer    kinds.go, candidate.go
//	        ─► worked examples on other problems    examples.go
//	        ─► text with named spans                prompt.go, write.go, write_pddl.go, answer.go, compact.go
//	              in words                          render.go, render_formula.go, render_rules.go,
//	                                                render_price.go, never.go
//	        ─► with parts left out                  mask.go
//	        ─► Record                               options.go, record.go
//	rows of tasks ─► a Record each                  batch.go
//
// A [Renderer] puts states, steps, goals and rules into words. The readers of package extract read
// them back, and the Renderer checks that they do: text that would be read differently is written in
// PDDL instead. docs/PROMPTS.md shows a prompt of every kind.
package prompt
