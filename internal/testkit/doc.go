// Package testkit holds what the tests of several packages share:
//
//	Root, Shared    the project's folder and the corpora beside it
//	Cases           small tasks with known optimal costs, from /testdata
//	Golden          comparison of output with golden files
//	CPUTime         processor time, for tests that bound it
//	ModelServers    model servers to test against
//
// Its own tests check the whole project: the import rules (layout_test.go) and the links
// of all pages.
package testkit
