package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// A Tool is the schema of one function.
type Tool struct {
	Name        string // "Hotel.book"
	Description string
	Parameters  []Parameter
	Returns     []Return
	// Action says what a call does in a PDDL task, "(book ?guest ?hotel)": an action and, for each of its parameters, the
	// parameter of the function that gives it. It is "" for a function that is only described.
	Action string
}

// A Parameter of a function. Type is one of JSON's (string, number, integer, boolean, array, object), or "" for any.
type Parameter struct {
	Name, Type string
	Required   bool
	Enum       []string // the values that are allowed, nil for all
}

// A Return is a field of what a function returns. Relation says which objects it can be: "(hotel-in ?value ?place)" are
// those for which the fact holds after the call.
type Return struct{ Name, Relation string }

// A Set is the functions that a plan may call.
type Set struct {
	Tools []Tool
	// Values are the objects that arguments stand for, where they are not called the same.
	Values map[string]string
	byName map[string]int
}

// ReadSet reads functions from JSON: a list, or an object with "tools" and, if arguments and objects have different
// names, "values". An element is a tool of T-Eval with an "api_list", or a function in OpenAI's form, which may say
// under "pddl" and "returns" what it does in a task. The error is a [*rowjson.Faults] with the place in the file.
func ReadSet(name string, text []byte) (*Set, error) {
	s := &Set{byName: map[string]int{}}
	var in struct {
		Tools  json.RawMessage   `json:"tools"`
		Values map[string]string `json:"values"`
	}
	var faults rowjson.Faults
	list := json.RawMessage(text)
	err := error(nil)
	if at := rowjson.SkipSpace(text, 0); at < len(text) && text[at] == '{' {
		err = rowjson.Unmarshal(text, &in, true)
		list, s.Values = in.Tools, in.Values
	}
	if err == nil {
		err = s.readTools(list)
	}
	if err != nil {
		faults.Add(name, 1, 1, text, err)
	}
	return s, faults.Err()
}

func (s *Set) readTools(list json.RawMessage) error {
	items, _, err := rowjson.Elements[json.RawMessage](list, len(list))
	if err != nil {
		return rowjson.Errorf(rowjson.CodeType, "tools", "the tools are not a list")
	}
	for i, item := range items {
		if err := s.readTool(item); err != nil {
			return rowjson.Errorf(rowjson.CodeValue, "tools", "tool %d: %s", i+1, rowjson.Fault(err))
		}
	}
	return nil
}

type toolJSON struct {
	Name     string        `json:"name"`
	About    string        `json:"tool_description"`
	List     []apiJSON     `json:"api_list"`
	Function *functionJSON `json:"function"`
}

type apiJSON struct {
	Name     string      `json:"name"`
	About    string      `json:"description"`
	Required []paramJSON `json:"required_parameters"`
	Optional []paramJSON `json:"optional_parameters"`
	Returns  []paramJSON `json:"return_data"`
}

type paramJSON struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type functionJSON struct {
	Name       string            `json:"name"`
	About      string            `json:"description"`
	Parameters json.RawMessage   `json:"parameters"`
	PDDL       string            `json:"pddl"`
	Returns    map[string]string `json:"returns"`
}

func (s *Set) readTool(raw json.RawMessage) error {
	var t toolJSON
	if err := rowjson.Unmarshal(raw, &t, false); err != nil {
		return err
	}
	if t.List != nil {
		for _, api := range t.List {
			tool := Tool{Name: t.Name + "." + api.Name, Description: api.About}
			for _, p := range api.Required {
				tool.Parameters = append(tool.Parameters, Parameter{Name: p.Name, Type: typeName(p.Type), Required: true})
			}
			for _, p := range api.Optional {
				tool.Parameters = append(tool.Parameters, Parameter{Name: p.Name, Type: typeName(p.Type)})
			}
			for _, r := range api.Returns {
				tool.Returns = append(tool.Returns, Return{Name: r.Name})
			}
			if err := s.add(tool); err != nil {
				return err
			}
		}
		return nil
	}
	f := t.Function
	if f == nil {
		f = &functionJSON{}
		if err := rowjson.Unmarshal(raw, f, false); err != nil {
			return err
		}
	}
	return s.readFunction(f)
}

