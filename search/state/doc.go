// Package state represents the states of a grounder.Task compactly and generates
// successors without allocating.
//
// # Data layout
//
// A state exists in two forms. Unpacked it is a slice of int32 with one value per
// variable of the task, derived variables included. Packed it is a row of 64-bit
// words that holds the state variables only; derived variables are a function of
// them and are recomputed by AxiomEvaluator when a state is expanded.
//
//	         word 0                         word 1
//	packed   | v7:5 | v2:4 | ... | v0:1 |   | v9:3 | ... | unused |
//
//	record   | packed words ... | extra words |     one state in the Registry
//
//	chunk    | record 0 | record 1 | ... | record 2^k-1 |
//	table    | hash:32 id:32 | 0 | hash:32 id:32 | ...     open addressing
//
// In a numeric task the values of its fluents follow: unpacked as two int32 each, packed as
// a word each.
//
// Packer decides which bits of which word each variable gets (greedy bin packing).
// Registry stores every distinct packed state once, in chunks that never move, and
// names it by a StateID; a search keeps its per-state data (path cost, parent) in
// the extra words of the record, so that one cache miss brings both. The table
// finds a state by the xxhash of its packed words.
//
// System holds the compiled forms of a task that every search needs, Scratch the working
// memory of one goroutine:
//
//	row ─► Unpack ─► Applicable ─► Applier.Apply ─► successor row ─► Registry ─► OpenList
//
// SuccessorGenerator is a decision tree over operator preconditions flattened into
// one []int32: it lists the applicable operators of an unpacked state without
// looking at the others. Applier turns a packed state into its successor: for an
// operator without conditional effects that is one mask-and-set per touched word.
//
// OpenList queues states by (f, h) and Bitset is a set of states.
//
// Nothing here may be changed by several goroutines at once. Reading is safe: Registry.Find,
// Packer, and System with a Scratch per goroutine.
package state
