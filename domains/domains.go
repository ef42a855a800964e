package domains

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math/big"
	"path"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
)

//go:embed */domain.pddl
var files embed.FS

// ErrUnknown is wrapped by the errors of [Load] and [Generate] for an unknown kind.
var ErrUnknown = errors.New("unknown bundled domain")

// ErrParameter is wrapped by the errors of [Load] and [Generate] for a parameter
// that is missing, malformed or out of range.
var ErrParameter = errors.New("bad parameter of a bundled task")

// List describes every kind of bundled task.
func List() []Info {
	infos := make([]Info, len(kinds))
	for i, k := range kinds {
		infos[i] = k.Info
	}
	return infos
}

// IsName reports whether s has the form of a bundled task's name: a known kind, or
// anything that starts with a lower-case word and a colon. A misspelt kind counts, so
// that Load can suggest the right one; a path never does.
func IsName(s string) bool {
	word, _, colon := strings.Cut(s, ":")
	if word == "" || strings.ContainsAny(s, "/\\. ") {
		return false
	}
	if !colon {
		_, err := findKind(word)
		return err == nil
	}
	// A single letter before a colon is a Windows drive.
	return len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// Load returns the domain and the problem of the bundled task with the given name, such
// as blocksworld:4-17. Errors wrap [ErrUnknown] or [ErrParameter] and list the
// possibilities.
func Load(name string) (domain, problem *pddl.Source, err error) {
	t, err := load(name)
	if err != nil {
		return nil, nil, err
	}
	return t.Domain, t.Problem, nil
}

// Domain returns the domain file of a kind, of default parameters where it depends on some. The
// error wraps [ErrUnknown].
func Domain(name string) (*pddl.Source, error) {
	k, err := findKind(name)
	if err != nil {
		return nil, err
	}
	params, err := k.named(nil)
	if err != nil {
		return nil, err
	}
	return k.domain(params), nil
}

func (k *kind) domain(params []int) *pddl.Source {
	if k.invented != nil {
		name := k.Name
		for _, p := range params[:k.leading] {
			name += fmt.Sprint("-", p)
		}
		return &pddl.Source{Name: name + "/domain.pddl", Text: k.invented(params)}
	}
	file := path.Join(cmp.Or(k.folder, k.Name), "domain.pddl")
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err) // embedded, so never missing
	}
	return &pddl.Source{Name: file, Text: string(text)}
}

func findKind(name string) (*kind, error) {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i], nil
		}
	}
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].Name
	}
	if best := spell.Nearest(name, names); best != "" {
		return nil, fmt.Errorf("%w %q: did you mean %q?", ErrUnknown, name, best)
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

func load(name string) (*Task, error) {
	if len(name) > 200 {
		return nil, fmt.Errorf("%w: a name of %d characters", ErrUnknown, len(name))
	}
	word, numbers, colon := strings.Cut(name, ":")
	k, err := findKind(word)
	if err != nil {
		return nil, err
	}
	var fields []string
	if colon {
		fields = strings.Split(numbers, "-")
	}
	params := make([]int, len(k.Params))
	for i, p := range k.Params {
		params[i] = p.Default
		if i < len(fields) {
			n, ok := parseNumber(fields[i])
			if !ok || !n.IsInt64() || n.Int64() < int64(p.Min) || n.Int64() > int64(p.Max) {
				return nil, fmt.Errorf("%w %s: %s is %q, not a number from %d to %d; the form is %s",
					ErrParameter, name, p.Name, fields[i], p.Min, p.Max, k.form())
			}
			params[i] = int(n.Int64())
		}
	}
	last := big.NewInt(1)
	rest := fields[min(len(fields), len(k.Params)):]
	if len(rest) > 0 && k.Last != "" {
		n, ok := parseNumber(rest[0])
		limit := k.limit(params)
		if !ok || n.Sign() <= 0 || n.Cmp(limit) > 0 {
			return nil, fmt.Errorf("%w %s: %s is %q, not a number from 1 to %s; the form is %s",
				ErrParameter, name, k.Last, rest[0], limit, k.form())
		}
		last, rest = n, rest[1:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w %s: too many numbers; the form is %s", ErrParameter, name, k.form())
	}
	if k.check != nil {
		if err := k.check(params); err != nil {
			return nil, err
		}
	}
	return k.task(params, last), nil
}

// parseNumber reads decimal digits and nothing else, so that a name has one
// spelling apart from leading zeros.
func parseNumber(s string) (*big.Int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

// limit is the largest last number.
func (k *kind) limit(params []int) *big.Int {
	if k.tasks != nil {
		return k.tasks(params)
	}
	return new(big.Int).SetUint64(1<<64 - 1)
}

// form writes the shape of a kind's names: "blocksworld:BLOCKS-TASK".
func (k *kind) form() string {
	var words []string
	for _, p := range k.Params {
		words = append(words, strings.ToUpper(p.Name))
	}
	if k.Last != "" {
		words = append(words, strings.ToUpper(k.Last))
	}
	return k.Name + ":" + strings.Join(words, "-")
}

// task makes one task, with a name that lists every number.
func (k *kind) task(params []int, last *big.Int) *Task {
	name := k.Name + ":"
	for i, p := range params {
		if i > 0 {
			name += "-"
		}
		name += fmt.Sprint(p)
	}
	if k.Last != "" {
		name += "-" + last.String()
	}
	text := k.problem(strings.ReplaceAll(name, ":", "-"), params, last)
	return &Task{Name: name, Domain: k.domain(params), Problem: &pddl.Source{Name: name, Text: text}}
}