func (s *Set) readFunction(f *functionJSON) error {
	tool := Tool{Name: f.Name, Description: f.About, Action: f.PDDL}
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if rowjson.Present(f.Parameters) {
		if err := rowjson.Unmarshal(f.Parameters, &schema, false); err != nil {
			return err
		}
	}
	if rowjson.Present(schema.Properties) {
		err := rowjson.EachMember(schema.Properties, func(name string, value []byte) error {
			var p struct {
				Type json.RawMessage   `json:"type"`
				Enum []json.RawMessage `json:"enum"`
			}
			err := rowjson.Unmarshal(value, &p, false)
			param := Parameter{Name: name, Required: slices.Contains(schema.Required, name)}
			if len(p.Type) > 0 && p.Type[0] == '"' {
				text, _ := rowjson.String(p.Type)
				param.Type = typeName(text)
			}
			for _, e := range p.Enum {
				v, fault := readValue(e)
				if fault != nil {
					return fault
				}
				param.Enum = append(param.Enum, v.canonical(noReference))
			}
			tool.Parameters = append(tool.Parameters, param)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, name := range schema.Required {
		if tool.parameter(name) == nil {
			return fmt.Errorf("%s: the required parameter %q is not described", f.Name, name)
		}
	}
	for name, relation := range f.Returns {
		tool.Returns = append(tool.Returns, Return{name, relation})
	}
	slices.SortFunc(tool.Returns, func(a, b Return) int { return strings.Compare(a.Name, b.Name) })
	return s.add(tool)
}

func noReference(int) (int, bool) { return 0, false }

func (s *Set) add(t Tool) error {
	if strings.Trim(t.Name, ".") == "" {
		return fmt.Errorf("the function has no name")
	}
	if _, twice := s.byName[t.Name]; twice {
		return fmt.Errorf("the function %s is described twice", t.Name)
	}
	s.byName[t.Name] = len(s.Tools)
	s.Tools = append(s.Tools, t)
	return nil
}

// tool returns a function by its name, nil if there is none.
func (s *Set) tool(name string) *Tool {
	if i, ok := s.byName[name]; ok {
		return &s.Tools[i]
	}
	return nil
}

func (s *Set) names() (list []string) {
	for i := range s.Tools {
		list = append(list, s.Tools[i].Name)
	}
	return list
}

func (t *Tool) parameter(name string) *Parameter {
	for i := range t.Parameters {
		if t.Parameters[i].Name == name {
			return &t.Parameters[i]
		}
	}
	return nil
}

func (t *Tool) parameterNames() (list []string) {
	for i := range t.Parameters {
		list = append(list, t.Parameters[i].Name)
	}
	return list
}

// typeName is JSON's name of a type.
func typeName(s string) string {
	switch s = strings.ToLower(s); s {
	case "str", "text":
		return "string"
	case "float":
		return "number"
	case "int":
		return "integer"
	case "bool":
		return "boolean"
	case "list":
		return "array"
	case "dict":
		return "object"
	}
	return s
}

// fits reports whether a value has a parameter's type. A text that is a number fits a number, since models quote them.
func (p *Parameter) fits(v *Value) bool {
	switch p.Type {
	case "string":
		return v.kind == kindText
	case "number":
		return v.kind == kindNumber || v.kind == kindText && isNumber(v.text, false)
	case "integer":
		return isNumber(v.text, true) && (v.kind == kindNumber || v.kind == kindText)
	case "boolean":
		return v.kind == kindBool
	case "array":
		return v.kind == kindList
	case "object":
		return v.kind == kindObject
	}
	return true
}
