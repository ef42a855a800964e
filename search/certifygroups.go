package search

import (
	"encoding/binary"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/heuristic"
)

// groupStore holds the bounds of a certificate in the making: every zone once, and groups
// of zones. A zone is evaluated by its facts on state variables alone: axioms do not enter it.
type groupStore struct {
	t      *grounder.Task
	zones  []certificate.Part
	tests  [][]grounder.Fact // by zone
	index  map[string]int32
	terms  []certificate.Term // of group g: terms[start[g]:start[g+1]]
	start  []int32
	groups map[string]int32
	held   int64
	work   int64
	key    []byte
}

func newGroupStore(t *grounder.Task) *groupStore {
	return &groupStore{t: t, index: map[string]int32{}, groups: map[string]int32{}, start: []int32{0}}
}

func (s *groupStore) bytes() int64 { return s.held }

// add returns the number of the group that is the sum of zones.
func (s *groupStore) add(zones []heuristic.Zone) int32 {
	first := len(s.terms)
	for i := range zones {
		s.terms = append(s.terms, certificate.Term{Part: s.zone(zones[i].Facts), Cost: zones[i].Cost})
	}
	s.key = s.key[:0]
	for _, term := range s.terms[first:] {
		s.key = binary.AppendUvarint(binary.AppendUvarint(s.key, uint64(term.Part)), uint64(term.Cost))
	}
	if g, ok := s.groups[string(s.key)]; ok {
		s.terms = s.terms[:first]
		return g
	}
	g := int32(len(s.start) - 1)
	s.groups[string(s.key)] = g
	s.start = append(s.start, int32(len(s.terms)))
	s.held += int64(len(s.key)) + 64 + 16*int64(len(zones))
	return g
}

func (s *groupStore) zone(facts []grounder.Fact) int32 {
	s.key = s.key[:0]
	for _, f := range facts {
		s.key = binary.AppendUvarint(binary.AppendUvarint(s.key, uint64(f.Var)), uint64(f.Val))
	}
	if z, ok := s.index[string(s.key)]; ok {
		return z
	}
	z := int32(len(s.zones))
	s.index[string(s.key)] = z
	s.zones = append(s.zones, certificate.Part{Facts: facts})
	tests := facts
	if slices.ContainsFunc(facts, s.derived) {
		tests = slices.DeleteFunc(slices.Clone(facts), s.derived)
	}
	s.tests = append(s.tests, tests)
	s.held += int64(len(s.key)) + 160 + 8*int64(len(facts))
	return z
}

func (s *groupStore) derived(f grounder.Fact) bool { return s.t.Variables[f.Var].Layer >= 0 }

// value returns the bound of a group in the state values.
func (s *groupStore) value(g int32, values []int32) int64 {
	sum := int64(0)
	for _, term := range s.terms[s.start[g]:s.start[g+1]] {
		due := true
		facts := s.tests[term.Part]
		for i, f := range facts {
			if values[f.Var] == f.Val {
				s.work += int64(i)
				due = false
				break
			}
		}
		if due {
			s.work += int64(len(facts))
			sum = plus(sum, term.Cost)
		}
	}
	return sum
}

// export puts the groups that are used, and their zones, into cert, numbered anew in the
// order of the first use.
func (s *groupStore) export(cert *certificate.Certificate) {
	group := make([]int32, len(s.start)-1)
	zone := make([]int32, len(s.zones))
	for i, e := range cert.Evidence {
		g := int32(e>>1) - 1
		if g < 0 {
			continue
		}
		if group[g] == 0 {
			var terms certificate.Group
			for _, term := range s.terms[s.start[g]:s.start[g+1]] {
				if zone[term.Part] == 0 {
					cert.Parts = append(cert.Parts, s.zones[term.Part])
					zone[term.Part] = int32(len(cert.Parts))
				}
				terms = append(terms, certificate.Term{Part: zone[term.Part] - 1, Cost: term.Cost})
			}
			cert.Groups = append(cert.Groups, terms)
			group[g] = int32(len(cert.Groups))
		}
		cert.Evidence[i] = certificate.EvidenceOf(int(group[g])-1, e&1 != 0)
	}
}
