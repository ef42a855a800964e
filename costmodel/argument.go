package costmodel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// ReadArgument reads a schedule as a command line gives it: entries name=cost, unit,
// [1,1,20,1], a file, or @FILE; "" is the empty schedule. read reads a file. flag is what
// errors call the argument; the faults of a file are [pddl.Diagnostics].
func ReadArgument(flag, text string, read func(file string) (*pddl.Source, error)) (Schedule, error) {
	trimmed := strings.TrimSpace(text)
	file, isFile := strings.CutPrefix(trimmed, "@")
	switch {
	case isFile:
	case strings.HasPrefix(trimmed, "["), strings.EqualFold(trimmed, "unit"), trimmed == "", strings.Contains(trimmed, "="):
		return ParseAny(trimmed)
	default:
		if _, err := os.Stat(trimmed); err != nil {
			return Schedule{}, fmt.Errorf("%s %q is no list name=cost,..., no named schedule (unit, [1,1,20,1]) and no file", flag, text)
		}
		file = trimmed
	}
	src, err := read(file)
	if err != nil {
		return Schedule{}, fmt.Errorf("%s: %w", flag, err)
	}
	s, diags := ReadSchedule(src)
	return s, diags.Err()
}

// ReadArguments reads several schedules as [ReadArgument] does and names them: by the name of
// a named schedule or of a file, or by the entries. "paper" stands for [PaperSchedules].
func ReadArguments(flag string, texts []string, read func(file string) (*pddl.Source, error)) (named []Named, err error) {
	for _, text := range texts {
		if strings.EqualFold(strings.TrimSpace(text), "paper") {
			named = append(named, PaperSchedules()...)
			continue
		}
		s, err := ReadArgument(flag, text, read)
		if err != nil {
			return nil, err
		}
		named = append(named, Named{Name: argumentName(text, s), Schedule: s})
	}
	return named, nil
}

// argumentName is what a schedule is called in answers.
func argumentName(text string, s Schedule) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "@"), !strings.ContainsAny(text, "=[") && !strings.EqualFold(text, "unit"):
		base := filepath.Base(strings.TrimPrefix(text, "@"))
		return strings.TrimSuffix(base, filepath.Ext(base))
	case strings.Contains(text, "="):
		return s.String()
	}
	return strings.ReplaceAll(strings.ToLower(text), " ", "")
}

// Reference returns the index of the schedule that gives the horizons: [ReferenceSchedule] if it
// is among them, else the first one. It refuses an empty schedule and a name given twice.
func Reference(named []Named) (index int, err error) {
	seen := map[string]bool{}
	for i, n := range named {
		if n.Schedule.Empty() {
			return 0, errors.New("--schedule is empty: it must give every action a cost")
		}
		if seen[n.Name] {
			return 0, fmt.Errorf("schedule %s is given twice", n.Name)
		}
		seen[n.Name] = true
		if n.Name == ReferenceSchedule {
			index = i
		}
	}
	return index, nil
}

// InputFiles lists the files that arguments and schedules may be read from: themselves, and the
// manifests of folders.
func InputFiles(arguments, schedules []string) []string {
	files := append([]string(nil), arguments...)
	for _, text := range schedules {
		files = append(files, strings.TrimPrefix(strings.TrimSpace(text), "@"))
	}
	for _, name := range files {
		files = append(files, filepath.Join(name, ManifestName))
	}
	return files
}
