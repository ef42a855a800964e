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
	"unicode/utf8"

	"github.com/planproof/planproof/internal/testkit"
)

// A pageBlock is a fenced block of a page.
type pageBlock struct {
	line int
	lang string
	// needs is the reason of a mark `<!-- needs: ... -->` above the block, which no test
	// runs then; slow says that a mark `<!-- slow: ... -->` leaves it to `make test-all`.
	needs string
	slow  bool
	text  string
}

// A pageExample is a command that a page shows, with what it prints as the page says.
type pageExample struct {
	command string
	// prints is "" where the page shows nothing.
	prints string
}

var (
	pageFence = regexp.MustCompile("(?m)(?:^<!-- (needs|slow): (.+) -->\n)?^```([a-z]*)[^\n]*\n((?s:.*?))^```[ \t]*$")
	// shellPrompt begins the commands of a console block; what follows them is output.
	shellPrompt = regexp.MustCompile(`^\$ |^\./planproof `)
	// strayCommand is a command where no test looks for one: in a block of another kind, or
	// in a block that is indented, not fenced.
	strayCommand = regexp.MustCompile(`(?m)^(?: {4})?(?:\$ |(?:\./)?planproof [a-z]|(?:make|pip|python3?|curl) [a-z./-]).*`)
	indentedLine = regexp.MustCompile(`^ {4}\S`)
)

// pageBlocks lists the fenced blocks of a page, and the page's text without them.
func pageBlocks(page string) (blocks []pageBlock, prose string) {
	for _, m := range pageFence.FindAllStringSubmatchIndex(page, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return page[m[2*i]:m[2*i+1]]
		}
		b := pageBlock{line: strings.Count(page[:m[6]], "\n") + 1, lang: part(3), text: part(4)}
		switch part(1) {
		case "needs":
			b.needs = part(2)
		case "slow":
			b.slow = true
		}
		blocks = append(blocks, b)
	}
	return blocks, pageFence.ReplaceAllString(page, "")
}

// examples lists the commands of a block in order. Every line of a block of `sh` is a
// command, and so is every line of `console` after a prompt; a block of `python` is one.
func (b *pageBlock) examples() []pageExample {
	if b.lang == "python" {
		return []pageExample{{command: "python3 - <<'EOF'\n" + b.text + "EOF"}}
	}
	var out []pageExample
	for _, line := range strings.SplitAfter(strings.ReplaceAll(b.text, "\\\n", ""), "\n") {
		switch {
		case b.lang == "sh" && strings.TrimSpace(line) != "", b.lang == "console" && shellPrompt.MatchString(line):
			out = append(out, pageExample{command: strings.TrimPrefix(strings.TrimRight(line, "\n"), "$ ")})
		case b.lang == "console" && len(out) > 0:
			out[len(out)-1].prints += line
		}
	}
	return out
}

// asPattern turns what a page shows into a pattern of the whole output: "..." stands for
// anything.
func asPattern(prints string) *regexp.Regexp {
	return regexp.MustCompile(`\A` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(prints, "\n")), `\.\.\.`, `(?s:.*)`) + `\n*\z`)
}

// shrunk are parts of examples that make much, and what stands for them here.
var shrunk = strings.NewReplacer("--count 150", "--count 12", "--count 200", "--count 12", "--sample 500", "--sample 8",
	"--goals 1 ", "--goals 1 --sample 8 ", "50 --names", "5 --names", "blocksworld=3..4", "blocksworld=3")

// exitCodes are the exit codes of examples that do not answer yes.
var exitCodes = map[string]int{
	"planproof solve blocksworld:4-17 --goal '(and (on a b) (on b a))' --certificate never.cert.gz": 1,
	"planproof solve blocksworld:4-17 --step '(stack a a)' --certificate step.cert.gz":              1,

	"planproof boxnet check --batch boxnet.jsonl --json":                  1,
	"planproof boxnet judge tasks.jsonl answer.txt --level hint --repair": 1,

	"planproof lint": 1,
	"planproof validate domain.pddl problem.pddl bad.plan --explain":                      1,
	"planproof validate domain.pddl problem.pddl plan.txt --explain":                      1,
	"planproof validate blocksworld:3-5 broken.txt --repair":                              1,
	"planproof validate shed.pddl shed-task.pddl shed-plan.txt --timeline -":              1,
	"planproof validate shed.pddl shed-task.pddl shed-plan.txt --repair":                  1,
	"planproof validate domain.pddl problem.pddl extra.plan":                              1,
	"planproof validate domain.pddl problem.pddl trailing.plan":                           1,
	"planproof feedback blocksworld:3-5 broken.txt --level hint":                          1,
	"planproof travel judge --batch plans.jsonl --world world.json --json":                1,
	"planproof travel judge --batch plans.jsonl --world world.json --details":             1,
	"planproof tools judge booking.pddl trip.pddl --tools tools.json --batch plans.jsonl": 1,
	"planproof tools guard booking.pddl trip.pddl --tools tools.json --batch calls.jsonl": 1,

	"planproof restrict blocksworld:4-17 --constraint '(within 3)' --constraint '(sometime (holding b))' --check plan.txt": 1,

	// One row cannot be graded.
	"planproof audit planbench testdata/audit/planbench --markdown report.md": 2,

	// Some plan does not succeed.
	"planproof cost metrics trip.pddl far.pddl bus.txt --schedule walk=1,ride=2.5 --budget tight,loose": 1,
}

