package toolworlds

import (
	"fmt"
	"strings"
)

// a puts the article before a word.
func a(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// about says what a function that finds objects does.
func (n naming) about(k int) string {
	if p := n.d.kinds[k].parent; p >= 0 {
		return fmt.Sprintf("Finds every %s of %s.", n.typ(k), a(n.typ(p)))
	}
	return fmt.Sprintf("Finds every %s.", n.typ(k))
}

// does says what a function that changes objects does.
func (n naming) does(f *function) string {
	t, before, after := n.typ(f.kind), n.state(f.kind, f.state), n.state(f.kind, f.state+1)
	switch f.way {
	case bulk:
		return fmt.Sprintf("Every found %s of %s becomes %s if it is %s.", t, a(n.typ(n.d.kinds[f.kind].parent)), after, before)
	case through:
		return fmt.Sprintf("Through a channel, %s that is %s becomes %s.", a(t), before, after)
	}
	return fmt.Sprintf("Makes %s that is %s %s.", a(t), before, after)
}

// needs says when a function can be called.
func (n naming) needs(f *function) string {
	c := n.d.kinds[f.kind]
	t := n.typ(f.kind)
	if f.way == bulk {
		t = n.typ(c.parent)
	}
	text := fmt.Sprintf("the %s has been found", t)
	if c.needs {
		owner := "the " + n.typ(c.parent)
		if f.way != bulk {
			owner = fmt.Sprintf("the %s of the %s", n.typ(c.parent), n.typ(f.kind))
		}
		text += fmt.Sprintf(", and %s is %s", owner, n.state(c.parent, len(n.d.kinds[c.parent].states)))
	}
	return text
}

// prompt is the whole prompt. Without constraints it says neither those of the task nor what a call needs: CARL compares
// what a model does with and without them.
func (n naming) prompt(constraints []string, constrained bool) string {
	d := n.d
	var b strings.Builder
	b.WriteString("You plan calls of tools. Answer with a JSON list of the calls in their order, each as {\"id\": 0, \"name\": \"...\", \"args\": {...}}. ")
	b.WriteString("Name objects as they are named here, or refer to the first result of an earlier call by \"$ID.name\". Spend as little as you can.\n\nFunctions:\n")
	line := func(name, args, about, needs string, cost string) {
		fmt.Fprintf(&b, "- %s(%s): %s Costs %s.", name, args, about, cost)
		if constrained && needs != "" {
			fmt.Fprintf(&b, " Needs that %s.", needs)
		}
		b.WriteByte('\n')
	}
	for k := range d.kinds {
		args, needs := "limit?: integer", ""
		if p := d.kinds[k].parent; p >= 0 {
			args, needs = n.typ(p)+": string, "+args, fmt.Sprintf("the %s has been found", n.typ(p))
		}
		line(n.find(k), args, n.about(k), needs, fmt.Sprint(d.kinds[k].cost))
	}
	for i := range d.functions {
		f := &d.functions[i]
		args, cost := n.typ(f.kind)+": string", fmt.Sprint(f.cost)
		switch f.way {
		case bulk:
			args = n.typ(d.kinds[f.kind].parent) + ": string"
		case through:
			args, cost = args+", channel: "+strings.Join(n.takes(f), "|"), cost+" and the channel's fee"
		}
		line(n.call(f), args, n.does(f), n.needs(f), cost)
	}
	for _, x := range d.extras {
		line(extras[x], "text?: string", "Not needed for any task.", "", "0")
	}
	b.WriteString("\nData:\n")
	n.data(&b)
	b.WriteString("\nTask:")
	for _, g := range d.goals {
		fmt.Fprintf(&b, " %s must be %s.", n.object(g[0], g[1]), n.state(g[0], len(d.kinds[g[0]].states)))
	}
	if constrained && len(constraints) > 0 {
		b.WriteString("\nConstraints: " + strings.Join(constraints, " "))
	}
	b.WriteString("\nPlan:")
	return b.String()
}

func (n naming) data(b *strings.Builder) {
	d := n.d
	for k := range d.kinds {
		p := d.kinds[k].parent
		var list []string
		for o := range d.Objects {
			name := n.object(k, o)
			if p >= 0 {
				name += " of " + n.object(p, d.kinds[k].of[o])
			}
			list = append(list, name)
		}
		fmt.Fprintf(b, "- %s. Each is new.\n", strings.Join(list, ", "))
	}
	for _, c := range d.channels() {
		where := "internal"
		if d.external[c] {
			where = "external"
		}
		fmt.Fprintf(b, "- Channel %s: fee %d, %s.\n", channels[c], d.fees[c], where)
	}
}
