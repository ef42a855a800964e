package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// Answers in JSON are read by their structure: a list of steps, possibly under a key such as "plan". A
// step is a string ("(stack a b)", "stack a b", a sentence), a list of words (["stack", "a", "b"]), an
// object ({"action": "stack", "args": ["a", "b"]}) or a tool call of OpenAI's chat completions
// ({"function": {"name": "stack", "arguments": "{\"block\": \"a\", \"under\": \"b\"}"}}). Everything in
// such a list is a step, and what cannot be read is malformed. Arguments with names are put into the
// order of the action's parameters; if the names differ from the parameters, nothing is guessed.

// json reads the JSON value at byte at if it is a plan, and returns the byte after it.
func (o *outline) json(at int) (int, bool) {
	if o.jsonBudget <= 0 {
		return 0, false
	}
	v, size, ok := decodeJSON(o.text[at:])
	if o.jsonBudget -= size + 512; !ok {
		return 0, false
	}
	end := at + size
	rest, _, _ := strings.Cut(o.text[end:], "\n")
	if rest = strings.TrimSpace(rest); rest != "" && (rest[0] == '+' || rest[0] == '[') {
		return 0, false // an expression, ["a"] + ["b"] or ["a"][0]: the list is not its value
	}
	if plans := o.r.plansIn(v); len(plans) > 1 {
		line := o.line
		for i, p := range plans {
			o.line = line
			steps, denied, _ := o.r.planIn(p)
			o.add(entry{kind: entryHead, option: option{wordEither, int32(i + 1)}})
			o.jsonSteps(at, steps, denied, true)
		}
		o.line = line + int32(strings.Count(o.text[at:end], "\n"))
		return end, true
	}
	steps, denied, ok := o.r.planIn(v)
	whole := len(steps) != 1 || steps[0].at != v.at
	if !ok || !whole && v.kind == '[' && strings.Trim(rest, ", ") != "" {
		return 0, false // no plan, or ['stack', 'a', 'b'] among words
	}
	line := o.line
	o.jsonSteps(at, steps, denied, whole)
	o.line = line + int32(strings.Count(o.text[at:end], "\n"))
	return end, true
}

// jsonSteps adds the steps of a plan in the JSON value at byte at; whole says that they are more than one step.
func (o *outline) jsonSteps(at int, steps []jsonNode, denied, whole bool) {
	counted := at
	if denied {
		o.add(entry{kind: entryHead, role: roleReject})
	}
	if whole {
		o.add(entry{kind: entryFence})
	}
	for i := range steps {
		p := at + steps[i].at
		o.line += int32(strings.Count(o.text[counted:p], "\n"))
		counted = p
		o.jsonStep(&steps[i], p)
	}
	if len(steps) == 0 {
		o.add(entry{kind: entryEmpty})
	}
	if whole {
		o.add(entry{kind: entryFence})
	}
	if denied {
		o.add(entry{kind: entryHead})
	}
}

// plansIn returns the plans that an object holds below a key in the plural, beside none that it calls its plan.
func (r *lexicon) plansIn(v jsonNode) []jsonNode {
	if v.kind != '{' || slices.ContainsFunc(v.items, func(m jsonNode) bool { return planKeys.has(m.key) }) {
		return nil
	}
	for _, m := range v.items {
		if m.kind == '[' && pluralKeys.has(m.key) && !slices.ContainsFunc(m.items, func(p jsonNode) bool { return !r.planAmong(p) }) {
			return m.items
		}
	}
	return nil
}

// planAmong reports whether a value is a list of steps, or an object that has one below a key for plans.
func (r *lexicon) planAmong(v jsonNode) bool {
	steps, _, ok := r.planIn(v)
	return ok && (v.kind == '[' && (len(steps) != 1 || steps[0].at != v.at) ||
		v.kind == '{' && slices.ContainsFunc(v.items, func(m jsonNode) bool { return planKeys.has(m.key) }))
}

