// Package reproduce makes the tables and figures of the five papers that planproof implements, and puts what it
// measures beside what they print.
//
//	Papers ─► Paper.Items ─► Paper.Make ─► each item: Result ─► folder: README.md, ITEM-N.csv, ITEM.svg
//	                              │                               ▲
//	                              └─► items/ITEM.json ────────────┘  what a run that was ended has already
//
// An item that is not made says why in Missing; docs/PAPERS.md lists all of them (written from [List]). Printed
// numbers are data of this package, copied from the papers. What a language model answers comes from Options.Model; without
// one the rows that need it are left out, and the item says so.
package reproduce
