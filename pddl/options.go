package pddl

// Options of the readers.
type Options struct {
	// Strict turns warnings about tolerated deviations from the standard
	// (undeclared requirements, names that begin with a digit, ...) into errors.
	Strict bool
}
