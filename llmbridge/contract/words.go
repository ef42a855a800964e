package contract

import "strings"

// Words returns the contract in words, one sentence or two per line, as a prompt states it. open and shut are
// the markers to name; sentence is an example of a sentence that a step may be, "" for none.
func Words(open, shut, sentence string) string {
	if sentence != "" {
		sentence = `, or as a sentence of the task ("` + sentence + `")`
	}
	return strings.NewReplacer("{open}", open, "{close}", shut, "{sentence}", sentence).Replace(strings.Join(rules().words, "\n")) + "\n"
}
