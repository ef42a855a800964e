// Package extract reads the plan, the state or the verdict that an answer of a language model
// commits to.
//
// A Reader is compiled once per problem, from the domain's actions, the problem's objects and the
// sentence templates of package domains. It reads an answer in one pass, line by line, turns it
// into an outline, and looks for plans in the outline only:
//
//	reader.go           compiles a Reader; readers of equal names share one lexicon:
//	                    lexicon.go, lexicon_cache.go, vocabulary.go, sentence_trie.go,
//	                    template_words.go, english_words.go, word_sets.go, words.txt
//	                    a strict reader is one of package contract: strict.go
//
//	answer ─► markers, fences, thoughts           outline.go, answer_marker.go
//	       ─► JSON, steps in YAML                 json_plan.go, json_value.go, yaml_step.go
//	       ─► tokens of a line's canonical form   canonical_line.go, token.go
//	       ─► numbers, bullets and signs before   line_head.go
//	       ─► the grammar of a line: its steps,   steps_of_line.go, after_step.go, behind_step.go, step_words.go;
//	          and what stands between them        one step: line_reader.go, step_notation.go, object_phrase.go, named_arguments.go
//	       ─► lines that only resemble a step     resemblance.go, foreign_step.go, facts_of_line.go
//	       ─► lines without a step, labels        unread_line.go, title_line.go, further_step.go, heading.go
//	       ─► whose the list is, what changes it  quoted.go, change.go, plan_part.go, apply_change.go, denial.go, script_words.go
//	       ─► lines that were read before         line_memo.go
//	       ─► one entry of the outline per line   outline_line.go, table_header.go
//	outline ─► lists of steps                     assemble.go, list_boundary.go, titles.go, joined_lists.go
//	        ─► the list the answer commits to     choose.go, unfinished.go
//	        ─► Extraction                         extraction.go, confidence.go
//
// The vocabulary gives each word an index once, and sentences are a trie over these indices. So a
// line is matched without regular expressions, in time linear in its length.
//
// Nothing is repaired. A line that begins like a step but names none is malformed and stays in the
// plan. A wrong number of arguments stays wrong. A name that the problem does not have stays as
// written, for the judge to refuse.
//
// StateReader is the same engine with predicates in place of actions (state_reader.go,
// state_lines.go, read_facts.go). VerdictReader matches phrases over the same tokens
// (verdict_reader.go, verdict_phrases.go; verdict.go grades what it reads). completion.go takes the
// text of an answer out of chat messages. Package grade puts the three and the judge together.
//
// docs/EXTRACTION.md states the rules by which one of several lists is chosen. testdata/rules.jsonl has an example
// and a counter-example of the rules about what is a step and what is not, which the page shows.
package extract
