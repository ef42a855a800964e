package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fencedCode = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	mdLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading  = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	mdName     = regexp.MustCompile(`\b(?:[A-Za-z0-9_-]+/)*[A-Z][A-Za-z0-9_-]*\.md\b`)
	notSlug    = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks follows every relative link of every page, fragments included. A page that
// is only named, without a link, must exist too: seen from the page, from docs or from
// the root.
func TestLinks(t *testing.T) {
	links := 0
	for _, page := range markdownPages(t) {
		dir := filepath.Dir(page)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := fencedCode.ReplaceAllString(string(text), "")
		for _, m := range mdLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(prose, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			target, fragment, _ := strings.Cut(m[1], "#")
			path := page
			if target != "" {
				path = filepath.Join(dir, target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			} else if fragment != "" && !headings(t, path)[fragment] {
				t.Errorf("%s: the link %s names no heading of its page", page, m[1])
			}
		}
		for _, name := range mdName.FindAllString(prose, -1) {
			if !exists(filepath.Join(dir, name), filepath.Join(Root(), name), filepath.Join(Root(), "docs", name)) {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d relative links found: are the pages read at all?", links)
	}
}

// markdownPages lists the project's pages, without what was built or installed.
func markdownPages(t *testing.T) []string {
	var pages []string
	err := filepath.WalkDir(Root(), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != Root() && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || e.Name() == "testdata" || exists(filepath.Join(path, "pyvenv.cfg"))):
			return filepath.SkipDir
		case !e.IsDir() && strings.HasSuffix(path, ".md"):
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// headings are the fragments by which a page's headings can be linked.
func headings(t *testing.T, path string) map[string]bool {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, m := range mdHeading.FindAllStringSubmatch(fencedCode.ReplaceAllString(string(text), ""), -1) {
		set[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return set
}

func exists(paths ...string) bool {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return true
		}
	}
	return false
}
