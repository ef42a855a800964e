package treebench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/llmbridge/treesearch"
)

// ParseMethods reads names of methods, separated by commas. words has the methods of package
// eval that prompt, by name; "" is one that needs a model as guide. shape sets the parameters of
// a tree search. trees are the names of those.
func ParseMethods(text string, words map[string]string, shape func(treesearch.Method) (treesearch.Method, error)) (methods []Method, trees []string, err error) {
	for _, name := range strings.Split(text, ",") {
		m := Method{Name: strings.TrimSpace(name)}
		prompts, ok := words[m.Name]
		switch {
		case slices.ContainsFunc(methods, func(o Method) bool { return o.Name == m.Name }):
			return nil, nil, fmt.Errorf("names %s twice", m.Name)
		case m.Name == "modulo":
			return nil, nil, errors.New("modulo: planproof eval measures it")
		case ok && prompts == "":
			return nil, nil, fmt.Errorf("%s needs --guide model", m.Name)
		case ok:
			m.Words = prompts
		default:
			tree, err := treesearch.Lookup(m.Name)
			if err == nil {
				m.Tree, err = shape(tree)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			trees = append(trees, m.Name)
		}
		methods = append(methods, m)
	}
	return methods, trees, nil
}