// planIn finds the list of steps in a value, and whether another member denies it: "valid": false. It returns false if
// there is none.
func (r *lexicon) planIn(v jsonNode) (steps []jsonNode, denied, ok bool) {
	switch v.kind {
	case '[':
		steps, others := 0, 0
		for i := range v.items {
			if m := &v.items[i]; m.kind == 0 {
				others++
			} else if first, _, _ := strings.Cut(strings.TrimLeft(m.text, "("), " "); r.word(first).step {
				steps++
			}
		}
		if others > 0 && steps < 2 {
			return nil, false, false // but steps and null among them
		}
		if r.stepOfWords(v.items) {
			return []jsonNode{v}, false, true
		}
		return v.items, false, true
	case '{':
		denied = r.deniedBy(v.items) || slices.ContainsFunc(v.items, func(m jsonNode) bool { // "next": "(stack a b)"
			return moreKeys.has(m.key) && (r.denies(asksOther, m.text) || m.kind == '[' && len(m.items) > 0)
		})
		// The last member that holds a plan counts, as with markers.
		for i := len(v.items) - 1; i >= 0; i-- {
			m := &v.items[i]
			if !planKeys.has(m.key) {
				continue
			}
			if m.kind == '"' {
				return textSteps(m), denied, true
			}
			if steps, within, ok := r.planIn(*m); ok {
				return steps, denied || within, true
			}
		}
		// One step, as in a file with one object a line, or a call whose argument is the plan.
		action, args := false, false
		for _, m := range unwrap(v).items {
			action = action || actionKeys.has(m.key) && m.kind == '"'
			args = args || argKeys.has(m.key) || r.parameter(v.items, m.key)
			if argKeys.has(m.key) {
				if steps, within, ok := r.planArgument(m); ok {
					return steps, denied || within, true
				}
			}
		}
		if action && args {
			return []jsonNode{v}, false, true
		}
		if r.numberedKeys(v.items) {
			return v.items, false, true
		}
	}
	return nil, false, false
}

// deniedBy reports whether a member of an object says that the object's plan or step is not to be done.
func (r *lexicon) deniedBy(members []jsonNode) bool {
	return slices.ContainsFunc(members, func(m jsonNode) bool {
		return (m.kind == 0 || m.kind == '"') && !planKeys.has(m.key) && r.denies(r.asked(m.key, false), m.text)
	})
}

// planArgument finds the list of steps in the arguments of a call: {"actions": [...]}.
func (r *lexicon) planArgument(args jsonNode) (steps []jsonNode, denied, ok bool) {
	if args.kind == '"' {
		args = jsonText(args)
	}
	if args.kind != '{' || len(args.items) == 0 {
		return nil, false, false
	}
	list := slices.IndexFunc(args.items, func(m jsonNode) bool { return planKeys.has(m.key) && m.kind == '[' })
	if list < 0 || slices.ContainsFunc(args.items, func(m jsonNode) bool { return m.kind != 0 && !planKeys.has(m.key) || r.denies(asksOther, m.text) }) {
		return nil, false, false // but "confidence": 0.9 says nothing
	}
	steps, denied, ok = r.planIn(args.items[list])
	return steps, denied || r.deniedBy(args.items), ok
}

// stepOfWords reports whether a list is one step rather than a list of steps: ["stack", "a", "b"], an
// action and then other words, or ["fly", "a"], an unknown word and then objects.
func (r *lexicon) stepOfWords(items []jsonNode) bool {
	known := false
	for i := range items {
		text := strings.TrimSpace(cleanLine(items[i].text))
		w := r.word(text)
		switch {
		case items[i].kind != '"' || text == "" || w.object < 0 && strings.ContainsAny(text, " \t\n([{"):
			return false
		case i == 0:
			if known = w.action >= 0 && r.actions[w.action].arity > 0; !known && (w.action >= 0 || w.object >= 0) {
				return false
			}
		case w.object < 0 && (!known || w.action >= 0):
			return false
		}
	}
	return len(items) > 1
}

// numberedKey is a number as a key, behind a label or alone.
var numberedKey = pattern.New(`^[_\- ]*([a-z_\- ]*?)[_\- ]*([0-9]+)$`)

// numberedKeys reports whether the members of an object are steps under their numbers: {"1":
// "(stack a b)"} or {"step_1": ...}, but not {"option1": ...} or {"bad 2": ...}.
func (r *lexicon) numberedKeys(members []jsonNode) bool {
	for i := range members {
		m := numberedKey.FindStringSubmatch(members[i].key)
		if members[i].kind == 0 || m == nil || m[2] != strconv.Itoa(i+1) || m[1] != "" && r.word(m[1]).class != classLabel {
			return false
		}
	}
	return len(members) > 0
}

// unwrap returns the object that names an action: the value itself, or the one in its member "function"
// or the like.
func unwrap(v jsonNode) jsonNode {
	for depth := 0; depth < maxJSONDepth; depth++ {
		inner := -1
		for i := range v.items {
			m := &v.items[i]
			if actionKeys.has(m.key) && m.kind == '"' {
				return v
			}
			if wrapKeys.has(m.key) && m.kind == '{' {
				inner = i
			}
		}
		if inner < 0 {
			return v
		}
		v = v.items[inner]
	}
	return v
}

