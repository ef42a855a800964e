// Package prompt tells planning tasks to language models.
//
// [Make] turns a task into a [Record]: a [Prompt] whose parts are known by
// their offsets, and the [Gold] answer, which is never in it.
//
//	problem ─► priced, printed, renamed      (make.go, rename.go)
//	        ─► the question and its answer   (kinds.go)
//	        ─► worked examples of others     (examples.go)
//	        ─► text with spans               (write.go, answer.go, render*.go)
//	        ─► masked                        (mask.go)
//
// A [Renderer] words states, steps, goals and rules. The readers of package extract read
// back what it writes, and it checks that they do. docs/PROMPTS.md shows every kind.
package prompt
