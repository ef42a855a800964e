package certificate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/certificate/proof"
)

// Dump writes a certificate of t as text, everything numbered as refusals number it.
func Dump(w io.Writer, t *grounder.Task, cert *Certificate) error {
	lay := NewLayout(t)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "task %x\ndomain %x\nproblem %x\nwhole %t\nclaim %s %s\n", cert.Task, cert.Domain, cert.Problem, cert.Whole, cert.Claim, proof.CostName(cert.Bound))
	if cert.Goal != "" {
		fmt.Fprintf(out, "goal %s\n", cert.Goal)
	}
	if cert.Step != "" {
		fmt.Fprintf(out, "never applies %s\n", cert.Step)
	}
	for _, o := range cert.Plan {
		fmt.Fprintf(out, "step %s\n", t.OperatorName(o))
	}
	for i := range cert.Parts {
		dumpPart(out, t, i, &cert.Parts[i])
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
				fmt.Fprintf(out, " zone %d: %s", term.Part+1, proof.CostName(term.Cost))
			}
		}
		fmt.Fprintln(out)
	}
	values := make([]int32, lay.Entries())
	for i, bound := range cert.Bounds {
		fmt.Fprintf(out, "state %d bound %s", i+1, proof.CostName(bound))
		group, direct := proof.SplitEvidence(cert.Evidence[i])
		if group >= 0 {
			fmt.Fprintf(out, " group %d", group+1)
		}
		if direct {
			fmt.Fprint(out, " direct")
		}
		lay.Unpack(values, cert.Rows[i*lay.Words():(i+1)*lay.Words()])
		for v, val := range values[:len(t.Variables)] {
			if x := &t.Variables[v]; x.Layer < 0 {
				name := fmt.Sprintf("variable %d: %d", v, val)
				if int(val) < len(x.Values) {
					name = x.Values[val]
				}
				fmt.Fprintf(out, "; %s", name)
			}
		}
		dumpNumbers(out, t, lay, values)
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// dumpNumbers writes the values of the fluents in a state.
func dumpNumbers(out io.Writer, t *grounder.Task, lay *Layout, values []int32) {
	if t.Numeric == nil {
		return
	}
	for i := range t.Numeric.Fluents {
		f := &t.Numeric.Fluents[i]
		fmt.Fprintf(out, "; %s = %s", f.Name, f.Text(lay.Number(values, i)))
	}
}

func dumpPart(out io.Writer, t *grounder.Task, i int, p *Part) {
	if len(p.Vars) == 0 {
		names := make([]string, len(p.Facts))
		for k, f := range p.Facts {
			names[k] = t.Variables[f.Var].Values[f.Val]
		}
		fmt.Fprintf(out, "part %d zone %s\n", i+1, strings.Join(names, "; "))
		return
	}
	fmt.Fprintf(out, "part %d table\n", i+1)
	names := make([]string, len(p.Vars))
	for at, bound := range p.Values {
		rest := at
		for k := len(p.Vars) - 1; k >= 0; k-- { // the last variable is the fastest
			values := t.Variables[p.Vars[k]].Values
			names[k], rest = values[rest%len(values)], rest/len(values)
		}
		fmt.Fprintf(out, "%s = %s\n", strings.Join(names, "; "), proof.CostName(bound))
	}
}
