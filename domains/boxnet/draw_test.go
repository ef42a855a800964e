package boxnet

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestDraw: pictures are XML, show all robots and objects, and a plan moves what its steps move.
func TestDraw(t *testing.T) {
	in := scene(t, `"name": "x">"name": "x <&> y"`)
	var still, moving bytes.Buffer
	if err := in.Draw(&still); err != nil {
		t.Fatal(err)
	}
	var plan Plan
	if err := plan.UnmarshalJSON([]byte(`[{"A": "[0.75, 0.75] -> [0.25, 0.25], True"}, {"B": "[2.25, 0.75] -> [2.75, 0.75], False"}, {"A": "[9, 9] -> [0.25, 0.25], True"}]`)); err != nil {
		t.Fatal(err)
	}
	if err := NewJudge(in, Default).Animate(&moving, plan); err != nil {
		t.Fatal(err)
	}
	for name, picture := range map[string]string{"state": still.String(), "plan": moving.String()} {
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			_, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, want := range []string{"<title>A</title>", "<title>B</title>", "x &lt;&amp;&gt; y target"} {
			if !strings.Contains(picture, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
	if strings.Contains(still.String(), "animate") || !strings.Contains(moving.String(), `attributeName="x2" values="96.0;48.0;48.0;48.0"`) {
		t.Errorf("animations:\n%s", moving.String())
	}
}
