package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
)

func TestReadTasks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"d.pddl": blocks.DomainText, "p.pddl": blocks.ProblemText} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inline := fmt.Sprintf(`"domain_text":%s,"problem_text":%s`, quote(blocks.DomainText), quote(blocks.ProblemText))
	read := func(rows ...string) (*TaskSet, error) {
		return ReadTasks(strings.NewReader(strings.Join(rows, "\n")), "f", dir)
	}
	s, err := read(`{"id":"files","domain":"d.pddl","problem":"p.pddl"}`, "", `{"id":7,`+inline+`,"gold":{"cost":"4","optimal":true,"plan":["(unstack b a)","(put-down b)","(pick-up a)","(stack a b)"]}}`, "\ufeff"[:0]+`{"task":"blocksworld:3-5","prompt":"x","more":[1]}`)
	if err != nil {
		t.Fatal(err)
	}
	sum := taskref.Sum(blocks.DomainText, blocks.ProblemText)
	first := s.Find("files")
	if s.Len() != 2 || first != s.Find("7") || first != s.Find(sum) || first.Sum != sum || len(first.Plan) != 4 || first.Gold == nil || s.Find("x") != nil {
		t.Errorf("%d tasks: %+v", s.Len(), first)
	}
	if sum != "sha256:"+fmt.Sprintf("%x", taskref.Key{Domain: blocks.DomainText, Problem: blocks.ProblemText}.Hash()) || taskref.Sum("a", "bc") == taskref.Sum("ab", "c") {
		t.Error(sum)
	}
	for _, c := range []struct{ row, want string }{
		{`{`, "f:2:2: error[bad-json]: "}, {`{"task":"nowhere:1"}`, `f:2:2: error[bad-value]: unknown bundled`}, {`{"domain":"d.pddl"}`, "f:2:1: error[missing-member]: no problem"},
		{`{"domain":"missing.pddl","problem":"p.pddl"}`, "f:2:2: error[unreadable-file]: "}, {`{"id":"sha256:x",` + inline + `}`, "f:2:2: error[bad-value]: an id must not begin"},
		{`{` + inline + `,"gold":{"cost":"five"}}`, "error[bad-value]: gold: cost"}, {`{` + inline + `,"gold":{"cost":5,"optimal":true}}`, "error[wrong-gold]: the gold cost differs"},
		{`{"id":"one","task":"blocksworld:3-5"}`, `two different tasks are called "one"`},
		{`{"task":"sha256:00",` + inline + `}`, "the row's task is sha256:00, and its texts have the hash sha256:"},
	} {
		if _, err := read(`{"id":"one",`+inline+`,"gold":{"cost":4,"optimal":true}}`, c.row); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.row, err, c.want)
		}
	}
	// All bad rows are told, at most 20 of them.
	if _, err := read("{", `{"id":"a"}`, "", "[]"); err == nil || strings.Count(err.Error(), "error[") != 3 || !strings.Contains(err.Error(), "f:4:1: error[wrong-json-type]") {
		t.Error(err)
	}
	if _, err := read(strings.Repeat("{\n", 30)); err == nil || strings.Count(err.Error(), "error[") != 20 || !strings.HasSuffix(err.Error(), "\nand 10 more") {
		t.Error(err)
	}
	if _, err := read(`{"task":"` + taskref.Sum("x", "y") + `","domain_text":"x","problem_text":"y"}`); err != nil {
		t.Error("a row that names its own hash:", err)
	}
	if _, err := read(); err == nil {
		t.Error("an empty file is no task file")
	}
}
