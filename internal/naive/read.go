package naive

import (
	"strconv"
	"strings"
)

// node is an s-expression: a word, or a list when Word is empty.
type node struct {
	Word string
	List []node
}

func read(text string) node {
	var clean strings.Builder
	for _, line := range strings.Split(strings.ToLower(text), "\n") {
		line, _, _ = strings.Cut(line, ";")
		clean.WriteString(line + "\n")
	}
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ").Replace(clean.String())
	stack := []node{{}}
	for _, word := range strings.Fields(spaced) {
		top := len(stack) - 1
		switch word {
		case "(":
			stack = append(stack, node{})
		case ")":
			stack[top-1].List = append(stack[top-1].List, stack[top])
			stack = stack[:top]
		default:
			stack[top].List = append(stack[top].List, node{Word: word})
		}
	}
	if len(stack) != 1 || len(stack[0].List) != 1 {
		panic("naive: unbalanced parentheses")
	}
	return stack[0].List[0]
}

func (n node) head() string {
	if len(n.List) == 0 {
		return ""
	}
	return n.List[0].Word
}

// typed is one entry of a typed list.
type typed struct{ name, kind string }

func typedList(words []node) []typed {
	var out []typed
	pending := 0
	for i := 0; i < len(words); i++ {
		if words[i].Word == "-" {
			i++
			for j := len(out) - pending; j < len(out); j++ {
				out[j].kind = words[i].Word
			}
			pending = 0
			continue
		}
		out = append(out, typed{words[i].Word, "object"})
		pending++
	}
	return out
}

type schema struct {
	name        string
	params      []typed
	pre, effect node
}

// New reads a task.
func New(domain, problem string) *Task {
	t := &Task{parent: map[string]string{}, init: state{}, costs: map[string]int{}}
	for _, section := range append(read(domain).List[2:], read(problem).List[2:]...) {
		body := section.List[1:]
		switch section.head() {
		case ":types":
			for _, e := range typedList(body) {
				t.parent[e.name] = e.kind
			}
		case ":constants", ":objects":
			t.objects = append(t.objects, typedList(body)...)
		case ":action":
			t.actions = append(t.actions, action(body))
		case ":derived":
			head := body[0].List
			t.derived = append(t.derived, schema{name: head[0].Word, params: typedList(head[1:]), pre: body[1]})
		case ":init":
			for _, f := range body {
				if f.head() == "=" {
					t.costs[words(f.List[1].List, nil)] = number(f.List[2].Word)
				} else {
					t.init[words(f.List, nil)] = true
				}
			}
		case ":goal":
			t.goal = body[0]
		case ":metric":
			t.metric = true
		case ":requirements", ":predicates", ":functions", ":domain":
		default:
			panic("naive: unknown section " + section.head())
		}
	}
	return t
}

func action(body []node) schema {
	a := schema{name: body[0].Word}
	for i := 1; i+1 < len(body); i += 2 {
		switch body[i].Word {
		case ":parameters":
			a.params = typedList(body[i+1].List)
		case ":precondition":
			a.pre = body[i+1]
		case ":effect":
			a.effect = body[i+1]
		}
	}
	return a
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("naive: not an integer: " + s)
	}
	return n
}
