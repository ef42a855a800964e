package domains

import (
	"errors"
	"testing"
)

// FuzzLoad shows that any name loads a task or is refused with one of two errors,
// and that a loaded task's full name loads it again.
func FuzzLoad(f *testing.F) {
	for _, k := range List() {
		f.Add(k.Example)
	}
	f.Add("gripper:00000000000000000000001-2")
	f.Add("blocksworld:4--1")
	f.Fuzz(func(t *testing.T, name string) {
		task, err := load(name)
		if err != nil {
			if !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		if again, err := load(task.Name); err != nil || again.Problem.Text != task.Problem.Text {
			t.Fatalf("%q is %q, which is %v", name, task.Name, err)
		}
	})
}
