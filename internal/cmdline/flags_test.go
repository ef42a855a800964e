package cmdline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

// TestFlags: words and usages become flags, and what does not fit together is an error.
func TestFlags(t *testing.T) {
	description, usage := ParseHelp("Does things.\n\n   tool x\n\nFlags:\noutput: write to `FILE`\nworkers: how: many\nname: a\nwait: b\nrate: c\nall: d\n")
	if description != "Does things.\n\n   tool x" || usage["workers"] != "how: many" {
		t.Errorf("%q, %q", description, usage)
	}
	shared := map[string][]cli.Flag{"strict": {&cli.BoolFlag{Name: "strict"}}}
	flags, err := Flags("output,o=- workers:int=4 name:strings=a wait:duration=3s rate:float=0.5\n\tall:bool=true +strict", usage, "", shared)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			got = append(got, fmt.Sprint(f.Names(), f.Value))
		case *cli.IntFlag:
			got = append(got, fmt.Sprint(f.Names(), f.Value))
		case *cli.StringSliceFlag:
			got = append(got, fmt.Sprint(f.Names(), f.Value.Value()))
		case *cli.DurationFlag:
			got = append(got, fmt.Sprint(f.Names(), f.Value == 3*time.Second))
		case *cli.Float64Flag:
			got = append(got, fmt.Sprint(f.Names(), f.Value))
		case *cli.BoolFlag:
			got = append(got, fmt.Sprint(f.Names(), f.Value))
		}
	}
	if want := "[output o]- [workers] 4 [name] [a] [wait] true [rate] 0.5 [all] true [strict] false"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	env, err := Flags("store=truth.db@TRUTH", map[string]string{"store": "a"}, "", nil)
	if f, ok := env[0].(*cli.StringFlag); err != nil || !ok || f.Value != "truth.db" || len(f.EnvVars) != 1 || f.EnvVars[0] != "TRUTH" {
		t.Errorf("%v, %v", env, err)
	}
	for words, want := range map[string]string{
		"x": "no usage", "+nothing": "no shared", "name:strange": "no type", "name:int=many": "invalid syntax", "name": "no such flag",
	} {
		if _, err := Flags(words, usage, "", shared); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", words, err, want)
		}
	}
}
