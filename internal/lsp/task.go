package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/pddl/syntax"
	"github.com/planproof/planproof/validator"
)

// Bounds of what is said about a plan while it is typed.
const (
	maxTraced  = 2000 // steps
	maxShown   = 6    // changes beside a step
	maxNumber  = 40   // characters of a time
	maxFacts   = 200  // of a state
	maxObjects = 2000 // of a problem that is judged at each change
	traceTime  = 300 * time.Millisecond
)

var errNoTask = errors.New("there is no task without faults")

// judgeOf returns the judge of a plan's task.
func (v *view) judgeOf(ctx context.Context, plan *Document) (*validator.Judge, error) {
	d := v.problemOf(plan)
	if d == nil {
		return nil, errNoTask
	}
	r, err := d.reading(ctx, v.domainOf(d))
	if err != nil {
		return nil, err
	}
	return r.judgeOf(ctx)
}

// tracePlan executes a plan and returns what its steps change.
func (v *view) tracePlan(ctx context.Context, d *Document) (*pddl.Plan, []validator.Happening, error) {
	if len(d.File().Sections) > maxTraced {
		return nil, nil, errNoTask
	}
	j, err := v.judgeOf(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource(d.Path, d.Text))
	if diags.HasErrors() {
		return nil, nil, errNoTask
	}
	s := j.NewScratch()
	ctx, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	s.Context = ctx
	steps, _ := j.Trace(plan, s)
	return plan, steps, nil
}

type inlayHint struct {
	Position Position   `json:"position"`
	Label    string     `json:"label"`
	Left     bool       `json:"paddingLeft"`
	Tooltip  string     `json:"tooltip,omitempty"`
	Data     *inlayData `json:"data,omitempty"`
}

// inlayData says which state a tooltip is to show.
type inlayData struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
	After   int    `json:"after"` // happenings
}

// inlay writes what each step of a plan changes behind it; of a step that takes time, at its start and at its end. What
// several steps change at the same time stands behind the last of them.
func (s *Server) inlay(ctx context.Context, p *rangeParams) (any, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, err
	}
	out := []inlayHint{}
	if d.Kind() != syntax.Plan {
		return out, nil
	}
	plan, steps, err := s.space.view().tracePlan(ctx, d)
	if err != nil {
		return out, nil // the faults say why
	}
	from, to := d.offset(p.Range.Start), d.offset(p.Range.End)
	labels := map[int]string{}
	after := map[int]int{}
	for i, h := range steps {
		at := slices.Max(append(append([]int{-1}, h.Steps...), h.Ends...))
		if at < 0 {
			continue // what the world does of itself shows in the states
		}
		if labels[at] += "; "; plan.Timed {
			labels[at] += fmt.Sprintf("%s: ", spell.Clip(h.Time.String(), maxNumber))
		}
		labels[at] += changesText(&h)
		after[at] = i + 1
	}
	for _, at := range slices.Sorted(maps.Keys(labels)) {
		off := uint32(plan.Steps[at].Pos)
		if n := strings.IndexByte(d.Text[off:], ')'); n >= 0 {
			off += uint32(n) + 1
		}
		if plan.Timed { // behind the duration
			if n := strings.IndexAny(d.Text[off:], "\n;"); n >= 0 {
				off += uint32(n)
			} else {
				off = uint32(len(d.Text))
			}
		}
		if off >= from && uint32(plan.Steps[at].Pos) <= to {
			out = append(out, inlayHint{Position: d.position(off), Label: labels[at], Left: true, Data: &inlayData{d.URI, d.Version, after[at]}})
		}
	}
	return out, nil
}

// changesText writes what a happening changes.
func changesText(h *validator.Happening) string {
	var words []string
	for _, c := range h.Changes {
		words = append(words, strings.Replace(c, " ", "", 1))
	}
	for _, v := range h.Values {
		value := "undefined"
		if v.Value != nil {
			value = *v.Value
		}
		words = append(words, v.Fluent+" = "+value)
	}
	switch n := len(words); {
	case n == 0:
		return "nothing changes"
	case n > maxShown:
		return fmt.Sprintf("%s and %d more", strings.Join(words[:maxShown], " "), n-maxShown)
	}
	return strings.Join(words, " ")
}

// resolveInlay adds the state after a step, when the user looks at its hint.
func (s *Server) resolveInlay(ctx context.Context, h *inlayHint) (any, error) {
	if h.Data == nil {
		return h, nil
	}
	d, err := s.document(h.Data.URI)
	if err != nil {
		return nil, err
	}
	if d.Version != h.Data.Version {
		return h, nil
	}
	v := s.space.view()
	plan, steps, err := v.tracePlan(ctx, d)
	if err != nil || h.Data.After < 1 || h.Data.After > len(steps) {
		return h, nil
	}
	j, err := v.judgeOf(ctx, d)
	if err != nil {
		return h, nil
	}
	h.Tooltip = stateText(j.Problem(), steps[:h.Data.After])
	if plan.Timed {
		h.Tooltip = fmt.Sprintf("after %s:\n%s", spell.Clip(steps[h.Data.After-1].Time.String(), maxNumber), h.Tooltip)
	}
	return h, nil
}

// stateText lists the facts that hold after some happenings, and the values that they gave.
func stateText(prob *pddl.Problem, steps []validator.Happening) string {
	holds := map[string]bool{}
	for _, f := range atomtext.Initial(prob) {
		holds[f] = true
	}
	values := map[string]string{}
	for _, h := range steps {
		for _, c := range h.Changes {
			if len(c) > 2 && c != "..." {
				holds[strings.ToLower(c[2:])] = c[0] == '+'
			}
		}
		for _, v := range h.Values {
			if values[v.Fluent] = "undefined"; v.Value != nil {
				values[v.Fluent] = *v.Value
			}
		}
	}
	var lines []string
	for f, is := range holds {
		if is {
			lines = append(lines, f)
		}
	}
	for f, v := range values {
		lines = append(lines, f+" = "+v)
	}
	slices.Sort(lines)
	if n := len(lines) - maxFacts; n > 0 {
		lines = append(lines[:maxFacts], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(lines, "\n")
}
