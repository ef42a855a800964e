// Package contract is the answer contract: what an answer must look like so that its plan can be read
// without a guess.
//
// The contract is half a page, the grammar contract.ebnf. Everything comes from this one file:
//
//	contract.ebnf ─► rules                          ebnf.go
//	              ─► automaton ─► Reader            automaton.go, reader.go, block.go, json.go
//	              ─► Words: the contract in a prompt, words.go
//	              ─► GBNF: the contract for a decoder, gbnf.go
//	              ─► Sampler: texts that follow it, sample.go
//
// A [Reader] takes the last closed pair of plan markers outside thoughts. Each line in it is a step,
// blank or a comment; any other line makes the plan malformed. Nothing is dropped, joined or corrected.
// Sentences are those of the domain's templates, word for word (sentences.go).
//
// Package extract reads answers of the other kind, which nobody told how to write a plan.
package contract
