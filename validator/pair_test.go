package validator

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/secondjudge"
	"github.com/planproof/planproof/pddl"
)

// pair is a random task with a plan, as text.
type pair struct{ domain, problem, plan, epsilon string }

func (p *pair) String() string {
	return p.domain + "\n" + p.problem + "\n" + p.plan + "\nepsilon " + p.epsilon
}

// drawPair writes a task and a plan of a level; a plain one keeps to what other judges read: no
// object fluents, every fluent with a value.
func drawPair(t *rapid.T, level int, plain bool) pair {
	g := &gen{t: t, level: level, plain: plain}
	domain, problem, plan := g.task()
	return pair{domain, problem, plan(), g.oneOf("0", "0", "0.4", "0.5", "1")}
}

// task writes a task; plan writes plans for it.
func (g *gen) task() (domain, problem string, plan func() string) {
	domain, params := g.domain()
	problem = g.problem()
	if g.level <= levelNumeric {
		return domain, problem, func() string { return g.plan(params) }
	}
	text, timed := g.timedDomain()
	domain = domain[:len(domain)-2] + text + ")\n"
	problem = g.timedProblem(problem)
	if g.level == levelPlus {
		domain = g.plusDomain(domain)
	}
	return domain, problem, func() string { return g.timedPlan(params, timed) }
}

// read parses a pair and compiles its judge; ok is false for what cannot be read or judged.
func (p *pair) read() (j *Judge, plan *pddl.Plan, ok bool) {
	d, _ := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: p.domain}, pddl.Options{})
	if d == nil {
		return nil, nil, false
	}
	prob, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: p.problem}, d, pddl.Options{})
	if prob == nil || diags.HasErrors() {
		return nil, nil, false
	}
	plan, diags = pddl.ParsePlan(&pddl.Source{Name: "plan", Text: p.plan})
	if plan == nil || diags.HasErrors() {
		return nil, nil, false
	}
	j, err := NewJudge(prob, Options{MaxWork: 1e7})
	return j, plan, err == nil
}

// verdict judges a pair; nil if there is no verdict.
func (p *pair) verdict() *Verdict {
	j, plan, ok := p.read()
	if !ok {
		return nil
	}
	s := j.NewScratch()
	s.Epsilon, _ = pddl.ParseNumber(p.epsilon)
	if v := j.ValidateWith(plan, s); v.Decided() {
		return v
	}
	return nil
}

// second judges a pair with the second judge, if the first can decide it.
func (p *pair) second() *secondjudge.Outcome {
	j, plan, ok := p.read()
	if !ok || p.verdict() == nil {
		return nil
	}
	e, _ := pddl.ParseNumber(p.epsilon)
	o := secondjudge.Judge(j.prob, plan, secondjudge.Options{Epsilon: e})
	return &o
}

// shrink makes a pair smaller as long as it stays interesting: it removes steps, lines and
// expressions in brackets, or puts one of the parts of an expression in its place.
func shrink(p pair, interesting func(pair) bool) pair {
	for again := true; again; {
		again = false
		for _, text := range []*string{&p.plan, &p.problem, &p.domain} {
			for at := 0; at < len(*text); at++ {
				for _, smaller := range reductions(*text, at) {
					old := *text
					*text = smaller
					if interesting(p) {
						again = true
						break
					}
					*text = old
				}
			}
		}
	}
	return p
}

// reductions lists texts in which the line or expression that begins at a place is missing, or
// is only one of its parts.
func reductions(text string, at int) (out []string) {
	if at == 0 || text[at-1] == '\n' {
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			out = append(out, text[:at]+text[at+end+1:])
		}
	}
	if text[at] != '(' {
		return out
	}
	end, inner := closing(text, at), [][2]int{}
	if end < 0 {
		return out
	}
	for i := at + 1; i < end; i++ {
		if text[i] == '(' {
			k := closing(text, i)
			inner = append(inner, [2]int{i, k + 1})
			i = k
		}
	}
	out = append(out, text[:at]+text[end+1:])
	for _, x := range inner {
		out = append(out, text[:at]+text[x[0]:x[1]]+text[end+1:])
	}
	return out
}

// closing finds the bracket that closes the one at a place, -1 if there is none.
func closing(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
