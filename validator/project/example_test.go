package project_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/validator/project"
)

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"domain.pddl": "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))",
		"p1.pddl":     "(define (problem p1) (:domain d) (:init) (:goal (p)))",
		"p1.plan":     "(a)",
		"p1.plan.2":   "(b)",
	} {
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	files, err := project.Find([]string{dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := project.Run(context.Background(), files, project.Options{}, func(r *project.Row) error {
		fmt.Println(filepath.Base(r.File), r.Status)
		return nil
	})
	fmt.Println(sum.Invalid, "invalid", err)
	// Output:
	// domain.pddl ok
	// p1.pddl ok
	// p1.plan ok
	// p1.plan.2 invalid
	// 1 invalid <nil>
}
