// Package dataset makes data sets for training from planning tasks.
//
// The tasks of a [Source] become rows in this order: objects get names from a pool, tasks
// that are the same but for the names of their objects are found by [StructureOf], each task gets an
// optimal plan, and its structure decides on which split it belongs to, so that no split
// sees the structures of another under other names. A row is a [Record]; a [Format] says
// how rows are written. docs/DATASETS.md shows all of it.
package dataset
