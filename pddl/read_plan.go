package pddl

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pace"
)

// ParsePlan reads a plan strictly: every token belongs to a step, a comment or
// white space, or the plan is refused with a located error. The plan is nil if
// any diagnostic is an error.
func ParsePlan(src *Source) (*Plan, Diagnostics) {
	var r PlanReader
	p := &Plan{}
	if ds := r.Read(src, p); ds.HasErrors() {
		return nil, ds
	} else {
		return p, ds
	}
}

// ParsePlanContext is [ParsePlan] that ends soon after ctx does. The error is that of ctx; then there are neither a
// plan nor diagnostics.
func ParsePlanContext(ctx context.Context, src *Source) (*Plan, Diagnostics, error) {
	var r PlanReader
	p := &Plan{}
	ds, err := r.ReadContext(ctx, src, p)
	if err != nil || ds.HasErrors() {
		p = nil
	}
	return p, ds, err
}

// PlanReader reads plans one after another with the same buffers, so that a plan of a
// batch costs no allocation. It must not be used concurrently.
type PlanReader struct {
	collector
	text  string
	pos   int
	plan  *Plan
	mixed bool
	endAt span // of the end marker

	args   []string
	argPos []Pos
	starts []int32 // first argument of each step
}

// Read reads src into p, whose earlier content is overwritten: the arguments of
// its steps are valid until the next call. After an error the content of p is
// undefined.
//
// A plan is a sequence of steps; a step is
//
//	[TIME :] ( NAME ARGUMENT... ) [ "[" DURATION "]" ]
//
// A line "TIME : @PlanEND", which planners of PDDL+ write, says until when time passes. All of it
// may have white space and comments anywhere between the tokens.
func (r *PlanReader) Read(src *Source, p *Plan) Diagnostics { return r.read(src, p, pace.Pace{}) }

// ReadContext is Read that ends soon after ctx does, with its error; there are no diagnostics then.
func (r *PlanReader) ReadContext(ctx context.Context, src *Source, p *Plan) (Diagnostics, error) {
	ds := r.read(src, p, pace.Of(ctx))
	if err := r.Err(); err != nil {
		return nil, err
	}
	return ds, nil
}

func (r *PlanReader) read(src *Source, p *Plan, pace pace.Pace) Diagnostics {
	r.collector = collector{src: src, Pace: pace}
	r.text, r.pos, r.plan, r.mixed = src.Text, 0, p, false
	r.args, r.argPos, r.starts = r.args[:0], r.argPos[:0], r.starts[:0]
	p.Source, p.Steps, p.Timed, p.End, p.HasEnd = src, p.Steps[:0], false, Number{}, false
	if uint64(len(r.text)) > math.MaxUint32-1 {
		r.errorf(FileTooLarge, 0, 0, "a plan of %d bytes; the largest allowed has %d", len(r.text), uint64(MaxSourceSize))
		return r.result()
	}
	if !checkText(&r.collector) {
		return r.result()
	}
	if hasBOM(r.text) {
		r.pos = len(bom)
	}
	for r.skip() {
		r.step()
	}
	for i := range p.Steps {
		a, z := r.starts[i], int32(len(r.args))
		if i+1 < len(p.Steps) {
			z = r.starts[i+1]
		}
		p.Steps[i].Args = r.args[a:z:z]
		p.Steps[i].ArgPos = r.argPos[a:z:z]
	}
	r.checkEnd()
	if len(r.list) == 0 {
		return nil
	}
	return r.result()
}

// skip moves over white space and comments and reports whether text is left. Once the reader's context has ended none
// is, as in a text that is cut off.
func (r *PlanReader) skip() bool {
	if r.Stop() {
		r.pos = len(r.text)
	}
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case class[c]&classSpace != 0:
			r.pos++
		case c == ';':
			r.pos += commentLength(r.text[r.pos:])
		default:
			return true
		}
	}
	return false
}

// wordEnd returns the end of the word at i, which has no white space, parentheses,
// brackets, colons or comments.
func (r *PlanReader) wordEnd(i int) int {
	for i < len(r.text) && !endsWord[r.text[i]] {
		i++
	}
	return i
}

