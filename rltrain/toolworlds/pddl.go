package toolworlds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// texts of a world: its domain and problem.
func (n naming) texts() (domain, problem string) {
	d := n.d
	var b strings.Builder
	b.WriteString("(define (domain tools)\n  (:requirements :strips :typing :conditional-effects :quantified-preconditions :negative-preconditions :action-costs)\n  (:types channel")
	for k := range d.kinds {
		b.WriteString(" " + n.typ(k))
	}
	b.WriteString(")\n  (:predicates (external ?c - channel)")
	for k := range d.kinds {
		fmt.Fprintf(&b, " (found-%s ?x - %s)", n.typ(k), n.typ(k))
		if p := d.kinds[k].parent; p >= 0 {
			fmt.Fprintf(&b, " (%s-of ?x - %s ?y - %s)", n.typ(k), n.typ(k), n.typ(p))
		}
		for s := range len(d.kinds[k].states) + 1 {
			fmt.Fprintf(&b, " (%s ?x - %s)", n.fact(k, s), n.typ(k))
		}
	}
	for i := range d.functions {
		if f := &d.functions[i]; f.way == through {
			fmt.Fprintf(&b, " (%s-takes ?c - channel)", action(n.call(f)))
		}
	}
	b.WriteString(")\n  (:functions (total-cost) (fee ?c - channel))\n")
	for k := range d.kinds {
		n.writeFind(&b, k)
	}
	for i := range d.functions {
		n.writeChange(&b, &d.functions[i])
	}
	b.WriteString(")\n")
	return b.String(), n.problem()
}

func (n naming) writeFind(b *strings.Builder, k int) {
	c, t := n.d.kinds[k], n.typ(k)
	fmt.Fprintf(b, "  (:action %s\n", action(n.find(k)))
	if c.parent < 0 {
		fmt.Fprintf(b, "    :parameters ()\n    :precondition (and)\n    :effect (and (forall (?x - %s) (found-%s ?x)) (increase (total-cost) %d)))\n", t, t, c.cost)
		return
	}
	p := n.typ(c.parent)
	fmt.Fprintf(b, "    :parameters (?y - %s)\n    :precondition (found-%s ?y)\n    :effect (and (forall (?x - %s) (when (%s-of ?x ?y) (found-%s ?x))) (increase (total-cost) %d)))\n",
		p, p, t, t, t, c.cost)
}

func (n naming) writeChange(b *strings.Builder, f *function) {
	c, t := n.d.kinds[f.kind], n.typ(f.kind)
	before, after := n.fact(f.kind, f.state), n.fact(f.kind, f.state+1)
	fmt.Fprintf(b, "  (:action %s\n", action(n.call(f)))
	ready := ""
	if c.needs {
		ready = fmt.Sprintf(" (%s ?y)", n.fact(c.parent, len(n.d.kinds[c.parent].states)))
	}
	if f.way == bulk {
		p := n.typ(c.parent)
		fmt.Fprintf(b, "    :parameters (?y - %s)\n    :precondition (and (found-%s ?y)%s)\n", p, p, ready)
		fmt.Fprintf(b, "    :effect (and (forall (?x - %s) (when (and (%s-of ?x ?y) (found-%s ?x) (%s ?x)) (and (not (%s ?x)) (%s ?x)))) (increase (total-cost) %d)))\n",
			t, t, t, before, before, after, f.cost)
		return
	}
	params, pre, fee := "?x - "+t, fmt.Sprintf("(found-%s ?x) (%s ?x)", t, before), fmt.Sprint(f.cost)
	if c.needs {
		pre += fmt.Sprintf(" (exists (?y - %s) (and (%s-of ?x ?y)%s))", n.typ(c.parent), t, ready)
	}
	if f.way == through {
		params += " ?c - channel"
		pre += fmt.Sprintf(" (%s-takes ?c)", action(n.call(f)))
		fee = fmt.Sprintf("(+ %d (fee ?c))", f.cost)
	}
	fmt.Fprintf(b, "    :parameters (%s)\n    :precondition (and %s)\n    :effect (and (not (%s ?x)) (%s ?x) (increase (total-cost) %s)))\n", params, pre, before, after, fee)
}

