package store

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

// TestKeyIgnoresLayout: what does not change the meaning does not change the key.
func TestKeyIgnoresLayout(t *testing.T) {
	domain := blocksDomain(t)
	want := taskOf(t, domain, twoBlocks, "")
	for name, change := range map[string][2]string{
		"comments":       {domain + "\n; the end\n", "; a comment\n" + twoBlocks},
		"layout":         {strings.ReplaceAll(domain, "\n", "\r\n\t "), strings.Join(strings.Fields(twoBlocks), "\n")},
		"case":           {strings.ToUpper(domain), strings.ToUpper(twoBlocks)},
		"problem's name": {domain, strings.Replace(twoBlocks, "problem two", "problem other", 1)},
		"domain's name": {strings.Replace(domain, "blocksworld", "other", 1),
			strings.Replace(twoBlocks, "blocksworld", "other", 1)},
		"facts' order":   {domain, strings.Replace(twoBlocks, "(ontable a) (on b a)", "(on b a) (ontable a)", 1)},
		"objects' order": {domain, strings.Replace(twoBlocks, "a b)", "b a)", 1)},
		"doubled fact":   {domain, strings.Replace(twoBlocks, "(ontable a)", "(ontable a) (ontable a)", 1)},
	} {
		if got := taskOf(t, change[0], change[1], ""); got.Key != want.Key {
			t.Errorf("%s: another key\n%s%s---\n%s%s", name, got.Domain, got.Problem, want.Domain, want.Problem)
		}
	}
}

// TestKeyTellsTasksApart: what changes the meaning changes the key.
func TestKeyTellsTasksApart(t *testing.T) {
	domain := blocksDomain(t)
	seen := map[Key]string{taskOf(t, domain, twoBlocks, "").Key: "the task itself"}
	for name, c := range map[string][3]string{
		"a goal":               {domain, strings.Replace(twoBlocks, "(:goal (on a b))", "(:goal (clear a))", 1), ""},
		"a fact less":          {domain, strings.Replace(twoBlocks, "(handempty)", "", 1), ""},
		"an object more":       {domain, strings.Replace(twoBlocks, "a b)", "a b c)", 1), ""},
		"an effect less":       {strings.Replace(domain, " (not (handempty))", "", 1), twoBlocks, ""},
		"a schedule":           {domain, twoBlocks, "*=1"},
		"another schedule":     {domain, twoBlocks, "put-down=2,*=1"},
		"a precondition less":  {strings.Replace(domain, "(and (clear ?block) (ontable", "(and (ontable", 1), twoBlocks, ""},
		"a metric, of no cost": {domain, strings.Replace(twoBlocks, "(:goal", "(:metric minimize (total-time)) (:goal", 1), ""},
	} {
		key := taskOf(t, c[0], c[1], c[2]).Key
		if other, ok := seen[key]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[key] = name
	}
	same := [][2]string{
		{"*=1", "pick-up=1,put-down=1,stack=1,unstack=1"},
		{"PUT-DOWN=1/2,*=3", "stack=3,unstack=3,pick-up=3.0,put-down=0.5"},
	}
	for _, s := range same {
		if a, b := taskOf(t, domain, twoBlocks, s[0]), taskOf(t, domain, twoBlocks, s[1]); a.Key != b.Key {
			t.Errorf("the schedules %q and %q have different keys (%s, %s)", s[0], s[1], a.Schedule, b.Schedule)
		}
	}
}

// TestKeyIsPinned: keys are in files; a change of their definition needs a new KeyVersion.
func TestKeyIsPinned(t *testing.T) {
	domain := `(define (domain d) (:requirements :strips) (:predicates (p) (q)) (:action a :parameters () :precondition (p) :effect (q)))`
	problem := `(define (problem x) (:domain d) (:init (p)) (:goal (q)))`
	const want = "8d40063ae2d027e17b726adb0f44be83ee14c71828066fca80790d290a66ad7d"
	if got := taskOf(t, domain, problem, "a=2").Key.String(); got != want {
		t.Errorf("the key is now %s, was %s", got, want)
	}
	if k, err := ParseKey(want); err != nil || k.String() != want {
		t.Errorf("ParseKey: %v, %v", k, err)
	}
	for _, bad := range []string{"", "12", want + "0", strings.Repeat("x", 64)} {
		if _, err := ParseKey(bad); err == nil {
			t.Errorf("%q is read as a key", bad)
		}
	}
}

// TestCanonicalCorpus: over every task of the corpus the canonical form is a task, is its
// own canonical form, and does not depend on the order of facts.
func TestCanonicalCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("parses every task of the corpus several times")
	}
	inputs, err := Folder(testkit.Shared(t, "data", "bench"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[Key]string{}
	for _, in := range inputs {
		if info, err := os.Stat(in.ProblemFile); err != nil || info.Size() > 200<<10 {
			continue
		}
		texts, err := in.texts()
		if err != nil {
			t.Errorf("%s: %v", in.Name, err)
			continue
		}
		again, err := canonicalise(sourceOf(texts.Domain), sourceOf(texts.Problem))
		if err != nil || again.Domain != texts.Domain || again.Problem != texts.Problem {
			t.Errorf("%s: the canonical form has another canonical form (%v)", in.Name, err)
			continue
		}
		shuffled, err := canonicalise(sourceOf(texts.Domain), sourceOf(shuffleFacts(texts.Problem)))
		if err != nil || shuffled.Problem != texts.Problem {
			t.Errorf("%s: the order of facts matters (%v)", in.Name, err)
		}
		task := taskOf(t, texts.Domain, texts.Problem, "")
		if other, ok := keys[task.Key]; ok {
			t.Logf("%s is the same task as %s", in.Name, other)
		}
		keys[task.Key] = in.Name
	}
	if len(keys) < 180 {
		t.Errorf("only %d tasks", len(keys))
	}
}

// shuffleFacts puts the facts of a canonical problem in another order, and its objects.
func shuffleFacts(problem string) string {
	for _, head := range []string{"  (:init\n", "  (:objects\n"} {
		start := strings.Index(problem, head)
		if start < 0 {
			continue
		}
		start += len(head)
		end := start + strings.Index(problem[start:], "\n  )\n") + 1
		if end <= start {
			continue
		}
		lines := strings.SplitAfter(strings.TrimSuffix(problem[start:end], "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\n") + "\n"
		}
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		problem = problem[:start] + strings.Join(lines, "") + problem[end:]
	}
	return problem
}
