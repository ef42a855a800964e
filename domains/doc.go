// Package domains holds the planning domains that are built into planproof and the
// generators of their tasks, so that commands, tests and trainers need no files. It also
// holds the templates that put these domains into words, and restrictions, which forbid
// actions of a task.
//
// # Names
//
// The name of a bundled task may be given wherever a domain and a problem file are
// accepted:
//
//	blocksworld:4-17        4 blocks, task 17
//	budget-blocksworld:1-9  set 1, task 9
//	logistics:2-3-4-1       2 cities, 3 locations each, 4 packages, seed 1
//	gripper:6               6 balls
//	elevator:5-4-2-1        5 floors, 4 passengers, 2 lifts, seed 1
//	powergrid:5-1-2-1       5 substations, 1 plant, 2 broken lines, seed 1
//
// The word before the colon is the kind of task. The numbers are its parameters, in the
// order of [List]; trailing ones may be omitted and then have their defaults. A name
// determines the task: it gives the same bytes in every version of planproof. Generators
// therefore use a random number generator of their own (splitmix64), never that of the
// standard library, and a generator whose output changes becomes a new kind.
//
// # Data flow
//
//	name ─► kind + parameters ─► generator ─► problem text ─┐
//	                 └─► domain.pddl (embedded) ────────────┴─► two pddl.Source
//
//	pddl.Domain ── TemplatesFor ──► Templates ── Sentence, Fact ──► words
//	pddl.Problem + []Forbidden ── Restrict ──► pddl.Problem
//
// Generators only write PDDL text: what they make is read by the same reader as any other
// file.
//
// # Blocksworld
//
// Blocksworld is enumerated, not sampled. [BlocksworldState] numbers the hand-empty states
// of n blocks 0, 1, 2, ...; there are 3, 13, 73, 501, 4051 of them for 2 to 6 blocks (OEIS
// A000262, sets of lists). Task K of `blocksworld:N-K` is one ordered pair of distinct
// states; every pair has exactly one K, see [BlocksworldPair].
//
// All generated tasks are solvable by construction: see the generators.
package domains
