package pddl

// Pos is a byte offset into a Source. Line and column are computed only when a
// message is printed: an offset costs four bytes per node, and a file is limited
// to 4 GB by it.
type Pos uint32

// Source is one input text with the name used in messages. Nodes keep substrings
// of Text, so it stays alive as long as they do.
type Source struct {
	Name string
	Text string
}
