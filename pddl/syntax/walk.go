package syntax

// walker gives the words of a tree their roles.
type walker struct {
	*File
	nodes []node
	scope []int32 // the variables in scope, innermost last
	in    int32   // section
	use   Use     // of predicates in the condition being walked
	probe *Place
	at    uint32 // of the probe
}

// Parse reads a domain or problem.
func Parse(text string) *File { return parse(text, nil, 0) }

func parse(text string, probe *Place, at uint32) *File {
	nodes, notes := buildTree(text, false)
	f := &File{Text: text, Comments: notes, Name: -1, Of: -1, Words: make([]Word, 0, len(nodes)/2)}
	w := &walker{File: f, nodes: nodes, in: -1, probe: probe, at: at}
	w.keepLists()
	for n := nodes[0].first; n != 0; n = nodes[n].next {
		w.top(n)
	}
	return f
}

// keepLists keeps the places of lists: editors select and fold by them.
func (w *walker) keepLists() {
	for i := range w.nodes[1:] {
		if n := &w.nodes[i+1]; n.kind == list {
			w.Lists = append(w.Lists, Span{n.off, n.lim})
		}
	}
}

func (w *walker) isWord(n int32) bool { return n != 0 && w.nodes[n].kind == word }
func (w *walker) isList(n int32) bool { return n != 0 && w.nodes[n].kind == list }
func (w *walker) text(n int32) string { return w.Text[w.nodes[n].off:w.nodes[n].lim] }

// key is the folded text of a word, "" for a list or none.
func (w *walker) key(n int32) string {
	if !w.isWord(n) {
		return ""
	}
	return fold(w.text(n))
}

func (w *walker) first(n int32) int32 { return w.nodes[n].first }
func (w *walker) next(n int32) int32  { return w.nodes[n].next }

// put gives a word its role and returns its index; -1 if the node is none.
func (w *walker) put(n int32, role Role, use Use) int32 { return w.putArg(n, role, use, -1, 0) }

func (w *walker) putArg(n int32, role Role, use Use, head int32, arg int) int32 {
	if !w.isWord(n) {
		return -1
	}
	id := int32(len(w.Words))
	x := Word{Span: Span{w.nodes[n].off, w.nodes[n].lim}, Role: role, Use: use, Arg: uint16(min(arg, 1<<16-1)), In: w.in, Bind: -1, Head: head, Type: -1}
	if role == Variable {
		x.Bind = w.lookup(w.text(n))
		if use == Declare {
			x.Bind = id
		}
	}
	w.Words = append(w.Words, x)
	return id
}

func (w *walker) lookup(name string) int32 {
	key := fold(name)
	for i := len(w.scope) - 1; i >= 0; i-- {
		if w.Key(w.scope[i]) == key {
			return w.scope[i]
		}
	}
	return -1
}

// rest gives all words from n on, in lists too, a role.
func (w *walker) rest(n int32, role Role) {
	for ; n != 0; n = w.next(n) {
		if w.isList(n) {
			w.rest(w.first(n), role)
			continue
		}
		r := role
		switch c := w.text(n)[0]; {
		case c == '?':
			r = Variable
		case c == ':':
			r = Keyword
		case isNumber(w.text(n)):
			r = Number
		}
		w.put(n, r, Mention)
	}
}

func (w *walker) top(n int32) {
	if w.isWord(n) {
		w.see(n, Place{Where: AtTop})
		w.put(n, Other, Mention)
		return
	}
	head := w.first(n)
	if w.key(head) != "define" {
		if sectionKeywords[w.key(head)] {
			w.section(n) // after a parenthesis that ended the definition too early
		} else {
			w.see(head, Place{Where: AtTop, Head: true})
			w.rest(head, Other)
		}
		return
	}
	w.put(head, Operator, Mention)
	for c := w.next(head); c != 0; c = w.next(c) {
		if w.isWord(c) {
			w.see(c, Place{Where: AtSection, Kind: w.Kind})
			w.put(c, Other, Mention)
			continue
		}
		switch k := w.key(w.first(c)); {
		case w.Kind == Unknown && (k == "domain" || k == "problem"):
			w.put(w.first(c), Operator, Mention)
			name := w.next(w.first(c))
			if w.Kind = Domain; k == "problem" {
				w.Kind = Problem
				w.Name = w.put(name, ProblemName, Declare)
			} else {
				w.Name = w.put(name, DomainName, Declare)
			}
			if name != 0 {
				w.rest(w.next(name), Other)
			}
		default:
			w.section(c)
		}
	}
}

func (w *walker) section(n int32) {
	head := w.first(n)
	w.in = int32(len(w.Sections))
	w.Sections = append(w.Sections, Section{Span: Span{w.nodes[n].off, w.nodes[n].lim}, Keyword: w.key(head), Name: -1})
	defer func() { w.in, w.scope, w.use = -1, w.scope[:0], Read }()
	w.use = Read
	if head == 0 {
		return
	}
	w.see(head, Place{Where: AtSection, Kind: w.Kind, Head: true})
	if !w.isWord(head) {
		w.rest(head, Other)
		return
	}
	w.put(head, Keyword, Mention)
	body := w.next(head)
	switch w.key(head) {
	case ":requirements":
		for c := body; c != 0; c = w.next(c) {
			w.see(c, Place{Where: AtRequirement})
			w.put(c, Requirement, Mention)
		}
	case ":domain":
		w.see(body, Place{Where: AtDomainName})
		w.Of = w.put(body, DomainName, Mention)
	case ":types":
		w.typed(body, TypeName)
	case ":constants", ":objects":
		w.typed(body, Object)
	case ":predicates":
		w.declarations(body, Predicate)
	case ":functions":
		w.declarations(body, Function)
	case ":action", ":durative-action", ":process", ":event", ":axiom":
		w.action(body, w.key(head) == ":axiom")
	case ":derived":
		w.derived(body)
	case ":init", ":timeless":
		w.use = Initial
		for c := body; c != 0; c = w.next(c) {
			w.initial(c)
		}
	case ":goal", ":constraints":
		w.use = Goal
		w.conditions(body)
	case ":metric":
		w.use = Goal
		w.see(body, Place{Where: AtOptimization})
		w.put(body, Operator, Mention)
		if body != 0 {
			for c := w.next(body); c != 0; c = w.next(c) {
				w.expression(c, -1, 0)
			}
		}
	default:
		w.rest(body, Other)
	}
}

