package feedback

import (
	"bufio"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/spell"
)

// WriteText writes the proposals for people.
func (r *Repair) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	if n := &r.Nearest; n.Status == ProposalNone {
		fmt.Fprintln(out, "no valid plan exists")
	} else {
		n.writeNearest(out)
		r.Completion.writeCompletion(out)
	}
	return out.Flush()
}

func (p *Proposal) writeNearest(w io.Writer) {
	switch {
	case p.Status == ProposalLimit:
		fmt.Fprintf(w, "nearest valid plan: not found (%s came first)\n", p.Reason)
	case p.Proven:
		fmt.Fprintf(w, "nearest valid plan: %s, cost %s\n", spell.Plural(p.Edits, "edit"), p.Cost)
	default:
		fmt.Fprintf(w, "near valid plan: %s, cost %s; not proven to be the nearest (%s)\n", spell.Plural(p.Edits, "edit"), p.Cost, p.Reason)
	}
	sign := map[EditOp]string{EditKeep: " ", EditInsert: "+", EditDelete: "-"}
	for _, edit := range p.Script {
		fmt.Fprintf(w, "  %s %s\n", sign[edit.Op], edit.Action)
	}
}

func (p *Proposal) writeCompletion(w io.Writer) {
	switch {
	case p.Status == ProposalLimit:
		fmt.Fprintf(w, "completion: not found (%s came first)\n", p.Reason)
		return
	case p.Proven:
		fmt.Fprintf(w, "cheapest completion of %s: cost %s\n", beginning(p.Kept), p.Cost)
	default:
		fmt.Fprintf(w, "completion of %s: cost %s; a longer beginning may have one (%s)\n", beginning(p.Kept), p.Cost, p.Reason)
	}
	for _, edit := range p.Script {
		if edit.Op == EditInsert {
			fmt.Fprintf(w, "  + %s\n", edit.Action)
		}
	}
}

func beginning(steps int) string {
	switch steps {
	case 0:
		return "the empty beginning"
	case 1:
		return "the first step"
	}
	return fmt.Sprintf("the first %d steps", steps)
}

// writePlan writes the plan of a proposal, one step a line, with its cost in a comment.
func (p *Proposal) writePlan(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, step := range p.Plan {
		fmt.Fprintln(out, step)
	}
	fmt.Fprintf(out, "; cost = %s\n", p.Cost)
	return out.Flush()
}
