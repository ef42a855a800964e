// Package lsp is a language server for PDDL: it answers the requests of editors, in the Language Server Protocol 3.17.
//
//	client ─► frame.go ─► jrpc2 ─► server.go ─► a handler per method ─► answer
//	                                  │
//	                                  ▼
//	                              workspace.go: Document by URI, each a text that never changes
//	                                  │  syntax.File  what its words are       (pddl/syntax)
//	                                  │  model        what it means, faults    (pddl)
//	                                  ▼
//	  diagnose.go  fix.go  hover.go  refer.go  complete.go  tokens.go  outline.go  task.go  command.go
//
// A change makes a new Document; requests that run go on with the old one. A problem belongs to the domain that it
// names, a plan to the problem whose file name it has. What words are and where they occur comes from pddl/syntax, which
// reads broken text; faults come from pddl, which is the one that decides; plans are judged and found by the façade.
//
// Positions of the protocol are lines and UTF-16 units, from 0; those inside are bytes.
package lsp
