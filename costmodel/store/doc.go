// Package store keeps ground truth: for a task and a cost schedule the optimal cost, a
// plan of that cost, how it was proven, and where its table of exact distances lies.
//
// # Data flow
//
//	folder or JSON Lines ─► Input ─► Task (canonical texts, Key) ─► solve ─► Record ─► Store
//	                                   │                                                │
//	gold cost of a row ◄─ Lookup(Key) ◄┘                        export, check ◄─────────┘
//
// # The key
//
// A [Key] is a hash of what a task means, not of how it is laid out. Both texts are
// parsed and printed in a canonical form, and the schedule is written out for the
// actions of the domain; docs/TRUTH.md says which differences matter. The store keeps
// the canonical texts and every answer is computed from them, so that a row is a
// function of its key: which layout arrives first makes no difference.
//
// # What is promised
//
//   - A row is whole or absent, and survives the death of the process once it was
//     reported as finished: rows are written in transactions of SQLite with a
//     write-ahead log. Any number of processes may read while others write.
//   - A plan is judged by the validator before it is stored, and its cost is the
//     judge's.
//   - A damaged file gives an error or a missing row, never a wrong answer: each row
//     and each text carries a checksum that is verified whenever it is read.
//   - An answer that is proven is never replaced; one that contradicts it is an error.
//
// Package costmodel itself does not link the database: only what imports this package
// does.
package store
