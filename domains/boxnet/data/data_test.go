package data

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/testkit"
)

func generate(t *testing.T, opt GenerateOptions) string {
	t.Helper()
	opt.Options.Reading = boxnet.Default
	var out bytes.Buffer
	if _, err := Generate(context.Background(), &out, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var small = GenerateOptions{Widths: [2]int{2, 3}, Heights: [2]int{2, 2}, Objects: [2]int{1, 2}, Layout: boxnet.Interior, Count: 3, Seed: 1}

// TestGenerate: rows are the same for the same seed, their plans are valid and optimal, structures
// differ, and the rows are read by the check of rows.
func TestGenerate(t *testing.T) {
	rows := generate(t, small)
	if again := generate(t, small); again != rows {
		t.Error("another set for the same seed")
	}
	other := small
	other.Seed = 2
	if generate(t, other) == rows {
		t.Error("the same set for another seed")
	}
	structures := map[string]bool{}
	n := 0
	for line := range strings.Lines(rows) {
		n++
		var r struct {
			Structure, Split string
			Steps            int `json:"optimal_steps"`
			Proved           bool
			Plan             boxnet.Plan
			Reading          boxnet.Reading
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if structures[r.Structure] {
			t.Errorf("two tasks of structure %s", r.Structure)
		}
		structures[r.Structure] = true
		in, err := boxnet.ReadInstance([]byte(line), true)
		if err != nil {
			t.Fatal(err)
		}
		res := boxnet.NewJudge(in, boxnet.Default).Judge(r.Plan)
		if !res.Verdict.Valid || res.Verdict.Executed != r.Steps || !r.Proved || r.Reading != boxnet.Default || splitOf(r.Structure) != r.Split {
			t.Errorf("%s: %+v", line, res.Verdict.Failure)
		}
	}
	if n != 12 {
		t.Errorf("%d rows", n)
	}
	var out bytes.Buffer
	stats, err := joint.CheckBatch(context.Background(), strings.NewReader(rows), &out, boxnet.BatchOptions{Reading: boxnet.Default, JSON: true}, joint.Options{})
	if err != nil || stats.Yes != n {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestStructure: turning, mirroring, renaming and reordering a task, and moving its arms, keeps its structure; moving an
// object does not.
func TestStructure(t *testing.T) {
	for line := range strings.Lines(generate(t, small)) {
		in, err := boxnet.ReadInstance([]byte(line), true)
		if err != nil {
			t.Fatal(err)
		}
		w, h := boxnet.Coord(in.Width)*boxnet.One, boxnet.Coord(in.Height)*boxnet.One
		turned := &boxnet.Instance{Width: in.Height, Height: in.Width}
		turn := func(p boxnet.Point) boxnet.Point { return boxnet.Point{X: h - p.Y, Y: w - p.X} }
		for i := len(in.Robots) - 1; i >= 0; i-- {
			turned.Robots = append(turned.Robots, boxnet.Robot{Name: "r", Base: turn(in.Robots[i].Base)})
		}
		for i := len(in.Objects) - 1; i >= 0; i-- {
			target := turn(*in.Objects[i].Target)
			turned.Objects = append(turned.Objects, boxnet.Object{Name: "o", At: turn(in.Objects[i].At), Target: &target})
		}
		if turned.Structure() != in.Structure() {
			t.Errorf("turned: another structure: %s", line)
		}
		turned.Objects[0].At.X += boxnet.One / 100
		if turned.Structure() == in.Structure() {
			t.Errorf("an object moved: the same structure: %s", line)
		}
	}
}

// TestLayouts: the numbers of robots are those of the page, and every layout can be drawn and solved.
func TestLayouts(t *testing.T) {
	for layout, want := range map[boxnet.Layout][]int{boxnet.Interior: {1, 4, 9, 16, 25}, boxnet.Quincunx: {1, 4, 5, 12, 13}, boxnet.RandRob: {1, 4, 9, 16, 25}} {
		for i, n := range want {
			side := i + 2
			opt := GenerateOptions{Widths: [2]int{side, side}, Heights: [2]int{side, side}, Objects: [2]int{1, 1}, Layout: layout, Count: 1, Seed: 3, NewCoord: i == 1}
			rows := generate(t, opt)
			in, err := boxnet.ReadInstance([]byte(strings.TrimSpace(rows)), true)
			if err != nil {
				t.Fatal(layout, side, err)
			}
			if len(in.Robots) != n {
				t.Errorf("%s, side %d: %d robots, want %d", layout, side, len(in.Robots), n)
			}
		}
	}
}

// TestCompare: the table does not depend on the number of workers, and truncated A* is never better.
func TestCompare(t *testing.T) {
	rows := generate(t, small)
	var texts [2]string
	for i, workers := range []int{1, 3} {
		c, bad, err := Compare(context.Background(), strings.NewReader(rows+"{}\n"), io.Discard, CompareOptions{Options: joint.Options{Reading: boxnet.Default}, Weights: []float64{1, 10}, Workers: workers})
		if err != nil || bad != 1 {
			t.Fatal(bad, err)
		}
		var b bytes.Buffer
		if err := c.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		texts[i] = b.String()
		for _, f := range c.Table() {
			if f.Steps < f.Optimum || f.Group == "all" && f.Tasks != 12 {
				t.Errorf("%+v", f)
			}
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("with 3 workers\n%s\nwith 1\n%s", texts[1], texts[0])
	}
}

// TestTraceRows: examples are JSON in the form of conversations, one for each task and in order.
func TestTraceRows(t *testing.T) {
	rows := generate(t, small)
	for _, replan := range []bool{false, true} {
		var out bytes.Buffer
		bad, err := Traces(context.Background(), strings.NewReader(rows+`{"id":"bad"}`), &out, TraceOptions{Options: joint.Options{Reading: boxnet.Default}, Replan: replan})
		if err != nil || bad != 1 || strings.Count(out.String(), "\n") != 13 {
			t.Fatal(bad, err, out.String())
		}
		var x Example
		if err := json.Unmarshal([]byte(out.String()[:strings.IndexByte(out.String(), '\n')]), &x); err != nil {
			t.Fatal(err)
		}
		want := 2
		if replan {
			want = 2 * x.Steps
		}
		if len(x.Messages) != want || x.Reach == 0 || x.Split == "" {
			t.Errorf("%+v", x)
		}
	}
}

// TestPictures: the pictures of docs/BOXNET.md are those that the page's commands draw.
func TestPictures(t *testing.T) {
	rows := generate(t, GenerateOptions{Widths: [2]int{3, 3}, Heights: [2]int{3, 3}, Objects: [2]int{2, 2}, Layout: boxnet.Interior, Count: 1, Seed: 1, Options: joint.Options{Second: joint.Moves}})
	task, err := Find(strings.NewReader(rows), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, still := range map[string]bool{"boxnet-state.svg": true, "boxnet-plan.svg": false} {
		var b bytes.Buffer
		if err := task.Draw(&b, boxnet.Default, still); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
			t.Error(err)
		}
		testkit.Golden(t, "../../../../docs/"+name, b.Bytes())
	}
}
