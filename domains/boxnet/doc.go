// Package boxnet judges, generates and describes tasks of BoxNet2D and BoxNet3D: robot arms at the corners
// of a grid that carry objects to their targets, several at a time, without touching each other.
//
//	a row of JSON ─► ReadInstance, ReadStep, ReadPlan ─► Instance, Step, Plan    located errors
//	                                                        │
//	              NewJudge(instance, reading) ──────────────┴─► Judge.Step ─► state, or a Fault
//	                                                            Judge.Plan ─► validator.Verdict
//
// The rules are those of the two prompts (arXiv 2505.20573, appendix D), made precise by
// experiment; docs/BOXNET.md states them. What the paper leaves open is a [Reading], and every output
// names its reading.
//
// # Numbers
//
// A coordinate is an integer number of 10^-12 units ([Coord]), so that every decimal that a task or
// an answer may hold is exact. Products are compared in 128 bits: no float decides anything, and
// nothing overflows. The arcs of BoxNet3D meet at points with square roots, which are compared by
// squaring integers of any length.
package boxnet
