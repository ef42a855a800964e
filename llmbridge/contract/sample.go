package contract

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Sampler draws texts that follow the contract, for tests of its readers.
type Sampler struct {
	// Rand is the source of chance.
	Rand *rand.Rand
	// Names are drawn for the rule "name"; none stands for any name.
	Names []string
	// Most bounds how often a part is repeated beyond the least (0: 3).
	Most int
}

// Text draws a text of a rule of contract.ebnf, "block" or "line" for instance. It panics if there is no
// such rule.
func (s *Sampler) Text(rule string) string {
	instead := map[string]string{}
	for _, n := range s.Names {
		instead["name"] = strings.TrimPrefix(instead["name"]+"|"+regexp.QuoteMeta(n), "|")
	}
	pattern, err := rules().pattern(rule, instead)
	if err != nil {
		panic("contract: " + err.Error())
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic("contract: " + err.Error())
	}
	var b strings.Builder
	s.draw(&b, re)
	return b.String()
}

func (s *Sampler) draw(b *strings.Builder, re *syntax.Regexp) {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
		return
	case syntax.OpCharClass:
		for {
			k := 2 * s.Rand.IntN(len(re.Rune)/2)
			if lo, hi := re.Rune[k], min(re.Rune[k+1], 0x7f); lo <= hi {
				b.WriteByte(byte(lo) + byte(s.Rand.IntN(int(hi-lo)+1)))
				return
			}
		}
	case syntax.OpAlternate:
		s.draw(b, re.Sub[s.Rand.IntN(len(re.Sub))])
		return
	case syntax.OpQuest:
		least = 0
	case syntax.OpStar, syntax.OpPlus:
		if least = 0; re.Op == syntax.OpPlus {
			least = 1
		}
		if most = s.Most + least; s.Most == 0 {
			most = 3 + least
		}
	}
	for range least + s.Rand.IntN(most-least+1) {
		for _, sub := range re.Sub {
			s.draw(b, sub)
		}
	}
}
