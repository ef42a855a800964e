package grounder

import (
	"fmt"
	"slices"
	"strings"
)

func (p *sasReader) errorf(format string, args ...any) error {
	return &SASError{p.line, fmt.Sprintf(format, args...)}
}

// next reads one line without its line break into p.cur.
func (p *sasReader) next() error {
	p.line++
	if p.text == "" {
		return p.errorf("unexpected end of file")
	}
	if i := strings.IndexByte(p.text, '\n'); i >= 0 {
		p.cur, p.text = p.text[:i], p.text[i+1:]
	} else {
		p.cur, p.text = p.text, ""
	}
	p.cur = strings.TrimSuffix(p.cur, "\r")
	return nil
}

func (p *sasReader) expect(word string) error {
	if err := p.next(); err != nil {
		return err
	}
	if strings.TrimSpace(p.cur) != word {
		return p.errorf("expected %q, found %q", word, clip(p.cur))
	}
	return nil
}

// clip shortens a line for a message.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

// int reads the next integer of the current line.
func (p *sasReader) int() (int64, error) {
	s := strings.TrimLeft(p.cur, " \t")
	neg := strings.HasPrefix(s, "-")
	if neg {
		s = s[1:]
	}
	var v int64
	i := 0
	for ; i < len(s) && s[i] != ' ' && s[i] != '\t'; i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, p.errorf("expected an integer, found %q", clip(s))
		}
		if v > (1<<63-1-int64(d))/10 {
			return 0, p.errorf("expected an integer of at most 63 bits, found %q", clip(s))
		}
		v = v*10 + int64(d)
	}
	if i == 0 {
		return 0, p.errorf("expected an integer, found %q", clip(s))
	}
	if neg {
		v = -v
	}
	p.cur = s[i:]
	return v, nil
}

// done checks that the current line is used up.
func (p *sasReader) done() error {
	if strings.TrimSpace(p.cur) != "" {
		return p.errorf("unexpected %q", clip(p.cur))
	}
	return nil
}

// lineInt reads a line with one integer in [lo, hi].
func (p *sasReader) lineInt(what string, lo, hi int64) (int64, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	v, err := p.int()
	if err != nil {
		return 0, err
	}
	if v < lo || v > hi {
		return 0, p.errorf("%s is %d, not between %d and %d", what, v, lo, hi)
	}
	return v, p.done()
}

// count reads a line with the number of things that follow, each at least
// minBytes long.
func (p *sasReader) count(what string, minBytes int) (int, error) {
	if err := p.next(); err != nil {
		return 0, err
	}
	v, err := p.int()
	if err != nil {
		return 0, err
	}
	if most := min(int64(len(p.text)/minBytes+1), 1<<31-1); v < 0 || v > most {
		return 0, p.errorf("%s is %d, but the rest of the file has room for at most %d", what, v, most)
	}
	return int(v), p.done()
}

func (p *sasReader) variable() (int32, error) {
	v, err := p.int()
	if err != nil {
		return 0, err
	}
	if v < 0 || v >= int64(len(p.task.Variables)) {
		return 0, p.errorf("variable %d does not exist: there are %d", v, len(p.task.Variables))
	}
	return int32(v), nil
}

func (p *sasReader) value(v int32) (int32, error) {
	val, err := p.int()
	if err != nil {
		return 0, err
	}
	if size := p.task.Variables[v].Size(); val < 0 || val >= int64(size) {
		return 0, p.errorf("value %d of variable %d does not exist: it has %d", val, v, size)
	}
	return int32(val), nil
}

// fact reads "variable value" from the current line.
func (p *sasReader) fact() (Fact, error) {
	v, err := p.variable()
	if err != nil {
		return Fact{}, err
	}
	val, err := p.value(v)
	return Fact{Var: v, Val: val}, err
}

// factLines reads n lines of one fact each and appends them to dst.
func (p *sasReader) factLines(dst []Fact, n int) ([]Fact, error) {
	for range n {
		if err := p.next(); err != nil {
			return dst, err
		}
		f, err := p.fact()
		if err != nil {
			return dst, err
		}
		if err := p.done(); err != nil {
			return dst, err
		}
		dst = append(dst, f)
	}
	return dst, nil
}

// condition sorts facts by variable, drops repeated ones and refuses two values
// of one variable. The result lies in the arena.
func (p *sasReader) condition(facts []Fact) ([]Fact, error) {
	facts, err := p.sorted(facts)
	return p.facts.copy(facts), err
}

// sorted sorts the facts of a condition in place and leaves repeated ones out.
func (p *sasReader) sorted(facts []Fact) ([]Fact, error) {
	slices.SortFunc(facts, compareFacts)
	facts = slices.Compact(facts)
	for i := 1; i < len(facts); i++ {
		if facts[i].Var == facts[i-1].Var {
			return nil, p.errorf("a condition requires two values of variable %d", facts[i].Var)
		}
	}
	return facts, nil
}

func compareFacts(a, b Fact) int {
	if a.Var != b.Var {
		return int(a.Var) - int(b.Var)
	}
	return int(a.Val) - int(b.Val)
}
