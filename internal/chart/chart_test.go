package chart

import (
	"encoding/xml"
	"strings"
	"testing"
)

// TestDrawing: numbers have one form, text and values are escaped, and the result is XML.
func TestDrawing(t *testing.T) {
	d := New("width", 200, "height", 40)
	d.Add(Shape("rect", "x", 10, "y", 1.0/3, "fill", `a"b`), Text("a<b & \x00", "x", 8))
	d.Add(Group(Title("tip"), Shape("line", "x1", 1e9)))
	var b strings.Builder
	if n, err := d.WriteTo(&b); err != nil || int(n) != b.Len() {
		t.Fatal(n, err)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">
<rect x="10" y="0.3" fill="a&#34;b"/><text x="8">a&lt;b &amp; ` + "\uFFFD" + `</text>
<g><title>tip</title><line x1="1000000000.0"/></g>
</svg>
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := xml.Unmarshal([]byte(b.String()), new(struct{})); err != nil {
		t.Error(err)
	}
}
