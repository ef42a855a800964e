package heuristic_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/space"
)

// optionsBesideDefaults are settings that change how an estimate is made.
var optionsBesideDefaults = []struct {
	name   string
	values map[string]int64
}{
	{"landmarks", map[string]int64{"uniform": 1}},
	{"scp", map[string]int64{"perim": 1}},
	{"scp", map[string]int64{"orders": 1, "total": 20}},
	{"cegar", map[string]int64{"cartesian": 5, "orders": 2}},
	{"cegar", map[string]int64{"cartesian": 40, "perim": 1}},
}

// TestPropertiesWithOptions is TestPropertiesOnRandomTasks for other settings than the defaults.
func TestPropertiesWithOptions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		tab, err := space.Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range optionsBesideDefaults {
			info := heuristic.Lookup(c.name)
			if info.Check(task) != nil {
				continue
			}
			values := map[string]int64{}
			for _, o := range info.Options {
				values[o.Name] = o.Default
			}
			for k, v := range c.values {
				values[k] = v
			}
			h, err := info.Build(task, values, nil)
			if err != nil {
				t.Fatalf("%s %v: %v", c.name, c.values, err)
			}
			tab.EachState(func(s space.State, d space.Distance) {
				checkEstimate(t, *info, h, tab, s, d, h.Estimate(tab.Values(s)))
			})
		}
	})
}
