package extract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
)

var update = flag.Bool("update", false, "rewrite the wanted readings in testdata")

// TestExtractGolden reads the answers in testdata. An archive's comment
// says which task they are for ("task: blocks") and what they show; the files come
// in pairs, the answer NAME and the wanted reading NAME.want:
//
//	status reading
//	(pick-up a)
//	! line 3: text of a malformed step
//	? (another plan) (that could be meant)
func TestExtractGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			comment, cases := parseArchive(string(text))
			task := ""
			for _, l := range strings.Split(comment, "\n") {
				if v, ok := strings.CutPrefix(l, "task: "); ok {
					task = strings.TrimSpace(v)
				}
			}
			if _, ok := pddltest.Tasks[task]; !ok {
				t.Fatalf("no task %q", task)
			}
			r := testReader(t, task)
			wants := map[string]string{}
			for _, f := range cases {
				if base, ok := strings.CutSuffix(f.name, ".want"); ok {
					wants[base] = f.data
				}
			}
			out := comment
			for _, f := range cases {
				if strings.HasSuffix(f.name, ".want") {
					continue
				}
				x := r.Extract(f.data)
				got := describe(&x)
				out += "-- " + f.name + " --\n" + f.data + "-- " + f.name + ".want --\n" + got
				if want, ok := wants[f.name]; !*update && (!ok || got != want) {
					t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", f.name, f.data, got, want)
				}
			}
			if *update {
				if err := os.WriteFile(name, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type archiveFile struct{ name, data string }

// parseArchive reads the txtar format: a comment, then files under lines such as
// "-- NAME --".
func parseArchive(text string) (comment string, files []archiveFile) {
	for _, l := range strings.SplitAfter(text, "\n") {
		name, ok := strings.CutPrefix(strings.TrimRight(l, "\r\n"), "-- ")
		if name, ok2 := strings.CutSuffix(name, " --"); ok && ok2 {
			files = append(files, archiveFile{name: name})
		} else if len(files) == 0 {
			comment += l
		} else {
			files[len(files)-1].data += l
		}
	}
	return comment, files
}

func describe(x *Extraction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", x.Status, x.Reading)
	m := 0
	for i := 0; i <= len(x.Plan); i++ {
		for m < len(x.Malformed) && x.Malformed[m].Step == i+m+1 {
			fmt.Fprintf(&b, "! line %d: %s\n", x.Malformed[m].Line, x.Malformed[m].Text)
			m++
		}
		if i < len(x.Plan) {
			fmt.Fprintf(&b, "%s\n", x.Plan[i])
		}
	}
	for _, a := range x.Alternatives {
		fmt.Fprintf(&b, "? %s\n", strings.Join(a, " "))
	}
	return b.String()
}
