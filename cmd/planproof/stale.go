package main

import (
	"fmt"
	"os"

	"github.com/planproof/planproof/internal/outfile"

	"github.com/urfave/cli/v2"
)

var keepOldFlag = &cli.BoolFlag{Name: "keep-old", Usage: "without an answer, keep an older output FILE instead of removing it"}

// removeStale is called before the work, and what it returns after it: files of the given
// flags that are still the older ones are removed, since a reader would take them for the
// answer. With --keep-old they stay; both is said on standard error.
func (e env) removeStale(flags ...string) (after func()) {
	type old struct {
		path, target string
		info         os.FileInfo
	}
	var olds []old
	for _, flag := range flags {
		path := e.String(flag)
		if path == "" || path == "-" {
			continue
		}
		target, mode, err := outfile.Target(path)
		if err != nil || !mode.IsRegular() {
			continue
		}
		if info, err := os.Stat(target); err == nil {
			olds = append(olds, old{path, target, info})
		}
	}
	return func() {
		for _, o := range olds {
			now, err := os.Stat(o.target)
			if err != nil || !os.SameFile(now, o.info) || !now.ModTime().Equal(o.info.ModTime()) {
				continue // written
			}
			if e.Bool("keep-old") {
				fmt.Fprintf(e.err, "planproof: %s is older and not the answer; --keep-old keeps it\n", o.path)
			} else if err := os.Remove(o.target); err != nil {
				fmt.Fprintf(e.err, "planproof: %s is older and not the answer, and cannot be removed: %v\n", o.path, err)
			} else {
				fmt.Fprintf(e.err, "planproof: %s was older and not the answer; it is removed\n", o.path)
			}
		}
	}
}
