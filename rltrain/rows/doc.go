// Package rows reads the rows that responses come in and writes the rows that scores go out
// in.
//
//	line ─► ParseRequest ─► Request{Items: task, response, gold} ─► (oracle) ─► Score ─► AppendRow ─► line
//
// Rows come out of other people's data sets: a response may be a text, a chat or a list of
// them, and columns that nobody knows are ignored. Lines of the usual form are read in one
// pass over the bytes; anything unusual is left to encoding/json, so that both agree on what
// a row means.
//
// # What is never a score
//
// A reward is a statement about the response. If the task cannot be read, no distance table
// can be made, the judge runs out of its budget or something breaks inside, there is no
// statement: the reward is null and the [Status] says why. A trainer that got zeros for such
// rows would learn that planning is bad. Whatever is the response's own fault (no plan, a
// malformed step, too long) is scored.
package rows