// typed walks a typed list of names with a role from n on; variables stay in scope.
func (w *walker) typed(n int32, role Role) (names []int32) {
	group := 0
	for n != 0 {
		if w.key(n) == "-" {
			w.put(n, Operator, Mention)
			t := w.types(w.next(n))
			for _, id := range names[group:] {
				w.Words[id].Type = t
			}
			group = len(names)
			if n = w.next(n); n != 0 {
				n = w.next(n)
			}
			continue
		}
		w.see(n, Place{Where: AtDeclaration, Role: role})
		if id := w.put(n, role, Declare); id >= 0 {
			names = append(names, id)
		} else {
			w.rest(w.first(n), Other)
		}
		n = w.next(n)
	}
	if role == Variable {
		w.scope = append(w.scope, names...)
	}
	return names
}

// types walks the type after a hyphen and returns its index in Types.
func (w *walker) types(n int32) int32 {
	var ids []int32
	if w.isWord(n) {
		w.see(n, Place{Where: AtType})
		ids = append(ids, w.put(n, TypeName, Mention))
	} else if w.isList(n) {
		c := w.first(n)
		w.see(c, Place{Where: AtType, Head: true})
		if w.put(c, Operator, Mention); c != 0 {
			for c = w.next(c); c != 0; c = w.next(c) {
				w.see(c, Place{Where: AtType})
				if id := w.put(c, TypeName, Mention); id >= 0 {
					ids = append(ids, id)
				}
			}
		}
	} else {
		return -1
	}
	w.Types = append(w.Types, ids)
	return int32(len(w.Types) - 1)
}

// declarations walks (NAME ?x - t ...) ...; functions may have a type after them.
func (w *walker) declarations(n int32, role Role) {
	for n != 0 {
		switch {
		case w.isList(n):
			c := w.first(n)
			w.see(c, Place{Where: AtDeclaration, Role: role, Head: true})
			w.put(c, role, Declare)
			if c != 0 {
				w.typed(w.next(c), Variable)
				w.scope = w.scope[:0]
			}
		case w.key(n) == "-":
			w.put(n, Operator, Mention)
			if n = w.next(n); n == 0 {
				return
			}
			if w.key(n) == "number" {
				w.put(n, Operator, Mention)
			} else {
				w.types(n)
			}
		default:
			w.see(n, Place{Where: AtDeclaration, Role: role})
			w.put(n, Other, Mention)
		}
		n = w.next(n)
	}
}

// action walks the name and the parts of an action, or an axiom of PDDL 1.2.
func (w *walker) action(n int32, nameless bool) {
	section := &w.Sections[w.in]
	if !nameless && w.isWord(n) && w.text(n)[0] != ':' {
		section.Name = w.put(n, Action, Declare)
		n = w.next(n)
	}
	for n != 0 {
		key := w.key(n)
		w.see(n, Place{Where: AtPart})
		if key == "" || key[0] != ':' {
			if key == "" {
				w.rest(w.first(n), Other)
			} else {
				w.put(n, Other, Mention)
			}
			n = w.next(n)
			continue
		}
		w.put(n, Keyword, Mention)
		value := w.next(n)
		if k := w.key(value); k != "" && k[0] == ':' {
			n = value
			continue
		}
		w.part(section, key, value)
		if n = value; n != 0 {
			n = w.next(n)
		}
	}
}

func (w *walker) part(section *Section, key string, value int32) {
	if value == 0 {
		return
	}
	switch key {
	case ":parameters", ":vars":
		if w.isList(value) {
			section.Params = append(section.Params, w.typed(w.first(value), Variable)...)
		} else {
			w.put(value, Other, Mention)
		}
	case ":precondition", ":condition", ":context", ":duration":
		w.condition(value)
	case ":effect":
		w.effect(value, false)
	case ":implies":
		w.use = Derive
		w.condition(value)
		w.use = Read
	default:
		if w.isList(value) {
			w.rest(w.first(value), Other)
		} else {
			w.put(value, Other, Mention)
		}
	}
}

// derived walks the head and the body of a rule.
func (w *walker) derived(n int32) {
	if w.isList(n) {
		c := w.first(n)
		w.see(c, Place{Where: AtCondition, Head: true, Use: Derive})
		w.Sections[w.in].Name = w.put(c, Predicate, Derive)
		if c != 0 {
			w.Sections[w.in].Params = w.typed(w.next(c), Variable)
		}
	} else if n != 0 {
		w.put(n, Other, Mention)
	}
	if n != 0 {
		w.conditions(w.next(n))
	}
}
