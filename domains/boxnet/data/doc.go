// Package data makes and fills rows of BoxNet2D tasks: generated instances with proved optima, plans,
// prompts, traces and grades.
//
//	Generate ─► instances ─► joint ─► rows with plan, optimum, structure, split
//	Solve ────► the same for rows that others made
//	Compare ──► rows ─► truncated A* beside the optimum ─► a table
//
// A row is one line of JSON; docs/BOXNET.md lists its members.
package data
