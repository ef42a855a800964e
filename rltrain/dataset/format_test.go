package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"

	"github.com/parquet-go/parquet-go"
)

// recordOf makes a row of a task.
func recordOf(t testing.TB, id string, prob *pddl.Problem, o prompt.Options) *Record {
	t.Helper()
	rec, err := prompt.Make(context.Background(), prompt.Task{ID: id, Problem: prob}, o)
	if err != nil {
		t.Fatal(err)
	}
	masked := func(m prompt.Mask) string {
		m.Percent = 100
		p, _ := m.Apply(&rec.Prompt)
		return p.Text
	}
	r := &Record{
		ID: id, Task: taskref.Sum(rec.Domain, rec.Problem), Structure: "sha256:structure-of-" + id, Split: Train, Family: "blocksworld",
		DomainText: rec.Domain, ProblemText: rec.Problem, System: rec.Prompt.System,
		Prompt: rec.Prompt.Text, PromptUnconstrained: masked(prompt.Mask{Constraints: true}), PromptGoalMasked: masked(prompt.Mask{Goal: true}),
		PromptBothMasked: masked(prompt.Mask{Constraints: true, Goal: true}),
		Answer:           rec.Gold.Text, Gold: Gold{Plan: rec.Gold.Plan, Steps: len(rec.Gold.Plan), Cost: rec.Gold.Cost, Optimal: true},
		Difficulty: float64(len(rec.Gold.Plan)), Bin: "all",
	}
	return r
}

// binding is a task with a step of a cheapest plan forbidden, and that step.
func binding(t testing.TB, name string) (*pddl.Problem, string) {
	t.Helper()
	prob := bundled(t, name)
	for _, step := range optimalPlan(t, prob) {
		words := strings.Fields(strings.Trim(step, "()"))
		q, err := domains.Restrict(prob, []domains.Forbidden{{Action: words[0], Args: words[1:]}})
		if err != nil {
			t.Fatal(err)
		}
		if gold, _, err := (&solver{}).solve(context.Background(), q); err == nil && gold != nil {
			return q, step
		}
	}
	t.Fatalf("%s has no step that can be forbidden", name)
	return nil, ""
}

// testRecords are a task with a constraint and one without.
func testRecords(t testing.TB, o prompt.Options) []*Record {
	t.Helper()
	prob, step := binding(t, "blocksworld:4-3")
	a := recordOf(t, "r1", prob, o)
	a.Constraints = []string{strings.Replace(step, "(", "(forbidden-", 1)}
	return []*Record{a, recordOf(t, "r2", bundled(t, "blocksworld:3-7"), o)}
}

// write writes records in a format.
func write(t testing.TB, format string, m *Manifest, records ...*Record) []byte {
	t.Helper()
	f, err := FindFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := f.New(&out, Train, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		made, err := w.Make(context.Background(), r)
		if err == nil {
			err = w.Write(made)
		}
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return out.Bytes()
}

// readRows reads a file back as JSON values, by its own schema.
func readRows(t testing.TB, format string, data []byte) (rows []map[string]any) {
	t.Helper()
	if bytes.HasPrefix(data, []byte("PAR1")) {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(format, err)
		}
		r := parquet.NewReader(f)
		defer r.Close()
		for range f.NumRows() {
			var row any
			if err := r.Read(&row); err != nil {
				t.Fatal(format, err)
			}
			text, err := json.Marshal(row)
			if err != nil {
				t.Fatal(format, err)
			}
			var m map[string]any
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(format, err)
			}
			rows = append(rows, m)
		}
		return rows
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v: %s", format, err, line)
		}
		rows = append(rows, m)
	}
	return rows
}

// trainerFormats are all formats but the plain one.
func trainerFormats() []string {
	var out []string
	for _, f := range Formats() {
		if f.Name != "jsonl" {
			out = append(out, f.Name)
		}
	}
	return out
}

// shortRecords are rows with short texts about tasks that are real, whose gold answers are
// in PDDL.
func shortRecords(t testing.TB) []*Record {
	var out []*Record
	for _, r := range onceShort(t) {
		c := *r
		out = append(out, &c)
	}
	return out
}

var short struct {
	once    sync.Once
	records []*Record
}

