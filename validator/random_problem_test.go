package validator

import (
	"fmt"
	"slices"
	"strings"
)

var genObjects = []string{"c1", "c2", "c3", "x1", "x2", "x3"}

var genObjectTypes = []string{"t1", "t2", "t3", "t1", "t2", "object"}

func genFits(o int, typ string) bool { return slices.Contains(genSub[typ], genObjectTypes[o]) }

func (g *gen) problem() string {
	var b strings.Builder
	b.WriteString("(define (problem r) (:domain random) (:objects x1 - t1 x2 - t2 x3 - object) (:init")
	all := func(args []string, emit func(string)) {
		tuples := []string{""}
		for _, t := range args {
			var next []string
			for _, p := range tuples {
				for o := range genObjects {
					if genFits(o, t) {
						next = append(next, p+" "+genObjects[o])
					}
				}
			}
			tuples = next
		}
		for _, x := range tuples {
			emit(x)
		}
	}
	for _, p := range genPreds[:7] {
		density := 2 + len(p.args)
		all(p.args, func(args string) {
			if g.pick(density) == density-1 {
				b.WriteString(" (" + p.name + args + ")")
			}
		})
	}
	for _, f := range genFuncs {
		if g.atoms() {
			break
		}
		all(f.args, func(args string) {
			if g.plain || g.pick(4) > 0 {
				fmt.Fprintf(&b, " (= (%s%s) %s)", f.name, args, g.oneOf("0", "1", "2", "3", "0.5"))
			}
		})
	}
	if g.plain {
		b.WriteString(" (= (total-cost) 0)")
	}
	all([]string{"t1"}, func(args string) {
		if !g.plain && !g.atoms() && g.pick(3) > 0 {
			fmt.Fprintf(&b, " (= (o1%s) %s)", args, g.oneOf("c1", "c2", "x1"))
		}
	})
	g.layer = 4
	fmt.Fprintf(&b, ")\n (:goal %s)", g.formula(nil, 3, false))
	if g.pick(2) == 0 {
		metric := []string{"(total-cost)", "(+ (total-cost) (f0))", "(/ (f0) (f1 c1))"}
		if g.atoms() {
			metric = metric[:1]
		}
		fmt.Fprintf(&b, "\n (:metric %s %s)", g.oneOf("minimize", "maximize"), g.oneOf(metric...))
	}
	b.WriteString(")\n")
	return b.String()
}

// plan writes a plan, most of whose arguments have the right type.
func (g *gen) plan(params [3][]string) string {
	var b strings.Builder
	stamped := g.pick(2) == 0
	for range g.pick(8) {
		a := g.pick(3)
		if stamped {
			fmt.Fprintf(&b, "%s: ", g.oneOf("1", "2", "2.5", "3", "1.0"))
		}
		fmt.Fprintf(&b, "(a%d", a)
		for _, typ := range params[a] {
			o := g.pick(len(genObjects))
			for i := 0; !genFits(o, typ) && g.pick(40) > 0 && i < 20; i++ {
				o = g.pick(len(genObjects))
			}
			b.WriteString(" " + genObjects[o])
		}
		if g.pick(60) == 59 {
			b.WriteString(" " + g.oneOf("x1", "nobody"))
		}
		b.WriteString(")\n")
	}
	return b.String()
}
