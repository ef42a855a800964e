package certificate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// Dump writes a certificate of t as text, everything numbered as refusals number it.
func Dump(w io.Writer, t *grounder.Task, cert *Certificate) error {
	c := &checker{machine: newMachine(t), cert: cert, lay: NewLayout(t)}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "task %x\ndomain %x\nproblem %x\nwhole %t\nclaim %s %s\n", cert.Task, cert.Domain, cert.Problem, cert.Whole, cert.Claim, costName(cert.Bound))
	for _, o := range cert.Plan {
		fmt.Fprintf(out, "step %s\n", t.OperatorName(o))
	}
	for i := range cert.Parts {
		c.dumpPart(out, i)
	}
	for i, g := range cert.Groups {
		fmt.Fprintf(out, "group %d", i+1)
		if i < cert.Base {
			fmt.Fprint(out, " base")
		}
		for _, term := range g {
			if len(cert.Parts[term.Part].Vars) > 0 {
				fmt.Fprintf(out, " table %d", term.Part+1)
			} else {
				fmt.Fprintf(out, " zone %d: %s", term.Part+1, costName(term.Cost))
			}
		}
		fmt.Fprintln(out)
	}
	values := make([]int32, len(t.Variables))
	for i, bound := range cert.Bounds {
		fmt.Fprintf(out, "state %d bound %s", i+1, costName(bound))
		group, direct := splitEvidence(cert.Evidence[i])
		if group >= 0 {
			fmt.Fprintf(out, " group %d", group+1)
		}
		if direct {
			fmt.Fprint(out, " direct")
		}
		c.lay.unpack(values, cert.Rows[i*c.lay.words:(i+1)*c.lay.words])
		for v, val := range values {
			if x := &t.Variables[v]; x.Layer < 0 {
				name := fmt.Sprintf("variable %d: %d", v, val)
				if int(val) < len(x.Values) {
					name = x.Values[val]
				}
				fmt.Fprintf(out, "; %s", name)
			}
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

func (c *checker) dumpPart(out io.Writer, i int) {
	p := &c.cert.Parts[i]
	if len(p.Vars) == 0 {
		names := make([]string, len(p.Facts))
		for k, f := range p.Facts {
			names[k] = c.factName(f)
		}
		fmt.Fprintf(out, "part %d zone %s\n", i+1, strings.Join(names, "; "))
		return
	}
	fmt.Fprintf(out, "part %d table\n", i+1)
	s := newTableSpace(c.t, p)
	s.each(nil, func(at int) bool {
		for k, v := range p.Vars {
			if k > 0 {
				fmt.Fprint(out, "; ")
			}
			fmt.Fprint(out, c.factName(grounder.Fact{Var: v, Val: s.digits[k]}))
		}
		fmt.Fprintf(out, " = %s\n", costName(p.Values[at]))
		return true
	})
}
