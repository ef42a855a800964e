// Package mcpserver offers planproof to agents as tools of the Model Context Protocol, over a pipe or
// over HTTP.
//
//	frame ─► guard (size, UTF-8) ─► SDK ─► tool: schema ─► a slot, a deadline ─► task ─► answer
//	                                                                             │
//	                                              workspace of the connection ───┘
//	                                              (walks through tasks, results)
//
// The answers have the forms of the command line (`planproof validate --json`, ...), and each tool
// publishes their schema. What goes wrong is a [Problem]: a code, what happened and what to do, as the
// structured content of a result that is marked as an error. A limit is never a verdict.
//
// # What a connection can hold
//
// A connection has a workspace that nobody else sees and that ends with it: sessions, each a walk
// through a task, and results, the certificates that solve made. Both are bounded; sessions that nobody
// has used for [Options.Idle] are closed.
//
// # What a call can cost
//
// A call has one of [Options.Slots] slots, at most [Options.Time] and [Options.Memory], and ends soon
// after the client cancels it. Work that does not notice keeps its slot until it ends.
package mcpserver
