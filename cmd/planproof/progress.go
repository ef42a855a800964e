package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// rowBar counts rows on a terminal, and is silent elsewhere.
type rowBar struct{ bar *progressbar.ProgressBar }

func (e env) rowProgress() rowBar {
	if !isTerminal(e.err) || isTerminal(e.out) {
		return rowBar{} // rows on the terminal are progress enough
	}
	return rowBar{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(e.err), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("rows"), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
}

func (b rowBar) set(rows int) {
	if b.bar != nil {
		_ = b.bar.Set(rows)
	}
}

func (b rowBar) done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
