// Package bdd is a kernel for binary decision diagrams (Bryant 1986), made for symbolic
// search: sets of states, and relations between states and their successors.
//
//	nodes    16 bytes each: two successors, level, link; ids of 32 bits
//	buckets  the unique table: hash of a node -> first id, chained by the links
//	cache    lossy: operation and operands -> result
//
// All three are flat arrays of numbers, so Go's collector has nothing to scan in them.
//
// # Levels
//
// A state is a row of bits. Bit i has the level 2i in a set of states. In a relation the bits
// of the successor come in between, bit i at level 2i+1. A relation is given with the set of
// bits that it may change ([Manager.Cube]); all other bits stay. Because of the interleaving,
// image and preimage need no separate quantification and renaming: one recursion over a set
// and a relation makes the set of successors or predecessors (van Dijk, "Sylvan", 2016,
// section 4.2).
//
// # Memory
//
// Nobody counts references. Nodes pile up until [Manager.Collect] keeps those that the given
// roots reach, which the owner calls between operations. Tables grow within a limit on bytes;
// an operation that does not fit ends by a panic with [ErrFull], and one that is stopped by
// its owner ([Manager.OnTick]) by a panic of the owner's. After either the diagrams are whole: all
// that is lost is the operation. This keeps tests for failure out of the recursion.
package bdd
