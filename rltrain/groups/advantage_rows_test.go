package groups

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzGroupRows: any rows give as many answers with finite advantages, or an error and
// nothing.
func FuzzGroupRows(f *testing.F) {
	f.Add(`{"id":1,"group":"a","reward":1}`+"\n"+`{"group":"a","reward":0}`, true)
	f.Add(`{"group":1,"reward":1,"logp":[-1],"logp_unconstrained":[-2],"mask":[true]}`, false)
	f.Add(`{"group":1,"reward":1e308}`+"\n"+`{"group":1,"reward":-1e308}`, false)
	f.Fuzz(func(t *testing.T, in string, after bool) {
		opt := Options{Estimator: LowVarKL, Placement: InLoss, Alpha: 0.001}
		if after {
			opt.Placement = AfterNormalisation
		}
		var out bytes.Buffer
		sum, err := Rows(strings.NewReader(in), &out, opt)
		if err != nil {
			if out.Len() > 0 || sum != nil {
				t.Fatalf("an error and %q", out.String())
			}
			return
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != sum.Rows {
			t.Fatalf("%d answers to %d rows", n, sum.Rows)
		}
	})
}
