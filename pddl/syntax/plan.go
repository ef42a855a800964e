package syntax

// ParsePlan reads a plan: its steps are the sections.
func ParsePlan(text string) *File { return parsePlan(text, nil, 0) }

func parsePlan(text string, probe *Place, at uint32) *File {
	nodes, notes := buildTree(text, true)
	f := &File{Text: text, Kind: Plan, Comments: notes, Name: -1, Of: -1}
	w := &walker{File: f, nodes: nodes, in: -1, probe: probe, at: at}
	for n := nodes[0].first; n != 0; n = nodes[n].next {
		if w.isWord(n) {
			w.see(n, Place{Where: AtStep})
			if isNumber(w.text(n)) {
				w.put(n, Number, Mention)
			} else if c := w.text(n)[0]; c != ':' && c != '[' && c != ']' {
				w.put(n, Other, Mention)
			}
			continue
		}
		w.in = int32(len(f.Sections))
		f.Sections = append(f.Sections, Section{Span: Span{nodes[n].off, nodes[n].lim}, Name: -1})
		c := w.first(n)
		w.see(c, Place{Where: AtStep, Head: true})
		head := w.put(c, Action, Mention)
		f.Sections[w.in].Name = head
		if c != 0 {
			for a, i := w.next(c), 0; a != 0; a, i = w.next(a), i+1 {
				w.see(a, Place{Where: AtTerm, Of: head, Arg: i})
				w.putArg(a, Object, Mention, head, i)
			}
		}
		w.in = -1
	}
	return f
}
