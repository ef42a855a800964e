package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

// KeyVersion numbers the definition of a Key. It is hashed into every key, so that keys
// of different definitions never meet.
const KeyVersion = 1

// Key identifies a task under a cost schedule by content: SHA-256 over KeyVersion, the
// SHA-256 digests of the canonical domain and problem, and the canonical schedule.
type Key [sha256.Size]byte

// String writes the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads what String writes.
func ParseKey(s string) (Key, error) {
	var k Key
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return Key{}, fmt.Errorf("%q is not a key: 64 hexadecimal digits", s)
	}
	return Key(b), nil
}

// Texts is a task without its schedule, in canonical form.
type Texts struct {
	Domain, Problem string
	problem         *pddl.Problem // parsed from the canonical texts
	domainSum       [sha256.Size]byte
	problemSum      [sha256.Size]byte
}

// Task is a task under a schedule.
type Task struct {
	*Texts
	// Schedule is the canonical schedule: name=cost for every action of the domain,
	// sorted by name; empty for the domain's own costs.
	Schedule string
	Key      Key
	priced   *pddl.Problem // the problem with the schedule applied
}

// Canonicalise parses a task and prints it in canonical form. The error is of type
// pddl.Diagnostics when the texts have errors.
func Canonicalise(domain, problem *pddl.Source) (*Texts, error) {
	p, err := parse(domain, problem)
	if err != nil {
		return nil, err
	}
	return canonicalTexts(p)
}

func parse(domain, problem *pddl.Source) (*pddl.Problem, error) {
	d, diags := pddl.ParseDomain(domain, pddl.Options{})
	p, more := pddl.ParseProblem(problem, d, pddl.Options{})
	if diags = append(diags, more...); p == nil || diags.HasErrors() {
		return nil, onlyErrors(diags)
	}
	return p, nil
}

func onlyErrors(diags pddl.Diagnostics) pddl.Diagnostics {
	return slices.DeleteFunc(slices.Clone(diags), func(d pddl.Diagnostic) bool { return d.Severity != pddl.Error })
}

// canonicalTexts prints a problem and its domain. What comes out is read again: the
// store answers for these texts, so they must be tasks themselves.
func canonicalTexts(p *pddl.Problem) (*Texts, error) {
	t := &Texts{Domain: canonicalDomain(p.Domain), Problem: canonicalProblem(p)}
	t.domainSum, t.problemSum = sha256.Sum256([]byte(t.Domain)), sha256.Sum256([]byte(t.Problem))
	var err error
	if t.problem, err = parse(pddl.NewSource("domain", t.Domain), pddl.NewSource("problem", t.Problem)); err != nil {
		return nil, fmt.Errorf("internal error: the canonical form of the task cannot be read: %w", err)
	}
	return t, nil
}

// Names of a domain and a problem mean nothing; they are replaced by these.
const (
	canonicalDomainName  = "domain"
	canonicalProblemName = "problem"
)

// canonicalDomain prints a domain in lower case, with sorted requirements, and without
// its name. Declarations and actions keep their order.
func canonicalDomain(d *pddl.Domain) string {
	c := *d
	c.Name, c.Requirements = canonicalDomainName, sortedSet(d.Requirements)
	return lower(c.String())
}

// canonicalProblem prints a problem in lower case, without its name, with objects and
// facts sorted: both are sets. The goal keeps its order.
func canonicalProblem(p *pddl.Problem) string {
	c, dom := *p, *p.Domain
	dom.Name = canonicalDomainName
	c.Name, c.Domain, c.Requirements = canonicalProblemName, &dom, sortedSet(p.Requirements)
	text := lower(c.String())
	own := c.Objects[len(dom.Constants):]
	objects := make([]string, len(own))
	for i, o := range own {
		objects[i] = lower("    " + o.Name + " - " + dom.TypeName(o.Type) + "\n")
	}
	text = sortSection(text, "  (:objects\n", objects)
	return sortSection(text, "  (:init\n", nil)
}

// sortSection replaces the lines of a section by the given ones, or keeps its own, and
// sorts them. The printer writes an item a line and ends the section with "  )".
func sortSection(text, head string, lines []string) string {
	start := strings.Index(text, head)
	if start < 0 {
		return text
	}
	start += len(head)
	end := start
	for end < len(text) && strings.HasPrefix(text[end:], "    ") {
		end += strings.IndexByte(text[end:], '\n') + 1
	}
	if lines == nil {
		lines = strings.SplitAfter(text[start:end], "\n")
	}
	slices.Sort(lines)
	return text[:start] + strings.Join(lines, "") + text[end:]
}

func sortedSet(words []string) []string {
	s := slices.Clone(words)
	slices.Sort(s)
	return slices.Compact(s)
}

// lower folds ASCII letters, the only ones that have two cases in PDDL.
func lower(s string) string {
	return string(bytes.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, []byte(s)))
}

// Task puts the task under a schedule. It is an error if the schedule does not fit the
// domain.
func (t *Texts) Task(s costmodel.Schedule) (*Task, error) {
	priced, err := s.Apply(t.problem)
	if err != nil {
		return nil, err
	}
	task := &Task{Texts: t, Schedule: canonicalSchedule(t.problem.Domain, s), priced: priced}
	task.Key = makeKey(t.domainSum, t.problemSum, task.Schedule)
	return task, nil
}

func canonicalSchedule(d *pddl.Domain, s costmodel.Schedule) string {
	if s.Empty() {
		return ""
	}
	entries := make([]string, len(d.Actions))
	for i, a := range d.Actions {
		cost, _ := s.Cost(a.Name) // Apply has made sure that there is one
		entries[i] = lower(a.Name) + "=" + cost.String()
	}
	slices.Sort(entries)
	return strings.Join(entries, ",")
}

func makeKey(domain, problem [sha256.Size]byte, schedule string) Key {
	h := sha256.New()
	fmt.Fprintf(h, "planproof ground truth %d\n", KeyVersion)
	h.Write(domain[:])
	h.Write(problem[:])
	h.Write([]byte(schedule))
	return Key(h.Sum(nil))
}

// KeyOf returns the key of a task under a schedule: what Lookup is asked for.
func KeyOf(domain, problem *pddl.Source, s costmodel.Schedule) (Key, error) {
	t, err := Canonicalise(domain, problem)
	if err != nil {
		return Key{}, err
	}
	task, err := t.Task(s)
	if err != nil {
		return Key{}, err
	}
	return task.Key, nil
}
