package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/forms"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
)

var (
	statedInit = pattern.New(`(?m)^As initial conditions I have that, (.*?)\.?[ \t]*$`)
	statedGoal = pattern.New(`(?m)^My goal is to have that (.*?)\.`)
)

// errUnread is what a prompt is refused with that states no task which can be read.
var errUnread = errors.New("the prompt states no task that can be read: neither a problem in PDDL, nor sentences of a known domain")

// family is a domain of the checkout with its instances.
type family struct {
	domain *pddl.Domain
	states *extract.StateReader
	base   *pddl.Problem // has the objects of all instances
	// byInit finds an instance by the facts of its initial state that texts mention.
	byInit map[string]*pddl.Problem
}

// statedTasks reads the tasks that prompts state. It is safe for concurrent use.
type statedTasks struct {
	families []*family
	mu       sync.Mutex
	known    map[string]*statedTask
}

type statedTask struct {
	problem *pddl.Problem
	err     error
}

// readFamilies reads the domains and instances below folders named instances. Folders with the same domain
// are one family.
func readFamilies(root string) (*statedTasks, error) {
	all := &statedTasks{known: map[string]*statedTask{}}
	var doms []*pddl.Domain
	instances := map[string][]*pddl.Problem{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "generated_domain.pddl" || !strings.Contains(filepath.ToSlash(path), "/instances/") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dom, _ := pddl.ParseDomain(pddl.NewSourceBytes(path, text), pddl.Options{})
		if dom == nil {
			return nil
		}
		probs, err := readInstances(filepath.Dir(path), dom)
		key := dom.String()
		if len(probs) > 0 && instances[key] == nil {
			doms = append(doms, dom)
		}
		instances[key] = append(instances[key], probs...)
		return err
	})
	for _, dom := range doms {
		if f := newFamily(dom, instances[dom.String()]); f != nil {
			all.families = append(all.families, f)
		}
	}
	return all, err
}

// readInstances reads the problems of a domain in a folder and below. Those of other domains are left out.
func readInstances(dir string, dom *pddl.Domain) ([]*pddl.Problem, error) {
	var probs []*pddl.Problem
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".pddl" || d.Name() == "generated_domain.pddl" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if p, ds := pddl.ParseProblem(pddl.NewSourceBytes(name, text), dom, pddl.Options{}); p != nil && !ds.HasErrors() {
			probs = append(probs, p)
		}
		return nil
	})
	return probs, err
}

// newFamily returns nil for instances whose objects do not fit together.
func newFamily(dom *pddl.Domain, probs []*pddl.Problem) *family {
	base, err := union(dom, probs)
	if err != nil {
		return nil
	}
	f := &family{domain: dom, base: base, states: extract.NewStateReader(dom, base), byInit: map[string]*pddl.Problem{}}
	for _, p := range probs {
		if k := f.key(atomtext.Initial(p)); f.byInit[k] == nil {
			f.byInit[k] = p
		}
	}
	return f
}

// union makes a problem with the objects of all problems and their initial facts.
func union(dom *pddl.Domain, probs []*pddl.Problem) (*pddl.Problem, error) {
	objects, facts := map[string]bool{}, map[string]bool{}
	for _, p := range probs {
		for _, fact := range atomtext.Initial(p) {
			facts[fact] = true
			for _, o := range atomtext.Words(fact)[1:] {
				objects[o] = true
			}
		}
	}
	return problemOf(dom, sorted(withMore(dom, objects)), sorted(facts), nil)
}

// moreObjects is how many numbered objects a prompt may speak of, from 0.
const moreObjects = 32

// withMore adds the objects that the domain's templates number (o0, o1), where these have one kind of objects:
// prompts speak of others than the instances have, because some sets come without instances.
func withMore(dom *pddl.Domain, objects map[string]bool) map[string]bool {
	for _, t := range domains.TemplatesFor(dom) {
		for i := 0; len(t.Objects) == 1 && t.Objects[0].Prefix != "" && i < moreObjects; i++ {
			objects[fmt.Sprint(t.Objects[0].Prefix, i)] = true
		}
	}
	return objects
}