// endsWord are the characters that end a word of a plan.
var endsWord = func() (t [256]bool) {
	for c := range t {
		t[c] = class[c]&classSpace != 0 || strings.IndexByte("();[]:", byte(c)) >= 0
	}
	return t
}()

// skipLine moves to the end of the line after an error.
func (r *PlanReader) skipLine() {
	if n := strings.IndexAny(r.text[r.pos:], "\r\n"); n >= 0 {
		r.pos += n
	} else {
		r.pos = len(r.text)
	}
}

// step reads one step.
func (r *PlanReader) step() {
	begin := r.pos
	var s Step
	timed := false
	if r.text[r.pos] != '(' {
		var ok bool
		if s.Time, ok = r.stamp(begin); !ok {
			r.skipLine()
			return
		}
		if r.text[r.pos] == '@' {
			r.planEnd(begin, s.Time)
			return
		}
		timed = true
	}
	if !r.action(&s) {
		return
	}
	if r.skip() && r.text[r.pos] == '[' && !r.duration(&s) {
		return
	}
	if len(r.plan.Steps) == 0 {
		r.plan.Timed = timed
	} else if timed != r.plan.Timed && !r.mixed {
		r.mixed = true
		has, lacks := "has a time stamp", "have none"
		if !timed {
			has, lacks = "has no time stamp", "have one"
		}
		r.errorf(MixedTimeStamps, begin, int(s.Pos)+1, "this step %s, but the steps before it %s", has, lacks)
	}
	r.plan.Steps = append(r.plan.Steps, s)
}

// stamp reads "TIME :" and leaves the position at the step's parenthesis.
func (r *PlanReader) stamp(begin int) (Number, bool) {
	end := r.wordEnd(begin)
	w := r.text[begin:end]
	r.pos = end
	if looksNumeric(w) && r.skip() && r.text[r.pos] == ':' {
		r.pos++
		if r.skip() && (r.text[r.pos] == '(' || r.text[r.pos] == '@') {
			t, ok := ParseNumber(w)
			switch {
			case !ok:
				r.errorf(BadNumber, begin, end, "%s is not a number that can be read exactly", quote(w))
			case t.Sign() < 0:
				r.errorf(NegativeTime, begin, end, "a step at a negative time")
			}
			return t, true
		}
	}
	r.pos = begin
	if i := strings.IndexFunc(w, isInvisible); i >= 0 {
		r.illegal(r.text, begin+i)
		return Number{}, false
	}
	if end == begin {
		end++
	}
	r.errorHint(MalformedStep, begin, end, "a step is (NAME ARGUMENT...) or TIME: (NAME ARGUMENT...) [DURATION]",
		"text outside a step: %s", quote(r.text[begin:end]))
	return Number{}, false
}

// action reads (NAME ARGUMENT...). After an error it has moved on to where the
// next step may begin.
func (r *PlanReader) action(s *Step) bool {
	open := r.pos
	s.Pos = Pos(open)
	r.pos++
	first := len(r.args)
	for words := 0; ; words++ {
		if r.skip() && r.text[r.pos] == '(' && r.nested() {
			r.args, r.argPos = r.args[:first], r.argPos[:first]
			r.skipNested()
			return false
		}
		if r.pos == len(r.text) || r.text[r.pos] == '(' {
			r.errorf(UnclosedParen, open, open+1, "this step is not closed")
			r.args, r.argPos = r.args[:first], r.argPos[:first]
			return false
		}
		if r.text[r.pos] == ')' {
			r.pos++
			if words == 0 {
				r.errorf(EmptyStep, open, r.pos, "a step without an action")
				return false
			}
			r.starts = append(r.starts, int32(first))
			return true
		}
		end := r.wordEnd(r.pos)
		if !r.checkWord(end) {
			r.args, r.argPos = r.args[:first], r.argPos[:first]
			r.skipStep()
			return false
		}
		if words == 0 {
			s.Name, s.NamePos = r.text[r.pos:end], Pos(r.pos)
		} else {
			r.args = append(r.args, r.text[r.pos:end])
			r.argPos = append(r.argPos, Pos(r.pos))
		}
		r.pos = end
	}
}

