package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/rltrain/dataset"

	"github.com/urfave/cli/v2"
)

var (
	// exampleLine is an indented line that shows a command. What stands before a pipe is
	// not checked.
	exampleLine = regexp.MustCompile(`(?m)^ {3,}(?:\$ |.*\| )?planproof ([a-z].*)$`)
	codeBlock   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```")
)

// TestExamplesNameWhatThereIs holds the examples of all pages and help texts to the
// commands and flags that exist, with values for those that take one.
func TestExamplesNameWhatThereIs(t *testing.T) {
	app := newApp(streams{}, "")
	texts := map[string]string{"planproof": app.Description}
	var helps func(prefix string, commands []*cli.Command)
	helps = func(prefix string, commands []*cli.Command) {
		for _, c := range commands {
			texts[prefix+c.Name] = c.Description
			helps(prefix+c.Name+" ", c.Subcommands)
		}
	}
	helps("planproof ", app.Commands)
	helpTexts := len(texts)
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		// Blocks of code, as if they were indented, and what is indented.
		texts[filepath.Base(page)] = codeBlock.ReplaceAllStringFunc(string(text), func(block string) string {
			return strings.ReplaceAll(block, "\n", "\n    ")
		})
	}
	examples := 0
	for where, text := range texts {
		for _, m := range exampleLine.FindAllStringSubmatch(text, -1) {
			examples++
			checkExample(t, where, app, strings.Fields(m[1]))
		}
	}
	if files, err := helpFiles.ReadDir("help"); err != nil || len(files) != helpTexts+len(sharedSpecs) {
		t.Errorf("help/ has %d texts for %d commands (%v)", len(files), helpTexts, err)
	}
	if examples < 80 {
		t.Errorf("only %d examples found", examples)
	}
}

// checkExample checks the words after "planproof", up to the end of the command.
func checkExample(t *testing.T, where string, app *cli.App, words []string) {
	line := "planproof " + strings.Join(words, " ")
	c := app.Command(words[0])
	if c == nil {
		t.Errorf("%s: there is no command %s: %s", where, words[0], line)
		return
	}
	words = words[1:]
	if len(c.Subcommands) > 0 {
		i := slices.IndexFunc(c.Subcommands, func(s *cli.Command) bool { return len(words) > 0 && s.Name == words[0] })
		if i < 0 {
			t.Errorf("%s: %s has no such subcommand: %s", where, c.Name, line)
			return
		}
		c, words = c.Subcommands[i], words[1:]
	}
	for _, w := range words {
		if w == "|" || w == ">" || w == "#" {
			return
		}
		if strings.HasPrefix(w, "[") {
			t.Errorf("%s: a shell may take %s for a pattern; quote it: %s", where, w, line)
		}
		name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if name == "" || !strings.HasPrefix(w, "-") {
			continue
		}
		if !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
			t.Errorf("%s: %s has no flag %s: %s", where, c.Name, w, line)
		}
	}
}

// TestReadmeNamesEveryCommand keeps the table of the README complete.
func TestReadmeNamesEveryCommand(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testkit.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\| ").FindAllStringSubmatch(string(text), -1) {
		rows.WriteString(row[1])
	}
	for _, c := range newApp(streams{}, "").Commands {
		if c.Name != "help" && !regexp.MustCompile("`"+c.Name+"[ `]").MatchString(rows.String()) {
			t.Errorf("the table of README.md lacks %s", c.Name)
		}
	}
}

// TestHelpListsNames: where a flag's usage lists what it takes, it lists all of it.
func TestHelpListsNames(t *testing.T) {
	var formats []string
	for _, f := range dataset.Formats() {
		formats = append(formats, f.Name)
	}
	for file, lists := range map[string]map[string][]string{
		"export":        {"format": formats, "names": dataset.NamePools()},
		"shared-method": {"guide": treesearch.GuideNames},
	} {
		_, usage := cmdline.ParseHelp(helpTexts.Text(file))
		for flag, names := range lists {
			for _, name := range names {
				if !slices.Contains(strings.FieldsFunc(usage[flag], func(r rune) bool { return strings.ContainsRune(" ,:", r) }), name) {
					t.Errorf("help/%s.txt: --%s does not mention %s", file, flag, name)
				}
			}
		}
	}
}
