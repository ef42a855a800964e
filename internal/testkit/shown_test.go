package testkit

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// shownFile is a place where a page shows a file of the project: the mark, and the block
// below it.
var shownFile = regexp.MustCompile("(?m)^<!-- file: (\\S+) -->\n\n?(?:(?s:```[a-z]+\n.*?\n```\n))?")

// TestShownFiles holds the programs and grammars that pages show to the files that are used.
// UPDATE=1 rewrites the pages.
func TestShownFiles(t *testing.T) {
	shown := 0
	for _, page := range markdownPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want := shownFile.ReplaceAllFunc(text, func(block []byte) []byte {
			shown++
			name := string(shownFile.FindSubmatch(block)[1])
			program, err := os.ReadFile(filepath.Join(Root(), filepath.FromSlash(name)))
			if err != nil {
				t.Fatalf("%s: %v", page, err)
			}
			return []byte("<!-- file: " + name + " -->\n```" + filepath.Ext(name)[1:] + "\n" + string(program) + "```\n")
		})
		if string(want) == string(text) {
			continue
		}
		if os.Getenv("UPDATE") == "" {
			t.Errorf("%s shows a program otherwise than its file has it: run make golden", page)
			continue
		}
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if shown == 0 {
		t.Error("no page shows a file: this test looks at the wrong pages")
	}
}
