package main

import (
	"os"
	"runtime/debug"
)

// collectAt collects garbage when the heap has grown by so many percent, unless the user
// says otherwise, until the function that it returns is called.
func collectAt(percent int) func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}

// rowGarbage is the percentage for rows: docs/decisions/serving.md.
const rowGarbage = 200