func (n naming) problem() string {
	d := n.d
	var b strings.Builder
	b.WriteString("(define (problem plan)\n  (:domain tools)\n  (:objects")
	for k := range d.kinds {
		for o := range d.Objects {
			b.WriteString(" " + n.atom(k, o))
		}
		b.WriteString(" - " + n.typ(k))
	}
	used := n.d.channels()
	for _, i := range used {
		b.WriteString(" " + channels[i] + " - channel")
	}
	b.WriteString(")\n  (:init (= (total-cost) 0)")
	for _, i := range used {
		c := channels[i]
		fmt.Fprintf(&b, " (= (fee %s) %d)", c, d.fees[i])
		if d.external[i] {
			fmt.Fprintf(&b, " (external %s)", c)
		}
	}
	for k := range d.kinds {
		for o := range d.Objects {
			fmt.Fprintf(&b, " (%s %s)", n.fact(k, 0), n.atom(k, o))
			if p := d.kinds[k].parent; p >= 0 {
				fmt.Fprintf(&b, " (%s-of %s %s)", n.typ(k), n.atom(k, o), n.atom(p, d.kinds[k].of[o]))
			}
		}
	}
	for i := range d.functions {
		for _, c := range d.functions[i].channels {
			fmt.Fprintf(&b, " (%s-takes %s)", action(n.call(&d.functions[i])), channels[c])
		}
	}
	b.WriteString(")\n  (:goal (and")
	for _, g := range d.goals {
		fmt.Fprintf(&b, " (%s %s)", n.fact(g[0], len(d.kinds[g[0]].states)), n.atom(g[0], g[1]))
	}
	b.WriteString("))\n  (:metric minimize (total-cost)))\n")
	return b.String()
}

// tools writes the functions in OpenAI's form, with what they do in the task.
func (n naming) tools() json.RawMessage {
	d := n.d
	b := []byte(`{"tools":[`)
	add := func(name, about, properties, required, action, returns string) {
		if len(b) > len(`{"tools":[`) {
			b = append(b, ',')
		}
		b = rowjson.AppendText(append(b, `{"name":`...), name)
		b = rowjson.AppendText(append(b, `,"description":`...), about)
		b = fmt.Appendf(b, `,"parameters":{"type":"object","properties":{%s},"required":[%s]}`, properties, required)
		if action != "" {
			b = rowjson.AppendText(append(b, `,"pddl":`...), action)
		}
		if returns != "" {
			b = rowjson.AppendText(append(b, `,"returns":{"name":`...), returns)
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	text := func(name string) (string, string) {
		return fmt.Sprintf(`%q:{"type":"string"}`, name), fmt.Sprintf("%q", name)
	}
	for k := range d.kinds {
		name, p := n.find(k), d.kinds[k].parent
		if p < 0 {
			add(name, n.about(k), `"limit":{"type":"integer"}`, "", "("+action(name)+")", "")
			continue
		}
		property, required := text(n.typ(p))
		add(name, n.about(k), property+`,"limit":{"type":"integer"}`, required, fmt.Sprintf("(%s ?%s)", action(name), n.typ(p)), fmt.Sprintf("(%s-of ?value ?%s)", n.typ(k), n.typ(p)))
	}
	for i := range d.functions {
		f := &d.functions[i]
		k := f.kind
		if f.way == bulk {
			k = d.kinds[k].parent
		}
		property, required := text(n.typ(k))
		do := fmt.Sprintf("(%s ?%s", action(n.call(f)), n.typ(k))
		if f.way == through {
			property += fmt.Sprintf(`,"channel":{"type":"string","enum":["%s"]}`, strings.Join(n.takes(f), `","`))
			required, do = required+`,"channel"`, do+" ?channel"
		}
		add(n.call(f), n.does(f), property, required, do+")", "")
	}
	for _, x := range d.extras {
		add(extras[x], "Not needed for any task.", `"text":{"type":"string"}`, "", "", "")
	}
	return append(b, "]}"...)
}

// channels are those that some function takes.
func (d *draft) channels() (list []int) {
	for c := range channels {
		if slices.ContainsFunc(d.functions, func(f function) bool { return slices.Contains(f.channels, c) }) {
			list = append(list, c)
		}
	}
	return list
}

func (n naming) takes(f *function) (list []string) {
	for _, c := range f.channels {
		list = append(list, channels[c])
	}
	return list
}

// read parses the texts of a world.
func read(domain, problem string) (*pddl.Problem, error) {
	d, diags := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("problem", problem), d, pddl.Options{})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	return p, nil
}

// functionOf finds the function of an action, nil for one that finds objects.
func (n naming) functionOf(name string) *function {
	i := slices.IndexFunc(n.d.functions, func(f function) bool { return action(n.call(&f)) == name })
	if i < 0 {
		return nil
	}
	return &n.d.functions[i]
}
