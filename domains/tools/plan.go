package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

// A Step is one call of a tool.
type Step struct {
	ID   int    // as the plan numbers it
	Name string // "Tool.function"
	Args Value
	// Uses are the places, in the order of ids, of earlier steps that the arguments refer to.
	Uses []int
	// written is the text of the arguments as the plan has it, for T-Eval's evaluator, which compares texts.
	written string
}

// A Plan is a list of calls, in the order of their ids.
type Plan struct {
	Steps []Step
	// Faults say what could not be read, and where.
	Faults []string
	noted  int // faults, those included that are only counted
	values int // in arguments
}

// Finish is the name of the step that ends a plan and calls nothing.
const Finish = "FinishAction"

// maxSteps bounds the steps of a plan.
const maxSteps = 2000

// scored are the steps that count: all but one Finish at the end.
func (p *Plan) scored() []Step {
	if n := len(p.Steps); n > 0 && p.Steps[n-1].Name == Finish {
		return p.Steps[:n-1]
	}
	return p.Steps
}

// ReadPlan reads the plan of a row: a list of {"id", "name", "args"}, a text with such a list (as JSON or as a Python
// literal, with anything around it), or calls in OpenAI's form ([ReadCalls]). With names it reads prose: each line or
// sentence is a step of the first of the names in it. It keeps what can be read, and notes the rest.
func ReadPlan(raw json.RawMessage, names []string) *Plan {
	p := &Plan{}
	if at := notUTF8(raw); at >= 0 {
		p.fault(0, fmt.Sprintf("byte %d of the plan is not UTF-8", at+1))
	}
	switch {
	case !rowjson.Present(raw):
	case raw[0] == '{' || raw[0] == '[' && isTranscript(raw):
		steps, faults := ReadCalls(raw)
		p.Steps, p.Faults = steps, append(p.Faults, faults...)
	case raw[0] == '[':
		p.list(raw)
	case raw[0] == '"':
		text, err := rowjson.String(raw)
		switch {
		case err != nil:
			p.fault(0, rowjson.Fault(err))
		case len(names) > 0:
			p.prose(text, names)
		default:
			p.text(text)
		}
	default:
		p.fault(0, "the plan is neither a list nor a text")
	}
	slices.SortStableFunc(p.Steps, func(a, b Step) int { return a.ID - b.ID })
	if len(p.Steps) > maxSteps {
		p.fault(maxSteps+1, fmt.Sprintf("more than %d steps", maxSteps))
		p.Steps = p.Steps[:maxSteps]
	}
	p.link()
	return p
}

// notUTF8 is the place of the first byte that is not UTF-8, -1 if there is none. Readers of JSON take all such bytes for
// the same sign, so that different calls would be equal.
func notUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// isTranscript reports whether a list is one of messages or of calls in OpenAI's form.
func isTranscript(raw json.RawMessage) bool {
	var first struct {
		Role     json.RawMessage `json:"role"`
		Type     json.RawMessage `json:"type"`
		Function json.RawMessage `json:"function"`
		Name     json.RawMessage `json:"name"`
	}
	items, _, _ := rowjson.Elements[json.RawMessage](raw, 1)
	if len(items) == 0 || rowjson.Unmarshal(items[0], &first, false) != nil {
		return false
	}
	return first.Role != nil || first.Function != nil || first.Type != nil && first.Name == nil || string(first.Type) == `"function_call"`
}

func (p *Plan) fault(step int, what string) {
	if step > 0 {
		what = fmt.Sprintf("step %d: %s", step, what)
	}
	switch p.noted++; {
	case p.noted <= maxFaults:
		p.Faults = append(p.Faults, what)
		return
	case p.noted == maxFaults+1:
		p.Faults = append(p.Faults, "")
	}
	p.Faults[len(p.Faults)-1] = fmt.Sprintf("and %s more", spell.Plural(p.noted-maxFaults, "fault"))
}

// text finds the list in an answer: the first one that holds a call. What is no such list, "[1]" in a sentence for
// instance, is passed over.
func (p *Plan) text(answer string) {
	found := rowjson.FindList(answer, func(list json.RawMessage) bool {
		q := &Plan{}
		if q.list(list); len(q.Steps) > 0 {
			p.Steps, p.Faults = q.Steps, append(p.Faults, q.Faults...)
		}
		return len(q.Steps) > 0
	})
	if !found {
		p.fault(0, "no list of calls in the answer")
	}
}

