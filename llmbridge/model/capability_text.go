package model

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// JSON is the object of a model's name and what it can do.
func (c *Capabilities) JSON(name string) any {
	return struct {
		Name string `json:"name"`
		*Capabilities
	}{name, c}
}

// WriteText writes what a model can do as a table for people.
func (c *Capabilities) WriteText(out io.Writer, name string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s\nserver\t%s\n", name, c.Server)
	for _, row := range []struct {
		name string
		has  bool
	}{{"chat", c.Chat}, {"completions", c.Completions}, {"several samples a call", c.N}, {"streaming", c.Stream}, {"token counts", c.Usage}, {"log-probabilities", c.Logprobs}} {
		fmt.Fprintf(w, "%s\t%s\n", row.name, map[bool]string{true: "yes", false: "-"}[row.has])
	}
	grammars := "-"
	if len(c.Grammars) > 0 {
		grammars = strings.Trim(fmt.Sprint(c.Grammars), "[]")
	}
	fmt.Fprintf(w, "alternatives to a token\t%d\nscoring\t%s\ngrammars\t%s\n", c.TopLogprobs, cmp.Or(string(c.Score), "-"), grammars)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range c.Notes {
		if _, err := fmt.Fprintf(out, "note: %s\n", n); err != nil {
			return err
		}
	}
	return nil
}
