package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/validator/project"
)

// TestVSCode: the extension takes the files that the server does, and names its commands;
// every file that it names is there.
func TestVSCode(t *testing.T) {
	dir := filepath.Join(testkit.Root(), "editors", "vscode")
	var p struct {
		Version, Main string
		Contributes   struct {
			Languages []struct {
				ID, Configuration string
				Extensions        []string
			}
			Grammars      []struct{ Language, ScopeName, Path string }
			Configuration struct {
				Properties map[string]struct{ Default any }
			}
		}
	}
	read := func(name string, v any) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(b, v)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	read("package.json", &p)
	if p.Version != "0.0.0" {
		t.Errorf("version %s: package.sh fills in that of the program", p.Version)
	}
	for _, l := range p.Contributes.Languages {
		read(l.Configuration, new(map[string]any))
		if len(l.Extensions) == 0 {
			t.Errorf("%s has no files", l.ID)
		}
		for _, e := range l.Extensions {
			if path := "x" + e; l.ID == "pddl" != project.IsPDDL(path) || l.ID == "plan" != (project.ProblemOfPlan(path) == "x") {
				t.Errorf("files %s are not what the server takes for %s", e, l.ID)
			}
		}
	}
	for _, g := range p.Contributes.Grammars {
		var grammar struct{ ScopeName string }
		if read(g.Path, &grammar); grammar.ScopeName != g.ScopeName || g.ScopeName != "source."+g.Language {
			t.Errorf("%s: scope %s, want %s", g.Path, grammar.ScopeName, g.ScopeName)
		}
	}
	code, err := os.ReadFile(filepath.Join(dir, p.Main))
	if err != nil {
		t.Fatal(err)
	}
	commands := capabilities()["executeCommandProvider"].(object)["commands"].([]string)
	if !strings.Contains(string(code), `"`+commandSolve+`"`) || !slices.Contains(commands, commandSolve) {
		t.Errorf("the extension does not know %s", commandSolve)
	}
	if p.Contributes.Configuration.Properties["planproof.time"].Default != "60s" {
		t.Error("planproof.time has another default than --time")
	}
}
