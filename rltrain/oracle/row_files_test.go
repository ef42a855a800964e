package oracle

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
)

// TestRowFiles: rows name files only in the folder that is allowed, and of a file that is no
// PDDL no word comes back.
func TestRowFiles(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	d, p, err := domains.Load("gripper:1")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) string {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(filepath.Join(dir, "d.pddl"), "; a comment\n"+d.Text)
	problem := write(filepath.Join(dir, "p.pddl"), p.Text)
	write(filepath.Join(outside, "d.pddl"), d.Text)
	const secret = "root:x:0:0"
	for name, text := range map[string]string{"passwd": secret + ":root\n", "note": "; only\n" + secret, "list": "(" + secret + ")", "lisp": "(define (" + secret + ") 1)", "domain_text": secret, "problem_text": secret} {
		write(filepath.Join(dir, name), text)
	}
	if err := os.Symlink(filepath.Join(outside, "d.pddl"), filepath.Join(dir, "link.pddl")); err != nil {
		t.Fatal(err)
	}
	files, err := FilesOf(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	own := taskref.Ref{Domain: filepath.Join(outside, "d.pddl"), Problem: problem}
	ask := func(files *RowFiles, domain, problem string) string {
		o := newTestOracle(t, Options{Files: files, Task: own})
		in := fmt.Sprintf(`{"domain":%q,"problem":%q,"response":"(move rooma roomb)"}`+"\n", domain, problem)
		in += fmt.Sprintf(`{"domain":%q,"problem":%q,"mask":[]}`+"\n", domain, problem)
		in += `{"response":"(move rooma roomb)"}` + "\n"
		var out bytes.Buffer
		if err := o.ServeStdio(context.Background(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), secret) || strings.Contains(out.String(), "root:") {
			t.Errorf("%s, %s: tells what is in the file: %s", domain, problem, &out)
		}
		lines := strings.Split(out.String(), "\n")
		if !strings.Contains(lines[2], `"status":"invalid"`) {
			t.Errorf("the oracle's own task: %s", lines[2])
		}
		return lines[0] + lines[1]
	}
	for _, good := range []string{"d.pddl", filepath.Join(dir, "d.pddl"), "./d.pddl"} {
		if said := ask(files, good, problem); !strings.Contains(said, `"status":"invalid"`) || !strings.Contains(said, `"status":"mask"`) {
			t.Errorf("%s: %s", good, said)
		}
		if said := ask(NoFiles(), good, "p.pddl"); strings.Count(said, "names a file, which rows may not do here") != 2 {
			t.Errorf("%s without a folder: %s", good, said)
		}
	}
	for _, bad := range []string{"passwd", "note", "list", "lisp", "domain_text", "problem_text", "link.pddl", "/etc/passwd", filepath.Join(outside, "d.pddl"), "../" + filepath.Base(outside) + "/d.pddl", ".", "missing"} {
		for _, said := range []string{ask(files, bad, problem), ask(files, "d.pddl", bad)} {
			if strings.Count(said, `"status":"task-error"`) != 2 {
				t.Errorf("%s: %s", bad, said)
			}
		}
	}
}