// textSteps splits a string with one step per line.
func textSteps(m *jsonNode) []jsonNode {
	var out []jsonNode
	for _, l := range strings.Split(m.text, "\n") {
		if strings.TrimSpace(l) != "" {
			out = append(out, jsonNode{kind: '"', text: l, at: m.at, end: m.end})
		}
	}
	return out
}

// jsonStep adds one step of a list to the outline.
func (o *outline) jsonStep(v *jsonNode, at int) {
	text := ""
	switch v.kind {
	case '"':
		text = v.text
	case '[':
		text = "(" + joinJSON(v.items) + ")"
	case '{':
		text = o.r.jsonAction(v)
	}
	o.load(text)
	var h lineHead
	o.head(text, &h)
	var res lineResult
	o.readSteps(h.at, &res)
	e := entry{kind: entryItem, style: styleBullet, from: int32(len(o.steps)), start: int32(at), end: int32(at + v.end - v.at)}
	if res.steps == 0 && !res.bad && !res.cancelled {
		o.out, e.bad = append(o.out[:0], ""), true
	}
	o.steps = append(o.steps, o.out...)
	e.to, e.cancelled, e.bad = int32(len(o.steps)), res.cancelled, e.bad || res.bad
	o.add(e)
}

// jsonAction turns {"action": "stack", "args": [...]} into the text of a step. It returns "" if the
// arguments have names that are not the action's parameters.
func (r *lexicon) jsonAction(v *jsonNode) string {
	if len(v.items) == 1 && r.word(v.items[0].key).action >= 0 { // {"stack": ["a", "b"]}
		switch m := v.items[0]; m.kind {
		case '{':
			if args, ok := r.orderArguments(m.key, m.items); ok {
				return "(" + m.key + args + ")"
			}
			return ""
		case '[':
			return "(" + m.key + " " + joinJSON(m.items) + ")"
		}
	}
	name, args := "", ""
	object := unwrap(*v)
	var named []jsonNode
	if !r.knownMembers(v.items) || !r.knownMembers(object.items) {
		return ""
	}
	for i := range object.items {
		m := object.items[i]
		switch {
		case actionKeys.has(m.key) && m.kind == '"' && name == "":
			name = m.text
		case r.parameter(object.items, m.key):
			named = append(named, m)
		case argKeys.has(m.key):
			if m.kind == '"' {
				m = jsonText(m)
			}
			switch m.kind {
			case '{':
				named = append(named, m.items...)
			case '"':
				args += " " + m.text
			default:
				args += " " + joinJSON(m.items)
			}
		}
	}
	name = cleanLine(name)
	if len(named) > 0 {
		ordered, ok := r.orderArguments(name, named)
		if !ok || args != "" {
			return ""
		}
		args = ordered
	}
	if args == "" || strings.ContainsAny(name, "( ") {
		return name // the step as one string
	}
	return "(" + name + args + ")"
}

// parameter reports whether a key is the name of a parameter of the action that a member names: {"action": "stack",
// "block": "a", "under": "b"}.
func (r *lexicon) parameter(members []jsonNode, key string) bool {
	return slices.ContainsFunc(members, func(m jsonNode) bool {
		if !actionKeys.has(m.key) || m.kind != '"' {
			return false
		}
		w := r.word(cleanLine(m.text))
		return w.action >= 0 && r.actions[w.action].hasParameter(key)
	})
}

// knownMembers reports whether the members of a step beside its action and arguments only describe it; others, such
// as "skip", may say that it is not done.
func (r *lexicon) knownMembers(members []jsonNode) bool {
	return !r.deniedBy(members) && !slices.ContainsFunc(members, func(m jsonNode) bool {
		return !actionKeys.has(m.key) && !argKeys.has(m.key) && !wrapKeys.has(m.key) && !remarkKeys.has(m.key) && !r.parameter(members, m.key) && r.asked(m.key, false) == asksNothing
	})
}

// orderArguments puts named arguments into the order of the action's parameters, as arguments does. {"objects": [...]}
// has no names and is a list.
func (r *lexicon) orderArguments(action string, named []jsonNode) (string, bool) {
	if len(named) == 1 && named[0].kind == '[' && argKeys.has(named[0].key) {
		return " " + joinJSON(named[0].items), true
	}
	w := r.word(action)
	if w.action < 0 || slices.ContainsFunc(named, func(m jsonNode) bool { return m.kind == '{' || m.kind == '[' }) {
		return "", false
	}
	var keys []string
	for _, m := range named {
		keys = append(keys, m.key)
	}
	order, ok := r.actions[w.action].arguments(keys)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, k := range order {
		b.WriteString(" " + named[k].text)
	}
	return b.String(), true
}

func joinJSON(items []jsonNode) string {
	var words []string
	for i := range items {
		words = append(words, items[i].text)
	}
	return strings.Join(words, " ")
}
