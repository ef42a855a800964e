package reward

import (
	"encoding/json"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/pattern"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// SchemaReward is the format of a reward file.
const SchemaReward = "planproof.reward/1"

// maxParts bounds the parts of a mix.
const maxParts = 16

var (
	rewardName = pattern.New(`^[a-z][a-z0-9_-]{0,39}$`)
	partName   = pattern.New(`^[a-z][a-z0-9_]{0,39}$`)
)

// Read reads a reward file, one JSON object:
//
//	{"schema": "planproof.reward/1", "name": "mine", "doc": "...", "kind": "budget", ...}
//
// with the members of its kind, which docs/REWARDS.md lists. The name must not be that
// of a reward that needs no file. All faults are reported, each at its place; then the
// spec is nil.
func Read(src *pddl.Source) (*Spec, pddl.Diagnostics) {
	r := &specReader{src: src}
	root := r.parse()
	if root == nil {
		return nil, r.diags
	}
	o := r.object(root, "a reward")
	if o == nil {
		return nil, r.diags
	}
	if schema := o.string("schema", ""); schema != SchemaReward {
		r.fault(o.at("schema").from, o.at("schema").to, "", "schema is %q, not %q", spell.Clip(schema, 60), SchemaReward)
	}
	name := o.string("name", "")
	switch n := o.at("name"); {
	case !rewardName.MatchString(name):
		r.fault(n.from, n.to, "lower-case letters, digits, - and _", "a reward needs a name; %q is none", spell.Clip(name, 60))
	case aliases[name] != "" || slices.ContainsFunc(specs, func(s *Spec) bool { return s.Name == name }):
		r.fault(n.from, n.to, "", "%q is the name of a reward that needs no file", name)
	}
	doc := o.string("doc", "")
	spec := r.spec(o, 0)
	if spec == nil || len(r.diags) > 0 {
		return nil, r.diags
	}
	return spec.named(name, doc), nil
}

// part reads a reward inside another: a name, or an object without schema and name.
func (r *specReader) part(n *jsonNode, depth int) *Spec {
	if name, ok := n.value.(string); ok {
		s, err := Find(name, nil)
		if err != nil {
			r.fault(n.from, n.to, "", "%v", err)
			return nil
		}
		return s
	}
	o := r.object(n, "a reward")
	if o == nil {
		return nil
	}
	return r.spec(o, depth)
}

// maxNested bounds rewards inside rewards.
const maxNested = 3

// spec reads the members of a kind.
func (r *specReader) spec(o *specObject, depth int) *Spec {
	if depth > maxNested {
		r.fault(o.node.from, o.node.to, "", "rewards inside rewards, more than %d levels", maxNested)
		return nil
	}
	kinds := []string{"valid", "format", "process", "multirobot", "budget", "shaped", "staged", "weighted"}
	kind := o.string("kind", "")
	var s *Spec
	before := len(r.diags)
	switch kind {
	case "valid":
		s = newValid()
	case "format":
		s = newFormat(o.choice("untagged", untaggedText, untaggedText, untaggedPlan))
	case "process":
		s = newProcess(o.bool("skip"), o.bool("normalised"), o.choice("untagged", untaggedText, untaggedText, untaggedPlan))
	case "multirobot":
		d := multirobotDefaults
		s = newMultirobot(multirobotParams{
			format: o.number("format", d.format, 0, 0.5), perStep: o.number("per_step", d.perStep, 0, 1),
			form: o.choice("form", d.form, formThink, formParsed), floor: o.choice("floor", d.floor, floorAlways, floorFormatted),
		})
	case "budget":
		s = r.budget(o)
	case "shaped":
		s = r.shaped(o, depth)
	case "staged":
		s = newStaged(o.choice("density", dense, dense, middle, sparse))
	case "weighted":
		s = r.weighted(o, depth)
	default:
		hint := "there are " + strings.Join(kinds, ", ")
		if best := spell.Nearest(kind, kinds); best != "" {
			hint = fmt.Sprintf("did you mean %q?", best)
		}
		r.fault(o.at("kind").from, o.at("kind").to, hint, "%q is no kind of reward", spell.Clip(kind, 60))
		return nil
	}
	if n := o.take("noise"); n != nil {
		s = r.noise(n, s)
	}
	isUnit := o.bool("unit")
	o.rest()
	if len(r.diags) > before {
		return nil
	}
	if isUnit {
		s = withUnit(s)
	}
	return s
}

func (r *specReader) budget(o *specObject) *Spec {
	p := budgetDefaults
	p.measure = o.choice("measure", p.measure, measureWithin, measureOptimality, measureRatio)
	n := o.take("budget")
	if n == nil {
		return newBudget(p)
	}
	text := ""
	switch v := n.value.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	}
	if text == budgetOfRow {
		return newBudget(p)
	}
	spec, err := costmodel.ParseBudget(text)
	if err != nil {
		r.fault(n.from, n.to, "", "%v, nor %s", err, budgetOfRow)
		return nil
	}
	p.spec, p.level = spec, spec.Label()
	return newBudget(p)
}

