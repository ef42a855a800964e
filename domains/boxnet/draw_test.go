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

// TestDraw3D: arms that swing pass places on their arcs, and pillars are drawn.
func TestDraw3D(t *testing.T) {
	in := swingScene(t, `"map">"obstacles": [{"name": "p", "at": [0.1, 0.1], "radius": 0.11, "height": 0.1}], "map"`)
	var plan Plan
	if err := plan.UnmarshalJSON([]byte(`[{"A": "Move [0.55, 0.55], True"}]`)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := NewJudge(in, Default).Animate(&b, plan); err != nil {
		t.Fatal(err)
	}
	// A's tip is farthest to the left in the middle of its quarter: x = 1.1 - 0.55 * sqrt(2), 24 + 96 * x / 1.1.
	for _, want := range []string{"BoxNet3D", "<title>p</title>", `attributeName="cx" values="72.0;66.1;61.2;57.3;54.4;52.7;52.1;52.7;`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