func onceShort(t testing.TB) []*Record {
	short.once.Do(func() {
		short.records = testRecords(t, prompt.Options{Style: prompt.StylePDDL, System: "Plan."})
		for _, r := range short.records {
			r.Prompt, r.PromptUnconstrained = "all of "+r.ID, "less of "+r.ID
			r.PromptGoalMasked, r.PromptBothMasked = "no goal of "+r.ID, "little of "+r.ID
		}
	})
	return short.records
}

var trainerOptions = map[string]TrainerOptions{
	"chat": {}, "text": {Text: true}, "agent, inline": {AgentName: "single_turn_agent", Inline: true}, "long": {Trace: LongTrace}, "short": {Trace: ShortTrace},
}

func pddlManifest(o TrainerOptions) *Manifest {
	return &Manifest{Options: Settings{Style: "pddl"}, Trainers: &o}
}

func TestTrainerFormatsGolden(t *testing.T) {
	var out strings.Builder
	for _, name := range []string{"chat", "text", "agent, inline", "short"} {
		for _, format := range trainerFormats() {
			data := write(t, format, pddlManifest(trainerOptions[name]), shortRecords(t)...)
			fmt.Fprintf(&out, "== %s, %s\n", format, name)
			if f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data))); err == nil {
				out.WriteString(f.Schema().String() + "\n")
			}
			for _, row := range readRows(t, format, data) {
				text, err := json.Marshal(row)
				if err != nil {
					t.Fatal(err)
				}
				out.Write(append(text, '\n'))
			}
		}
	}
	testkit.Golden(t, "formats.txt", []byte(out.String()))
}

// Both forms of a format have the same rows, and the same records give the same bytes.
func TestTrainerFormatsAgree(t *testing.T) {
	for name, o := range trainerOptions {
		for _, format := range trainerFormats() {
			data := write(t, format, pddlManifest(o), shortRecords(t)...)
			if !bytes.Equal(data, write(t, format, pddlManifest(o), shortRecords(t)...)) {
				t.Errorf("%s, %s: other bytes the second time", format, name)
			}
			lines, ok := strings.CutSuffix(format, "-parquet")
			if !ok {
				continue
			}
			a, b := readRows(t, format, data), readRows(t, lines, write(t, lines, pddlManifest(o), shortRecords(t)...))
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s, %s: the rows are not those of %s:\n%v\n%v", format, name, lines, a, b)
			}
		}
	}
}

func TestParquetRowGroups(t *testing.T) {
	r := shortRecords(t)[0]
	records := make([]*Record, 2*rowGroup+1)
	for i := range records {
		c := *r
		c.ID = fmt.Sprint("r", i)
		records[i] = &c
	}
	data := write(t, "verl", &Manifest{}, records...)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.RowGroups()); n != 3 || f.NumRows() != int64(len(records)) {
		t.Errorf("%d rows in %d groups", f.NumRows(), n)
	}
	rows, err := parquet.Read[verlRow](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if row.ExtraInfo.Index != int64(i) || !strings.Contains(row.ExtraInfo.Info, fmt.Sprintf("%q", records[i].ID)) {
			t.Fatalf("row %d is %+v", i, row)
		}
	}
}

// shown are the columns that a model sees when it is asked; of messages all but the last.
var shown = map[string]bool{"prompt": true, "unconstrained_prompt": true, "messages": true, "system": true}

// Nothing of the gold answer may be in what a model is shown, in any format and under any
// option: plan, answer, cost and number of steps (rl-interfaces, 5.5, rule 11).
func TestNothingOfGoldIsShown(t *testing.T) {
	for name, o := range trainerOptions {
		for _, format := range append(trainerFormats(), "jsonl") {
			records := shortRecords(t)
			for _, r := range records {
				r.Gold.Cost, r.Gold.Slack, r.Difficulty = "424242", "434343", 444444
			}
			secrets := append([]string{"424242", "434343", "444444", "[PLAN END]", "<think>"}, records[0].Gold.Plan...)
			shownAny := false
			for _, row := range readRows(t, format, write(t, format, pddlManifest(o), records...)) {
				for column, value := range row {
					if !shown[column] {
						continue
					}
					if list, ok := value.([]any); ok && column == "messages" {
						value = list[:len(list)-1]
					}
					shownAny = true
					text := fmt.Sprint(value)
					for _, s := range secrets {
						if strings.Contains(text, s) {
							t.Errorf("%s, %s: the column %s shows %q: %s", format, name, column, s, text)
						}
					}
				}
			}
			if !shownAny {
				t.Errorf("%s, %s: no column is shown to a model", format, name)
			}
		}
	}
}