func (r *specReader) shaped(o *specObject, depth int) *Spec {
	base := newValid()
	weight := o.number("weight", shapedWeight, 0, 1000)
	if n := o.take("base"); n != nil {
		base = r.part(n, depth+1)
		if base != nil && !base.ValidWins {
			r.fault(n.from, n.to, "with it the best responses could change", "under the base of a shaped reward valid plans must earn more than all others")
			return nil
		}
	}
	if base == nil {
		return nil
	}
	return newShaped(base, weight)
}

func (r *specReader) noise(n *jsonNode, s *Spec) *Spec {
	o := r.object(n, "noise")
	if o == nil {
		return nil
	}
	flip, seed := o.number("flip", 0, 0, 1), o.integer("seed")
	if o.at("flip") == n {
		r.fault(n.from, n.to, "", "noise needs a probability, flip")
	}
	o.rest()
	if s == nil {
		return nil
	}
	return withNoise(s, flip, seed)
}

// isReserved reports whether an expression reads the name as something else.
func isReserved(name string) bool {
	switch name {
	case "min", "max", "abs", "clamp", "choose":
		return true
	}
	return token.IsKeyword(name)
}

// specObject is an object of which members are taken one by one; what is left is
// unknown.
type specObject struct {
	r       *specReader
	node    *jsonNode
	what    string
	members []jsonMember
	taken   map[string]*jsonNode
	asked   []string
}

func (r *specReader) object(n *jsonNode, what string) *specObject {
	members, ok := n.value.([]jsonMember)
	if !ok {
		r.fault(n.from, n.to, "", "%s is %s, not an object", what, n.kind())
		return nil
	}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			r.fault(m.from, m.to, "", "a second member %q", spell.Clip(m.name, 60))
		}
		seen[m.name] = true
	}
	return &specObject{r: r, node: n, what: what, members: members, taken: map[string]*jsonNode{}}
}

// take returns a member, nil if there is none.
func (o *specObject) take(name string) *jsonNode {
	o.asked = append(o.asked, name)
	for _, m := range o.members {
		if m.name == name {
			o.taken[name] = m.node
			return m.node
		}
	}
	return nil
}

// at is where a member stands, the object itself if it does not.
func (o *specObject) at(name string) *jsonNode {
	if n := o.taken[name]; n != nil {
		return n
	}
	return o.node
}

// rest reports the members that nobody has taken.
func (o *specObject) rest() {
	for _, m := range o.members {
		if o.taken[m.name] != nil {
			continue
		}
		hint := ""
		if best := spell.Nearest(m.name, o.asked); best != "" {
			hint = fmt.Sprintf("did you mean %q?", best)
		}
		o.r.fault(m.from, m.to, hint, "%s has no member %q", o.what, spell.Clip(m.name, 60))
	}
}

func (o *specObject) string(name, otherwise string) string {
	n := o.take(name)
	if n == nil {
		return otherwise
	}
	s, ok := n.value.(string)
	if !ok {
		o.r.fault(n.from, n.to, "", "%s is %s, not a string", name, n.kind())
	}
	return s
}

func (o *specObject) choice(name, otherwise string, values ...string) string {
	s := o.string(name, otherwise)
	if !slices.Contains(values, s) {
		n := o.at(name)
		o.r.fault(n.from, n.to, "", "%s is none of %s", name, strings.Join(values, ", "))
	}
	return s
}

func (o *specObject) bool(name string) bool {
	n := o.take(name)
	if n == nil {
		return false
	}
	b, ok := n.value.(bool)
	if !ok {
		o.r.fault(n.from, n.to, "", "%s is %s, not true or false", name, n.kind())
	}
	return b
}

// number reads a member from lo to hi.
func (o *specObject) number(name string, otherwise, lo, hi float64) float64 {
	n := o.take(name)
	if n == nil {
		return otherwise
	}
	v, ok := n.value.(json.Number)
	x, err := strconv.ParseFloat(string(v), 64)
	if !ok || err != nil || x < lo || x > hi {
		o.r.fault(n.from, n.to, "", "%s is no number from %g to %g", name, lo, hi)
		return otherwise
	}
	return x
}

func (o *specObject) integer(name string) int64 {
	n := o.take(name)
	if n == nil {
		return 0
	}
	v, _ := n.value.(json.Number)
	x, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		o.r.fault(n.from, n.to, "", "%s is no integer", name)
	}
	return x
}
