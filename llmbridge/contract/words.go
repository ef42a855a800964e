package contract

import "strings"

// Words returns the contract in words, one sentence or two per line, as a prompt states it. open and shut are
// the markers to name; sentence is an example of a sentence that a step may be, "" for none. timed tasks have durative
// actions.
func Words(open, shut, sentence string, timed bool) string {
	if sentence != "" {
		sentence = `, or as a sentence of the task ("` + sentence + `")`
	}
	var b strings.Builder
	for _, w := range rules().words {
		if timed && w.timed || !timed && w.sequential {
			b.WriteString(w.text + "\n")
		}
	}
	return strings.NewReplacer("{open}", open, "{close}", shut, "{sentence}", sentence).Replace(b.String())
}
