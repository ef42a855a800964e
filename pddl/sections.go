package pddl

import "github.com/planproof/planproof/internal/spell"

// sectionKind is the meaning of a section's keyword.
type sectionKind uint8

const (
	secUnknown sectionKind = iota
	secRequirements
	secTypes
	secConstants
	secPredicates
	secFunctions
	secTimeless
	secDerived
	secAxiom
	secAction
	secDurative
	secProcess
	secEvent
	secConstraints
	secDomain
	secObjects
	secInit
	secGoal
	secMetric
	secLength
	secUnsupported
)

// sectionRule says where a section is allowed. Sections are read in the order of their
// kinds, whatever their order in the file; the ranks are the standard's order.
type sectionRule struct {
	kind     sectionKind
	inDomain int // rank in a domain, 0 if it is not allowed there
	inProb   int // rank in a problem
	many     bool
}

var sectionRules = map[string]sectionRule{
	":requirements":    {secRequirements, 1, 2, false},
	":types":           {secTypes, 2, 0, false},
	":constants":       {secConstants, 3, 0, false},
	":predicates":      {secPredicates, 4, 0, false},
	":functions":       {secFunctions, 5, 0, false},
	":timeless":        {secTimeless, 5, 0, false},
	":constraints":     {secConstraints, 6, 6, false},
	":action":          {secAction, 7, 0, true},
	":durative-action": {secDurative, 7, 0, true},
	":process":         {secProcess, 7, 0, true},
	":event":           {secEvent, 7, 0, true},
	":derived":         {secDerived, 7, 0, true},
	":axiom":           {secAxiom, 7, 0, true},
	":domain":          {secDomain, 0, 1, false},
	":objects":         {secObjects, 0, 3, false},
	":init":            {secInit, 0, 4, false},
	":goal":            {secGoal, 0, 5, false},
	":metric":          {secMetric, 0, 7, false},
	":length":          {secLength, 0, 8, false},

	// Known, but not supported by planproof: refused by name.
	":task":             {secUnsupported, 7, 0, true},
	":method":           {secUnsupported, 7, 0, true},
	":safety":           {secUnsupported, 7, 0, true},
	":extends":          {secUnsupported, 1, 0, true},
	":domain-variables": {secUnsupported, 3, 0, true},
	":situation":        {secUnsupported, 0, 3, true},
	":htn":              {secUnsupported, 0, 5, true},
	":bounds":           {secUnsupported, 0, 5, true},
	":agent":            {secUnsupported, 7, 3, true},
	":modules":          {secUnsupported, 1, 1, true},
}

// sectionNames lists the sections of each kind of file for hints.
var domainSections = []string{":requirements", ":types", ":constants", ":predicates", ":functions", ":constraints",
	":action", ":durative-action", ":process", ":event", ":derived"}
var problemSections = []string{":domain", ":requirements", ":objects", ":init", ":goal", ":constraints", ":metric"}

func isSectionKeyword(w string) bool {
	_, ok := sectionRules[w]
	return ok
}

// isBodyKeyword reports whether w is a keyword inside a section.
func isBodyKeyword(section, w string) bool {
	switch w {
	case ":parameters", ":effect":
		return section == ":action" || section == ":durative-action" || section == ":process" || section == ":event"
	case ":precondition":
		return section == ":action" || section == ":process" || section == ":event"
	case ":expansion", ":maintain", ":only-in-expansions":
		return section == ":action"
	case ":duration", ":condition":
		return section == ":durative-action"
	case ":vars":
		return section == ":action" || section == ":axiom"
	case ":context", ":implies":
		return section == ":axiom"
	}
	return false
}

// place checks the keywords of a file's sections and sorts the sections by kind.
func (r *reader) place(sections []section, domain bool) (byKind [secUnsupported + 1][]section) {
	names := problemSections
	if domain {
		names = domainSections
	}
	highest, highestName, told := 0, "", false
	for _, s := range sections {
		rule, known := sectionRules[s.keyword]
		rank := rule.inProb
		if domain {
			rank = rule.inDomain
		}
		at, end := s.keywordAt(), s.start
		switch {
		case !known:
			hint := ""
			if n := spell.Nearest(s.keyword, names); n != "" {
				hint = "did you mean " + n + "?"
				r.meant = append(r.meant, n)
			}
			r.errorHint(UnknownSection, at, end, hint, "unknown section %s", quote(s.keyword))
			continue
		case rank == 0:
			what := "problem"
			if domain {
				what = "domain"
			}
			r.errorf(UnknownSection, at, end, "section %s is not allowed in a %s", s.keyword, what)
			continue
		case rule.kind == secUnsupported:
			r.errorf(UnsupportedSection, at, end, "%s sections are not supported", s.keyword)
			continue
		case !rule.many && len(byKind[rule.kind]) > 0:
			r.errorf(DuplicateSection, at, end, "a second %s section", s.keyword)
			continue
		}
		if rank < highest && !told {
			told = true
			r.warnf(SectionOrder, at, end, "", "section %s comes after %s; the standard order is %s", s.keyword, highestName, joinWords(names))
		}
		if rank > highest {
			highest, highestName = rank, s.keyword
		}
		byKind[rule.kind] = append(byKind[rule.kind], s)
	}
	return byKind
}

// keywordAt is the offset of the section's keyword.
func (s section) keywordAt() int { return s.body.keyword }

func joinWords(ws []string) string {
	out := ""
	for i, w := range ws {
		if i > 0 {
			out += " "
		}
		out += w
	}
	return out
}
