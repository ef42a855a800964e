package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// A pageExample is a command that a page shows, with what it prints as the page says.
type pageExample struct {
	command string
	// prints is "" where the page shows nothing.
	prints string
}

var (
	// pageBlock is a block of code: fenced, or indented by four blanks.
	pageBlock = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```|(?:^    [^\n]*\n)+")
	// pageCommand is a line that runs planproof, after a prompt or not.
	pageCommand = regexp.MustCompile(`^(\$ )?((?:echo .*\| )?(?:\./)?planproof [a-z].*)$`)
)

// pageExamples lists the commands of a page in order.
func pageExamples(page string) []pageExample {
	var out []pageExample
	for _, block := range pageBlock.FindAllString(page, -1) {
		fenced := strings.HasPrefix(block, "```")
		if fenced {
			block = strings.TrimSuffix(block[strings.IndexByte(block, '\n')+1:], "```")
		}
		shows := false // the lines are what the last command prints
		block = strings.ReplaceAll(block, "\\\n", "")
		for _, line := range strings.SplitAfter(block, "\n") {
			if !fenced {
				line = strings.TrimPrefix(line, "    ")
			}
			if m := pageCommand.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				shows = m[1] != "" || strings.HasPrefix(m[2], "./")
				out = append(out, pageExample{command: m[2]})
			} else if shows {
				out[len(out)-1].prints += line
			}
		}
	}
	return out
}

// asPattern turns what a page shows into a pattern of the whole output: "..." stands for
// anything.
func asPattern(prints string) *regexp.Regexp {
	return regexp.MustCompile(`\A` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(prints, "\n")), `\.\.\.`, `(?s:.*)`) + `\n*\z`)
}

// unrunnable are examples that no test runs, by their beginning, with the reason.
var unrunnable = map[string]string{
	"planproof oracle":                      "serves until it is stopped; oracle-calls.txtar runs it",
	"planproof bench treesearch":            "asks a model server",
	"planproof eval TASK...":                "shows the form, not a command",
	"planproof generate budget-blocksworld": "makes 1,008 tasks; budgetset.txtar runs it, and the set-ups have a few tasks",
}

// shrunk are parts of examples that make much, and what stands for them here.
var shrunk = strings.NewReplacer("--count 150", "--count 12", "--count 200", "--count 12", "--sample 500", "--sample 8",
	"--goals 1 ", "--goals 1 --sample 8 ", "50 --names", "5 --names", "blocksworld=3..4", "blocksworld=3")

// exitCodes are the exit codes of examples that do not answer yes.
var exitCodes = map[string]int{
	"planproof validate domain.pddl problem.pddl bad.plan --explain": 1,
	"planproof validate domain.pddl problem.pddl plan.txt --explain": 1,
	"planproof validate blocksworld:3-5 broken.txt --repair":         1,
	"planproof feedback blocksworld:3-5 broken.txt --level hint":     1,
	// Some plan does not succeed.
	"planproof cost metrics trip.pddl far.pddl bus.txt --schedule walk=1,ride=2.5 --budget tight,loose": 1,
}

// TestPages runs the examples of README.md and of all pages, each page in a folder of its
// own. Each must give its exit code and, where the page shows what it prints, print that.
func TestPages(t *testing.T) {
	root := testkit.Root()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, skipped, whole := 0, map[string]bool{}, true
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		examples := pageExamples(string(text))
		name := filepath.Base(page)
		if len(examples) == 0 {
			continue
		}
		ran := false
		t.Run(name, func(t *testing.T) {
			ran = true
			dir := t.TempDir()
			setUpPage(t, dir, name)
			for _, x := range examples {
				all++
				if why := unrunnableBy(x.command); why != "" {
					skipped[why] = true
					continue
				}
				start := time.Now()
				x.run(t, dir)
				if d := time.Since(start); os.Getenv("PAGETIMES") != "" {
					t.Logf("%v %s", d, x.command)
				}
			}
		})
		whole = whole && ran
	}
	if !whole {
		return // one page was asked for
	}
	if all < 60 {
		t.Errorf("only %d examples found", all)
	}
	for begin := range unrunnable {
		if !skipped[begin] {
			t.Errorf("no page has an example %s", begin)
		}
	}
}

func unrunnableBy(command string) string {
	for begin := range unrunnable {
		if strings.HasPrefix(command, begin) {
			return begin
		}
	}
	return ""
}

// pageSetUps make the files that a page's examples have and do not make: those of an archive
// of testdata, and what commands then write.
var pageSetUps = map[string]struct {
	archive  string
	commands []string
}{
	"README.md":   {"script/validate", []string{"cp testdata/demo/answers.jsonl responses.jsonl"}},
	"FEEDBACK.md": {"pages/yard", nil},
	"COSTS.md": {"script/metrics", []string{
		"planproof generate blocksworld blocks=3 --count 3 -o tasks",
		"planproof solve tasks/domain.pddl tasks/blocksworld-3-1.pddl --schedule '[1,1,20,1]' -o 1.plan",
		`echo '{"id": "blocksworld-3-1", "plan": "'$(cat 1.plan | grep -v ';')'"}' > results.jsonl`,
	}},
	"DATASETS.md": {"", []string{
		"planproof generate blocksworld blocks=3 --count 4 -o tasks",
		`echo '{"id": "more", "task": "blocksworld:4-17"}' > more.jsonl`,
	}},
	"GRAMMARS.md": {"", []string{"planproof restrict blocksworld:3-5 --forbid '(stack a b)' -o t && mv t/domain.pddl d.pddl && mv t/problem.pddl p.pddl"}},
	"TRUTH.md": {"", []string{
		"planproof restrict budget-blocksworld:1-17 --forbid '(stack a f)' -o tasks && mv tasks/problem.pddl tasks/budget-blocksworld-1-17.pddl",
	}},
}

var archiveFile = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// setUpPage makes a page's folder.
func setUpPage(t *testing.T, dir, page string) {
	t.Helper()
	bin, err := exec.LookPath("planproof")
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"testdata": filepath.Join(testkit.Root(), "testdata"), "planproof": bin} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if name := pageSetUps[page].archive; name != "" {
		text, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		places := archiveFile.FindAllStringSubmatchIndex(string(text), -1)
		for i, m := range places {
			end := len(text)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			file := string(text[m[2]:m[3]])
			if strings.Contains(file, "/") {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), text[m[1]:end], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range pageSetUps[page].commands {
		(&pageExample{command: c}).run(t, dir)
	}
}

// run runs an example in a shell.
func (x *pageExample) run(t *testing.T, dir string) {
	t.Helper()
	// Each example that makes the data set makes it anew.
	if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", shrunk.Replace(strings.TrimSuffix(x.command, "| less")))
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if want := exitCodes[x.command]; code != want {
		t.Errorf("%s: exit code %d, not %d\n%s", x.command, code, want, errs.String())
	}
	// A page shows what stands on standard output, on standard error or on both.
	all := out.String() + errs.String()
	if want := asPattern(x.prints); x.prints != "" && !want.Match(out.Bytes()) && !want.Match(errs.Bytes()) && !want.MatchString(all) {
		t.Errorf("%s prints\n%s\nnot, as the page says,\n%s", x.command, all, x.prints)
	}
}