// problemOf writes a problem and reads it. All objects have the type object.
func problemOf(dom *pddl.Domain, objects, init, goal []string) (*pddl.Problem, error) {
	text := fmt.Sprintf("(define (problem stated) (:domain %s)\n  (:objects %s)\n  (:init %s)\n  (:goal (and %s)))\n",
		dom.Name, strings.Join(objects, " "), strings.Join(init, " "), strings.Join(goal, " "))
	p, ds := pddl.ParseProblem(pddl.NewSource("stated", text), dom, pddl.Options{})
	if p == nil {
		return nil, ds.Err()
	}
	return p, ds.Err()
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// key is the text of the facts that prompts mention.
func (f *family) key(facts []string) string {
	said := slices.DeleteFunc(slices.Clone(facts), func(s string) bool { return !f.states.Says(s) })
	slices.Sort(said)
	return strings.Join(slices.Compact(said), " ")
}

// read reads facts in words, and reports whether all of the text was read.
func (f *family) read(text string) ([]string, bool) {
	x := f.states.Read("[RESULTING STATE]\n" + text)
	return x.Facts, x.Found && len(x.Unread)+len(x.Denied) == 0
}

// of returns the problem that a prompt states, with the initial state and the goal of its last statement.
// What a question asks beyond these, grade.QueryRecord reads.
func (s *statedTasks) of(query string) (*pddl.Problem, error) {
	query = strings.ReplaceAll(query, "\r\n", "\n")
	at := max(strings.LastIndex(query, "[STATEMENT]\n"), 0)
	key := query
	inWords := statedInit.MatchString(query[at:])
	if inWords {
		key = query[at:]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.known[key]
	if t == nil {
		t = &statedTask{}
		if inWords {
			t.problem, t.err = s.inWords(query[at:])
		} else {
			t.problem, t.err = s.inPDDL(query)
		}
		s.known[key] = t
	}
	return t.problem, t.err
}

func (s *statedTasks) inWords(text string) (*pddl.Problem, error) {
	init, goal := statedInit.FindStringSubmatch(text), statedGoal.FindStringSubmatch(text)
	for _, f := range s.families {
		facts, ok := f.read(init[1])
		if !ok {
			continue
		}
		p, err := f.problem(facts)
		if err != nil {
			return nil, err
		}
		if goal == nil { // a question about a state
			return p, nil
		}
		wanted, ok := f.read(goal[1])
		if !ok {
			return nil, fmt.Errorf("the goal cannot be read: %s", goal[1])
		}
		return world.WithGoal(p, atomtext.Gained(f.states.Unsaid(), wanted))
	}
	return nil, errUnread
}

// problem finds the instance with an initial state, or makes one where every fact is in the text.
func (f *family) problem(facts []string) (*pddl.Problem, error) {
	if p := f.byInit[f.key(facts)]; p != nil {
		return p, nil
	}
	if len(f.states.Unsaid()) > 0 {
		return nil, errors.New("no instance has the prompt's initial state, and the text does not mention all facts")
	}
	objects := map[string]bool{}
	for _, fact := range facts {
		for _, o := range atomtext.Words(fact)[1:] {
			objects[o] = true
		}
	}
	return problemOf(f.domain, sorted(objects), facts, nil)
}

// inPDDL reads the last problem in a prompt, and its domain from the prompt or by its name from the checkout.
func (s *statedTasks) inPDDL(query string) (*pddl.Problem, error) {
	probs := problemHead.FindAllStringIndex(query, -1)
	if len(probs) == 0 {
		return nil, errUnread
	}
	text := forms.First(query[probs[len(probs)-1][0]:])
	var doms []*pddl.Domain
	if at := domainHead.FindStringIndex(query); at != nil {
		if dom, _ := pddl.ParseDomain(pddl.NewSource("prompt", forms.First(query[at[0]:])), pddl.Options{}); dom != nil {
			doms = append(doms, dom)
		}
	}
	for _, f := range s.families {
		doms = append(doms, f.domain)
	}
	err := errUnread
	for i, dom := range doms {
		p, ds := pddl.ParseProblem(pddl.NewSource("prompt", text), dom, pddl.Options{})
		if p != nil && !ds.HasErrors() {
			return p, nil
		}
		if i == 0 && ds.Err() != nil {
			err = fmt.Errorf("the prompt's problem cannot be read: %w", ds.Err())
		}
	}
	return nil, err
}

var (
	problemHead = pattern.New(`(?i)\(\s*define\s*\(\s*problem\b`)
	domainHead  = pattern.New(`(?i)\(\s*define\s*\(\s*domain\b`)
)
