// Package project checks the PDDL and plan files of a folder: every file is read and
// type-checked, its layout compared with the canonical one, and every plan that lies beside its
// problem is judged. The findings can be written as text, as JSON and as SARIF 2.1.0, the format
// in which code hosts show them beside the lines of a change.
//
// [Find] pairs problems with their domains and plans with their problems; [Run] reports on the
// pairs.
package project