// prose reads sentences, as T-Eval does for its prompts in words.
func (p *Plan) prose(answer string, names []string) {
	for piece := range strings.SplitSeq(strings.ReplaceAll(answer, ". ", "\n"), "\n") {
		first, name := -1, ""
		for _, n := range names {
			if at := strings.Index(piece, n); at >= 0 && (first < 0 || at < first) {
				first, name = at, n
			}
		}
		if name != "" {
			p.Steps = append(p.Steps, Step{ID: len(p.Steps), Name: name, Args: Value{kind: kindText, text: strings.TrimSpace(piece)}})
		}
	}
	if len(p.Steps) == 0 {
		p.fault(0, "no name of a function in the answer")
	}
}

type stepJSON struct {
	ID   json.RawMessage `json:"id"`
	Name *string         `json:"name"`
	Args json.RawMessage `json:"args"`
}

func (p *Plan) list(raw json.RawMessage) {
	items, _, err := rowjson.Elements[json.RawMessage](raw, maxSteps+1)
	if err != nil {
		p.fault(0, "the list cannot be read")
		return
	}
	for i, item := range items {
		var s stepJSON
		err := rowjson.Unmarshal(item, &s, false)
		switch {
		case err != nil:
			p.fault(i+1, rowjson.Fault(err))
			continue
		case s.Name == nil:
			p.fault(i+1, "the step has no name")
			continue
		}
		step := Step{ID: i, Name: strings.TrimSpace(*s.Name)}
		if rowjson.Present(s.ID) {
			id, err := strconv.Atoi(strings.Trim(string(s.ID), `" `))
			if err != nil {
				p.fault(i+1, fmt.Sprintf("its id %.20s is no integer", s.ID))
				continue
			}
			step.ID = id
		}
		if step.written = string(s.Args); len(s.Args) > 0 && s.Args[0] == '"' {
			step.written, _ = rowjson.String(s.Args)
		}
		if step.Args, err = p.readArgs(s.Args); err != nil {
			p.fault(i+1, "args: "+rowjson.Fault(err))
			continue
		}
		p.Steps = append(p.Steps, step)
	}
}

// readArgs reads arguments: an object, or a text with one as JSON or Python wrote it. Other texts stay texts. No
// arguments, "" and {} are the same.
func (p *Plan) readArgs(raw json.RawMessage) (Value, error) {
	if !rowjson.Present(raw) {
		return Value{kind: kindObject}, nil
	}
	if raw[0] == '"' {
		text, err := rowjson.String(raw)
		if err != nil {
			return Value{}, err
		}
		if strings.TrimSpace(text) == "" {
			return Value{kind: kindObject}, nil
		}
		if raw, err = rowjson.ReadLiteral(text); err != nil {
			return Value{kind: kindText, text: strings.TrimSpace(text)}, nil
		}
	}
	return countValues(&p.values, raw, 0)
}

// link notes which earlier steps the arguments refer to.
func (p *Plan) link() {
	places := map[int]int{}
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Args.references(func(id int) bool {
			at, ok := places[id]
			if ok && !slices.Contains(s.Uses, at) {
				s.Uses = append(s.Uses, at)
			}
			return ok
		})
		sort.Ints(s.Uses)
		if _, twice := places[s.ID]; !twice {
			places[s.ID] = i
		}
	}
}

// canonical returns a number for each call, the same for calls that are equal: by name and arguments, where references
// stand for the calls that they denote.
func canonical(steps []Step, calls map[string]int) []int {
	out := make([]int, len(steps))
	ids := map[int]int{}
	for i := range steps {
		text := string(rowjson.AppendText(nil, steps[i].Name)) + steps[i].Args.canonical(func(id int) (int, bool) {
			call, ok := ids[id]
			return call, ok
		})
		if _, known := calls[text]; !known {
			calls[text] = len(calls)
		}
		out[i] = calls[text]
		if _, twice := ids[steps[i].ID]; !twice {
			ids[steps[i].ID] = out[i]
		}
	}
	return out
}

// number is the canonical form of a number.
func number(text string) string {
	if n, ok := pddl.ParseNumber(text); ok {
		return n.String()
	}
	return text
}
