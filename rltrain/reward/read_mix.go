package reward

import (
	"slices"

	"github.com/planproof/planproof/internal/spell"
)

// weighted reads the parts of a mix and its expression.
func (r *specReader) weighted(o *specObject, depth int) *Spec {
	n := o.take("parts")
	if n == nil {
		r.fault(o.node.from, o.node.from+1, "", "a weighted reward needs parts")
		o.take("reward")
		return nil
	}
	po := r.object(n, "parts")
	if po == nil {
		o.take("reward")
		return nil
	}
	if len(po.members) == 0 || len(po.members) > maxParts {
		r.fault(n.from, n.to, "", "%d parts: a weighted reward has 1 to %d", len(po.members), maxParts)
	}
	var parts []rewardPart
	ok := true
	for _, m := range po.members {
		if !partName.MatchString(m.name) || isReserved(m.name) {
			r.fault(m.from, m.to, "lower-case letters, digits and _, and no word of the expression language", "%q cannot be the name of a part", spell.Clip(m.name, 60))
			ok = false
			continue
		}
		s := r.part(m.node, depth+1)
		if s == nil {
			ok = false
			continue
		}
		if _, named := m.node.value.(string); named && s.Kind == "process" {
			// 105 points beside a 0 or 1 are no mix that anybody means who only names them.
			s = newProcess(s.params["skip"] == true, true, untaggedText)
		} else if named {
			s = withUnit(s)
		}
		parts = append(parts, rewardPart{m.name, s})
	}
	en := o.take("reward")
	if en == nil {
		r.fault(o.node.from, o.node.from+1, "", "a weighted reward needs reward, an expression over its parts")
		return nil
	}
	source, isString := en.value.(string)
	if !isString {
		r.fault(en.from, en.to, "", "reward is %s, not an expression in a string", en.kind())
		return nil
	}
	if !ok || len(r.diags) > 0 && len(parts) == 0 {
		return nil
	}
	return r.mix(parts, source, en)
}

// mix compiles the expression of a weighted reward.
func (r *specReader) mix(parts []rewardPart, source string, en *jsonNode) *Spec {
	var names []string
	for _, p := range parts {
		for name := range p.spec.bounds(true) {
			names = append(names, partComponent(p.name, name))
		}
	}
	slices.Sort(names)
	x, faults := parseExpr(source, func(name string) bool { _, found := slices.BinarySearch(names, name); return found }, names)
	for _, f := range faults {
		// Offsets in the string are those in the file if nothing in it is escaped.
		from, to := en.from, en.to
		if en.to-en.from == len(source)+2 {
			from = en.from + 1 + f.at
			to = from
		}
		r.fault(from, to, f.hint, "%s", f.text)
	}
	if x == nil {
		return nil
	}
	s, err := newWeighted(parts, source, x)
	if err != nil {
		r.fault(en.from, en.to, "", "%v", err)
		return nil
	}
	return s
}