// docPages are the pages whose commands are tested.
func docPages(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join(testkit.Root(), "rltrain", "python", "README.md")}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		some, err := filepath.Glob(filepath.Join(testkit.Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, some...)
	}
	return pages
}

// TestPages runs the fenced commands of all pages, each page in a folder of its own. Each
// must give its exit code and, where the page shows what it prints, print that. A block that
// cannot be run says what it needs in a mark above it; a slow one is left to `make test-all`.
func TestPages(t *testing.T) {
	pages := docPages(t)
	ran, visited := 0, 0
	for _, page := range pages {
		name, err := filepath.Rel(testkit.Root(), page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			visited++
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			ran += runPage(t, name, string(text))
		})
	}
	if visited == len(pages) && ran < 60 {
		t.Errorf("only %d commands found", ran)
	}
}

// runPage runs the commands of a page and returns their number.
func runPage(t *testing.T, name, text string) (ran int) {
	blocks, prose := pageBlocks(text)
	for line := range strings.Lines(prose) {
		if indentedLine.MatchString(line) && strayCommand.MatchString(line) {
			t.Errorf("a command outside of fenced blocks: %s", line)
		}
		if utf8.RuneCountInString(line) > 120 && !strings.HasPrefix(line, "|") {
			t.Errorf("a line that goes beyond column 119: %s", line)
		}
	}
	dir := ""
	for _, b := range blocks {
		if b.lang != "sh" && b.lang != "console" && b.lang != "python" {
			if stray := strayCommand.FindString(b.text); stray != "" {
				t.Errorf("line %d: a command in a block that is not sh, console or python: %s", b.line, stray)
			}
			continue
		}
		if _, err := exec.LookPath("python3"); b.needs != "" || b.slow && testing.Short() || b.lang == "python" && err != nil {
			continue
		}
		examples := b.examples()
		if len(examples) == 0 {
			t.Errorf("line %d: a block of commands without one", b.line)
		}
		for _, x := range examples {
			if dir == "" {
				dir = t.TempDir()
				setUpPage(t, dir, filepath.Base(name))
			}
			ran++
			start := time.Now()
			x.run(t, dir)
			if d := time.Since(start); os.Getenv("PAGETIMES") != "" {
				t.Logf("%v %s", d, x.command)
			}
		}
	}
	return ran
}

// pageSetUps make the files that a page's examples have and do not make: those of an archive
// of testdata, and what commands then write.
var pageSetUps = map[string]struct {
	archive  string
	commands []string
}{
	"BOXNET.md": {"pages/boxnet", nil},

	"README.md":      {"script/validate", []string{"cp testdata/demo/answers.jsonl responses.jsonl"}},
	"FEEDBACK.md":    {"pages/yard", nil},
	"PIPELINES.md":   {"pages/lint", nil},
	"COMING_FROM.md": {"pages/cups", nil},
	"COSTS.md": {"script/metrics", []string{
		"planproof solve budget-blocksworld:1-1 --schedule '[1,1,20,1]' -o 1.plan",
		`echo '{"id": "budget-blocksworld:1-1", "plan": "'$(grep -v ';' 1.plan)'"}' > results.jsonl`,
	}},
	"DATASETS.md": {"", []string{
		"planproof generate blocksworld blocks=3 --count 4 -o tasks",
		`echo '{"id": "more", "task": "blocksworld:4-17"}' > more.jsonl`,
	}},
	"TRAVEL.md":   {"script/travel", nil},
	"TOOLS.md":    {"script/tools", []string{"planproof generate tools -o new.jsonl", `sed 's/^{/{"prediction":[],/' new.jsonl > answers.jsonl`}},
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
	c.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(testkit.Root(), "rltrain", "python", "src"), "PLANPROOF_BIN="+filepath.Join(dir, "planproof"))
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
