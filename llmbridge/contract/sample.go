package contract

import (
	"math/rand/v2"
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
	if rules().rules[rule] == nil {
		panic("contract: there is no rule " + rule)
	}
	var b strings.Builder
	s.draw(&b, &expr{kind: exprRule, text: rule})
	return b.String()
}

func (s *Sampler) draw(b *strings.Builder, e *expr) {
	switch e.kind {
	case exprText:
		b.WriteString(e.text)
	case exprClass:
		for {
			if c := byte(s.Rand.IntN(0x80)); e.class.has(c) {
				b.WriteByte(c)
				return
			}
		}
	case exprRule:
		if e.text == "name" && len(s.Names) > 0 {
			b.WriteString(s.Names[s.Rand.IntN(len(s.Names))])
			return
		}
		s.draw(b, rules().rules[e.text])
	case exprSeq:
		for _, k := range e.kids {
			s.draw(b, k)
		}
	case exprAlt:
		s.draw(b, e.kids[s.Rand.IntN(len(e.kids))])
	case exprRepeat:
		most := s.Most
		if most == 0 {
			most = 3
		}
		if e.max >= 0 {
			most = e.max - e.min
		}
		for range e.min + s.Rand.IntN(most+1) {
			s.draw(b, e.kids[0])
		}
	}
}
