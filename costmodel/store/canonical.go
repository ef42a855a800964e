package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

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
