// Package testkit holds what the tests of several packages share: finding the
// corpora beside the project, and comparing output with golden files.
package testkit
