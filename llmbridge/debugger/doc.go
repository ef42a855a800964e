// Package debugger is the plan debugger: a web page, and what answers its requests.
//
//	page/ (HTML, CSS, JavaScript) ─► request: a name and JSON ─► Debugger.Answer ─► JSON
//	                                        │
//	              over HTTP (Handler) ──────┤  planproof serve
//	              in the browser (WASM) ────┘  cmd/playground: a static folder, no server
//
// Both ways call the same function, so that the page gives the same verdicts with and without a server.
//
//	judge     answer ─► reading (marks in its text) ─► verdict ─► states step by step, pictures
//	score     answer ─► reward and its components, against the cheapest plan
//	solve     cheapest plan, bounds
//	repair    the nearest valid plan and the cheapest completion, as edits
//	space     all states of a small task, by their distance to the goal
//	boxnet, episode, task, tasks
//
// A limit is an error with the code "limit", never a verdict.
package debugger
