// Package dataset makes data sets for training from planning tasks.
//
// The tasks of a [Source] become rows in this order: objects get names from a pool;
// [StructureOf] finds tasks that are the same but for the names of their objects; each task
// gets an optimal plan; and its structure decides which split it belongs to, so that no split
// sees the structures of another under other names. A row is a [Record]; a [Format] says
// how rows are written.
//
//	Source ─► read ─► structures ─► gold plans ─► constraints ─► splits ─► rows ─► Format ─► files
//
// [Prepare] decides everything up to the splits, so that the manifest is known before a row is
// written; rows are made as they are asked for, and memory does not grow with their number.
// docs/DATASETS.md shows all of it.
package dataset
