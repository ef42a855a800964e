package domains

import (
	"fmt"
	"slices"
)

// errandText collects what differs between the worlds.
type errandText struct {
	e       *errands
	w       *writer
	objects []errandGroup
	linked  []string // forms of facts about two places
	facts   []string
	goals   []string
	lie     bool // things lie in places, in the goal too
}

// errandGroup is objects of one type.
type errandGroup struct {
	names []string
	typ   string
}

func (o *errandText) fact(format string, args ...any) {
	o.facts = append(o.facts, fmt.Sprintf(format, args...))
}

// group adds objects of a type.
func (o *errandText) group(typ string, names ...string) {
	o.objects = append(o.objects, errandGroup{names, typ})
}

func (o *errandText) thingNames() (list []string) {
	for _, t := range o.e.things {
		list = append(list, t.name)
	}
	return list
}

// here is the place of the traveller, drawn.
func (o *errandText) here() int {
	at := o.e.r.intn(len(o.e.places))
	o.fact("(here %s)", o.e.places[at])
	return at
}

// tools writes attributes, and costs by a function.
func (o *errandText) tools(names []string, function string) {
	for _, t := range names {
		attributes, cost := o.e.attributes(t)
		for _, a := range attributes {
			o.fact("(%s %s)", a, t)
		}
		o.fact("(= (%s %s) %d)", function, t, cost)
	}
}

// things writes where things lie.
func (o *errandText) things() {
	o.lie = true
	for _, t := range o.e.things {
		o.fact("(lies %s %s)", t.name, o.e.places[t.place])
	}
}

// errandExtras write what only one world has.
var errandExtras = map[string]func(*errandText){
	"household": householdExtras, "office": officeExtras, "robots": robotsExtras, "trip": tripExtras,
}

// householdExtras puts some tools into closed cupboards, and sockets into rooms.
func householdExtras(o *errandText) {
	e := o.e
	cupboards := e.drawExtras(3)
	stands := map[string]int{}
	o.group("room", e.places...)
	o.group("cupboard", cupboards...)
	o.group("thing", o.thingNames()...)
	o.group("tool", e.tools...)
	o.linked = []string{"(linked %s %s)"}
	o.here()
	o.things()
	sure := e.r.intn(len(e.places)) // some room has a socket
	for i, p := range e.places {
		if i == sure || e.r.intn(2) == 0 {
			o.fact("(socket %s)", p)
		}
	}
	for _, c := range cupboards {
		stands[c] = e.r.intn(len(e.places))
		o.fact("(stands %s %s)", c, e.places[stands[c]])
		o.fact("(closed %s)", c)
	}
	for _, t := range e.tools {
		if e.r.intn(2) == 0 {
			o.fact("(inside %s %s)", t, cupboards[e.r.intn(len(cupboards))])
		} else {
			o.fact("(lies %s %s)", t, e.places[e.where[t]])
		}
	}
	o.tools(e.tools, "minutes")
}

// officeExtras locks a room whose key lies where one can get it without: at the place where one is.
func officeExtras(o *errandText) {
	e := o.e
	var machines, aids []string
	for _, t := range e.tools {
		if slices.Contains(e.words.Special, t) {
			machines = append(machines, t)
		} else {
			aids = append(aids, t)
		}
	}
	o.group("room", e.places...)
	o.group("paper", o.thingNames()...)
	o.group("aid", aids...)
	o.group("machine", machines...)
	o.linked = []string{"(linked %s %s)"}
	here := o.here()
	o.things()
	locked := e.r.intn(len(e.places))
	for i, p := range e.places {
		if i == locked && i != here {
			o.fact("(locked %s)", p)
			o.fact("(fits keycard %s)", p)
			o.fact("(lies keycard %s)", e.places[here])
			o.group("keycard", "keycard")
		} else {
			o.fact("(unlocked %s)", p)
		}
	}
	for _, t := range aids {
		o.fact("(lies %s %s)", t, e.places[e.where[t]])
	}
	for _, t := range machines {
		o.fact("(stands %s %s)", t, e.places[e.where[t]])
	}
	o.tools(e.tools, "minutes")
}

// robotsExtras says which robot can mount which tool: at least one each.
func robotsExtras(o *errandText) {
	e := o.e
	robots := e.drawExtras(2)
	o.group("station", e.places...)
	o.group("robot", robots...)
	o.group("part", o.thingNames()...)
	o.group("tool", e.tools...)
	o.linked = []string{"(linked %s %s)"}
	for _, b := range robots {
		o.fact("(robot-at %s %s)", b, e.places[e.r.intn(len(e.places))])
		o.fact("(empty %s)", b)
		o.fact("(bare %s)", b)
	}
	o.things()
	for _, t := range e.tools {
		o.fact("(rack %s %s)", t, e.places[e.where[t]])
		o.fact("(hangs %s)", t)
		sure := e.r.intn(len(robots))
		for i, b := range robots {
			if i == sure || e.r.intn(3) == 0 {
				o.fact("(can-mount %s %s)", b, t)
			}
		}
	}
	o.tools(e.tools, "minutes")
}

// tripExtras gives each road two means of transport, and the traveller a destination.
func tripExtras(o *errandText) {
	e := o.e
	means := e.drawExtras(3)
	for _, m := range e.words.Extras {
		if len(means) < 2 && !slices.Contains(means, m) {
			means = append(means, m)
		}
	}
	o.group("city", e.places...)
	o.group("means", means...)
	o.group("errand", o.thingNames()...)
	o.group("service", e.tools...)
	at := o.here()
	for _, l := range e.links {
		sure := e.r.intn(len(means))
		for i, m := range means {
			if i == sure || e.r.intn(2) == 0 {
				o.fact("(route %s %s %s)", m, e.places[l[0]], e.places[l[1]])
				o.fact("(route %s %s %s)", m, e.places[l[1]], e.places[l[0]])
			}
		}
	}
	for _, t := range e.tools {
		if slices.Contains(e.words.Special, t) {
			o.fact("(callable %s)", t)
			continue
		}
		o.fact("(offered %s %s)", t, e.places[e.where[t]])
		if e.r.intn(3) == 0 {
			if other := e.r.intn(len(e.places)); other != e.where[t] {
				o.fact("(offered %s %s)", t, e.places[other])
			}
		}
	}
	o.tools(means, "fare")
	o.tools(e.tools, "fee")
	o.goals = append(o.goals, fmt.Sprintf("(here %s)", e.places[(at+1+e.r.intn(len(e.places)-1))%len(e.places)]))
}
