package cmdline

import (
	"io"
	"os"
	"runtime/debug"
)

// IsTerminal reports whether w, or what stands behind it, is a terminal: progress is shown there
// and nowhere else.
func IsTerminal(w io.Writer) bool {
	if g, ok := w.(*GatedWriter); ok {
		w = g.W
	}
	if c, ok := w.(*Output); ok {
		w = c.W
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// CollectAt collects garbage when the heap has grown by so many percent, unless the user
// says otherwise, until the function that it returns is called.
func CollectAt(percent int) func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}
