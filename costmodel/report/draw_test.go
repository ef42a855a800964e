package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/planproof/planproof/costmodel"
)

// TestDrawShift draws schedules with names that XML must escape, and none at all.
func TestDrawShift(t *testing.T) {
	for _, rates := range [][]costmodel.ShiftRate{
		{{Schedule: `a<b&"c">`, Tasks: 4, Certain: 1, Possible: 3}, {Schedule: "unit", Tasks: 4}, {Schedule: "unit", Horizon: costmodel.Short, Tasks: 4}},
		{{Schedule: "unit"}},
	} {
		var b bytes.Buffer
		if err := drawRates(&b, rates); err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, b.Bytes())
		for i := range rates {
			if r := &rates[i]; r.Horizon == "" && !strings.Contains(texts, r.Schedule) {
				t.Errorf("no bar for %s in %q", r.Schedule, texts)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("a number that is none:\n%s", b.String())
		}
	}
}

// TestDrawShiftLongName: a schedule of a thousand characters does not make the chart wide.
func TestDrawShiftLongName(t *testing.T) {
	var b bytes.Buffer
	long := strings.Repeat("é", 1000)
	if err := drawRates(&b, []costmodel.ShiftRate{{Schedule: long, Tasks: 1}}); err != nil {
		t.Fatal(err)
	}
	if texts := svgTexts(t, b.Bytes()); strings.Contains(texts, long) || !strings.Contains(texts, long[:2*30]) || !strings.Contains(b.String(), `width="788"`) {
		t.Errorf("%.300s", b.String())
	}
}

// svgTexts reads a chart as XML and returns its texts.
func svgTexts(t *testing.T, data []byte) string {
	t.Helper()
	var texts []string
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(texts, "\n")
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if c, ok := tok.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
}