// nested reports whether the parenthesis at the position opens a list inside a step,
// rather than the step after an unclosed one: it does if the list is closed and the
// step continues after it.
func (r *PlanReader) nested() bool {
	save := r.pos
	defer func() { r.pos = save }()
	r.pos++
	for r.skip() {
		switch r.text[r.pos] {
		case '(':
			return false
		case ')':
			r.pos++
			if !r.skip() {
				return false
			}
			if r.text[r.pos] == ')' {
				return true
			}
			end := r.wordEnd(r.pos)
			return end > r.pos && !looksNumeric(r.text[r.pos:end])
		}
		r.pos = max(r.wordEnd(r.pos), r.pos+1)
	}
	return false
}

// skipNested reports the list at the position, inside a step, and moves past the end
// of the step.
func (r *PlanReader) skipNested() {
	r.errorf(MalformedStep, r.pos, r.pos+1, "'(' inside a step")
	r.pos++
	r.skipStep()
	r.skipStep()
	if r.skip() && r.text[r.pos] == '[' {
		if n := strings.IndexAny(r.text[r.pos:], "]\r\n"); n >= 0 {
			r.pos += n + 1
		}
	}
}

// checkWord checks the name from the position to end.
func (r *PlanReader) checkWord(end int) bool {
	w := r.text[r.pos:end]
	if w == "" {
		r.errorf(MalformedStep, r.pos, r.pos+1, "%s inside a step", quote(r.text[r.pos:r.pos+1]))
		return false
	}
	if len(w) > MaxNameLength {
		r.errorf(NameTooLong, r.pos, r.pos, "a name of %d bytes; the longest allowed has %d", len(w), MaxNameLength)
		return false
	}
	mix := uint8(0)
	for i := 0; i < len(w); i++ {
		mix |= class[w[i]]
	}
	if mix&^(className|classUpper|classDigit) == 0 {
		return true
	}
	if i := strings.IndexFunc(w, illegalRune); i >= 0 {
		r.illegal(r.text, r.pos+i)
		return false
	}
	return true
}

// skipStep moves past the end of a bad step, or to the next one.
func (r *PlanReader) skipStep() {
	for r.skip() {
		switch r.text[r.pos] {
		case '(':
			return
		case ')':
			r.pos++
			return
		}
		r.pos++
	}
}

// duration reads "[ NUMBER ]".
func (r *PlanReader) duration(s *Step) bool {
	open := r.pos
	r.pos++
	if !r.skip() {
		r.errorf(MalformedDuration, open, open+1, "a duration is [NUMBER]")
		return false
	}
	at, end := r.pos, r.wordEnd(r.pos)
	w := r.text[at:end]
	r.pos = end
	if !looksNumeric(w) || !r.skip() || r.text[r.pos] != ']' {
		r.errorf(MalformedDuration, open, max(end, open+1), "a duration is [NUMBER]")
		r.skipLine()
		return false
	}
	r.pos++
	v, ok := ParseNumber(w)
	switch {
	case !ok:
		r.errorf(BadNumber, at, end, "%s is not a number that can be read exactly", quote(w))
		return false
	case v.Sign() < 0:
		r.errorf(NegativeDuration, at, end, "a negative duration")
		return false
	}
	s.Duration, s.HasDuration, s.Decimals = v, true, decimals(w)
	return true
}

// decimals returns the number of decimals that the literal w is written with.
func decimals(w string) int {
	exp := 0
	if i := strings.IndexAny(w, "eE"); i >= 0 {
		exp, _ = strconv.Atoi(strings.TrimPrefix(w[i+1:], "+"))
		w = w[:i]
	}
	n := 0
	if i := strings.IndexByte(w, '.'); i >= 0 {
		n = len(w) - i - 1
	}
	return max(0, n-exp)
}
