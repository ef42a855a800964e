package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains/taskref"
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

// canonicalise parses a task and prints it in canonical form. The error is of type
// pddl.Diagnostics when the texts have errors.
func canonicalise(domain, problem *pddl.Source) (*Texts, error) {
	p, err := parse(domain, problem)
	if err != nil {
		return nil, err
	}
	return canonicalTexts(p)
}

// parsed keeps domains: most problems of a store are of a few.
var parsed = taskref.NewResolver(taskref.Options{CacheBytes: 16 << 20})

func parse(domain, problem *pddl.Source) (*pddl.Problem, error) {
	p, diags := parsed.Parse(taskref.KeyOf(domain, problem), pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil, onlyErrors(diags)
	}
	return p, nil
}

func onlyErrors(diags pddl.Diagnostics) pddl.Diagnostics {
	return slices.DeleteFunc(slices.Clone(diags), func(d pddl.Diagnostic) bool { return d.Severity != pddl.Error })
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
	t, err := canonicalise(domain, problem)
	if err != nil {
		return Key{}, err
	}
	task, err := t.Task(s)
	if err != nil {
		return Key{}, err
	}
	return task.Key, nil
}
