package domains

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// templatesNamed returns the bundled templates of that name, or nil.
func templatesNamed(name string) *Templates {
	i := slices.IndexFunc(loadTemplates(), func(t *Templates) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return loadTemplates()[i]
}

// TestTemplatesComplete: every bundled file has sentences for every action with all its
// arguments, or infers those it leaves out.
func TestTemplatesComplete(t *testing.T) {
	if n := len(loadTemplates()); n < 11 {
		t.Fatalf("only %d files", n)
	}
	for _, tp := range loadTemplates() {
		name := tp.Name
		for _, sig := range tp.Signature {
			action, _, _ := strings.Cut(sig, "/")
			var n int
			fmt.Sscanf(sig[len(action)+1:], "%d", &n)
			a, ok := tp.Actions[action]
			if !ok || a.Say == "" {
				t.Errorf("%s: no sentence for %s", name, action)
			}
			for _, s := range append([]string{a.Say}, a.Read...) {
				for k := range n {
					slot := fmt.Sprintf("{%d", k)
					_, inferred := a.Infer[fmt.Sprint(k)]
					if !strings.Contains(s, slot) && !strings.Contains(s, fmt.Sprintf("{=%d", k)) && !inferred {
						t.Errorf("%s: %s: %q leaves out argument %d", name, action, s, k)
					}
				}
			}
		}
	}
}

// TestTemplatesOfBundledDomains: the bundled domains can be put into words completely.
func TestTemplatesOfBundledDomains(t *testing.T) {
	for _, info := range List() {
		if info.Name == "invented" { // its words mean nothing in any language
			continue
		}
		src, err := Domain(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		dom, ds := pddl.ParseDomain(src, pddl.Options{})
		if dom == nil {
			t.Fatalf("%s: %v", info.Name, ds)
		}
		ts := TemplatesFor(dom)
		if len(ts) == 0 || ts[0].Name != strings.TrimPrefix(info.Name, "budget-") {
			t.Errorf("%s: no templates of its own", info.Name)
			continue
		}
		for _, p := range dom.Predicates {
			objects := []string{"x", "y", "z"}[:len(p.Params)]
			if s, ok := ts[0].Fact(p.Name, objects); !ok || strings.ContainsAny(s, "{}") {
				t.Errorf("%s: fact %s: %q, %v", info.Name, p.Name, s, ok)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct{ templates, action, objects, want string }{
		{"blocksworld", "pick-up", "a", "pick up the red block"},
		{"blocksworld", "UNSTACK", "L d", "unstack the gold block from on top of the yellow block"},
		{"blocksworld", "stack", "b12 a", "stack the block b12 on top of the red block"},
		{"mystery_blocksworld", "overcome", "a b", "overcome object a from object b"},
		{"randomized_blocksworld", "wio5amhq7814n006", "o0 o12", "wio5amhq7814n006 object_0 object_12"},
		{"random_blocksworld", "stack", "a b", "2ijg9q8swj2shjel object a from object b"},
		{"logistics", "load-airplane", "p3 a0 l1-2", "load package_3 into airplane_0 at location_1_2"},
		{"logistics", "drive-truck", "t1 l1-0 l1-1 c1", "drive truck_1 from location_1_0 to location_1_1 in city_1"},
		{"deceptive_logistics", "wretched", "o1 o2 o3 o4", "wretched object_1 object_2 object_3 object_4"},
		{"depots", "lift", "hoist0 crate1 pallet0 depot0", "Use hoist0 to lift crate1 from pallet0 at depot0"},
		{"gripper", "pick", "ball0 room1 left", "pick up ball0 in room1 with the left gripper"},
		{"sokoban", "push", "f0 f1 f2 right box0", "standing at f0, push box0 from f1 to f2 going right"},
	} {
		got, ok := templatesNamed(c.templates).Sentence(c.action, strings.Fields(c.objects))
		if !ok || got != c.want {
			t.Errorf("%s %s %s: %q, %v, want %q", c.templates, c.action, c.objects, got, ok, c.want)
		}
	}
	blocks := templatesNamed("blocksworld")
	if s, ok := blocks.Sentence("fly", []string{"a"}); ok {
		t.Errorf("a sentence for an unknown action: %q", s)
	}
	for _, c := range []struct{ pred, objects, want string }{
		{"holding", "a", "the hand is currently holding red block"},
		{"on", "a b", "the red block is on top of the blue block"},
		{"handempty", "", "the hand is empty"},
	} {
		if got, _ := blocks.Fact(c.pred, strings.Fields(c.objects)); got != c.want {
			t.Errorf("%s: %q, want %q", c.pred, got, c.want)
		}
	}
	if s, ok := templatesNamed("logistics").Fact("truck", []string{"t0"}); !ok || s != "" {
		t.Errorf("kinds go unsaid in logistics: %q, %v", s, ok)
	}
	if templatesNamed("chess") != nil {
		t.Error("templates for chess")
	}
}

func TestParseTemplatesRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{`, "unexpected"},
		{`{"name": "x", "colour": 1}`, "unknown field"},
		{`{"signature": ["a/1"]}`, "no name"},
		{`{"name": "x", "signature": ["a"]}`, "not name/arity"},
		{`{"name": "x", "signature": ["A/1"]}`, "not name/arity"},
		{`{"name": "x", "signature": ["a/-1"]}`, "not name/arity"},
		{`{"name": "x", "signature": ["a/1"], "actions": {"b": {"say": "b"}}}`, "not in the signature"},
		{`{"name": "x", "signature": ["a/1"], "actions": {"a": {"say": "a {1}"}}}`, "no argument"},
		{`{"name": "x", "signature": ["a/1"], "actions": {"a": {"say": "a {0}", "read": ["a [{0}"]}}}`, "unclosed bracket"},
		{`{"name": "x", "signature": ["a/1"], "actions": {"a": {"say": "a {0}", "read": ["a) {0}"]}}}`, "unbalanced"},
		{`{"name": "x", "signature": ["a/1"], "actions": {"a": {"say": "a {0"}}}`, "unclosed slot"},
		{`{"name": "x", "facts": {}, "fact_reads": {"p": ["{0}"]}}`, "not among the facts"},
		{`{"name": "x", "facts": {"p": "{0}"}, "fact_reads": {"p": ["[{0}"]}}`, "unclosed bracket"},
		{`{"name": "x", "values": {"f": "{0} takes long"}}`, "no slot {v}"},
		{`{"name": "x", "values": {"f": "{v} {x}"}}`, "no slot {v}, or a bad one"},
	} {
		if _, err := parseTemplates([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestTemplatesOfPlanbench: each PlanBench domain finds its templates, and in
// each of its problems different objects are called by different phrases.
func TestTemplatesOfPlanbench(t *testing.T) {
	root := os.Getenv("PLANPROOF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	dirs, _ := filepath.Glob(filepath.Join(root, "data", "planbench", "pddl", "*"))
	if len(dirs) == 0 {
		t.Skip("no shared data (set PLANPROOF_SHARED)")
	}
	want := map[string]string{
		"blocksworld": "blocksworld", "blocksworld_3": "blocksworld", "blocksworld_hard": "blocksworld", "unsolvable_blocksworld": "blocksworld",
		"random_blocksworld": "blocksworld", "random_blocksworld_3": "blocksworld",
		"mystery_blocksworld": "mystery_blocksworld", "mystery_blocksworld_3": "mystery_blocksworld",
		"obfuscated_randomized_blocksworld": "randomized_blocksworld", "obfuscated_randomized_blocksworld_3": "randomized_blocksworld",
		"logistics": "logistics", "sokoban": "sokoban",
	}
	for _, dir := range dirs {
		src, err := pddl.ReadSource(filepath.Join(dir, "domain.pddl"))
		if err != nil {
			t.Fatal(err)
		}
		dom, ds := pddl.ParseDomain(src, pddl.Options{})
		if dom == nil {
			t.Fatalf("%s: %v", dir, ds)
		}
		ts := TemplatesFor(dom)
		if len(ts) == 0 {
			t.Errorf("%s: no templates", dir)
			continue
		}
		if w, ok := want[filepath.Base(dir)]; ok && ts[0].Name != w {
			t.Errorf("%s: templates %s, want %s", dir, ts[0].Name, w)
		}
		problems, _ := filepath.Glob(filepath.Join(dir, "*", "*.pddl"))
		for i, name := range problems {
			if i%17 != 0 { // a sample
				continue
			}
			src, err := pddl.ReadSource(name)
			if err != nil {
				t.Fatal(err)
			}
			prob, ds := pddl.ParseProblem(src, dom, pddl.Options{})
			if prob == nil {
				t.Fatalf("%s: %v", name, ds)
			}
			seen := map[string]string{}
			for _, o := range prob.Objects {
				p, _ := ts[0].Phrase(o.Name, true)
				if other, ok := seen[p]; ok {
					t.Errorf("%s: %s and %s are both %q", name, other, o.Name, p)
				}
				seen[p] = o.Name
			}
		}
	}
}

// TestTemplatesTellRules: the files in plain words have an introduction, rules and effects,
// and say what each action does.
func TestTemplatesTellRules(t *testing.T) {
	for _, name := range []string{"blocksworld", "depots", "elevator", "gripper", "logistics", "powergrid", "sokoban"} {
		tp := templatesNamed(name)
		if tp.Intro == "" || len(tp.Rules) < 3 || len(tp.Effects) < 1 {
			t.Errorf("%s: intro %q, %d rules, %d effects", name, tp.Intro, len(tp.Rules), len(tp.Effects))
		}
		for a, s := range tp.Actions {
			if s.Does == "" || s.Does[0] < 'A' || s.Does[0] > 'Z' {
				t.Errorf("%s: %s does %q", name, a, s.Does)
			}
		}
		for _, s := range append(append([]string{tp.Intro}, tp.Rules...), tp.Effects...) {
			if s[len(s)-1] != '.' || strings.ContainsAny(s, "{}\n") {
				t.Errorf("%s: %q is no sentence", name, s)
			}
		}
		for p, texts := range tp.FactReads {
			for _, s := range texts {
				if strings.Contains(strings.Replace(tp.Facts[p], "{=", "{", 1), "{0}") != strings.Contains(s, "{0") {
					t.Errorf("%s: %q and %q tell different facts", name, tp.Facts[p], s)
				}
			}
		}
	}
	if s, ok := templatesNamed("elevator").Value("DISTANCE", []string{"f0", "f1"}, "3"); !ok || s != "the way from f0 to f1 takes 3" {
		t.Errorf("%q, %v", s, ok)
	}
	if s, ok := templatesNamed("elevator").Value("weight", nil, "3"); ok {
		t.Errorf("a text for an unknown function: %q", s)
	}
}
