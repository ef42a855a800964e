package cmdline

import (
	"reflect"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestPermute(t *testing.T) {
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "output", Aliases: []string{"o"}}, &cli.IntFlag{Name: "n"},
	}
	for _, c := range []struct {
		args, want []string
		err        string
	}{
		{args: []string{"a", "--json", "b"}, want: []string{"--json", "--", "a", "b"}},
		{args: []string{"-", "-o", "-", "x"}, want: []string{"-o", "-", "--", "-", "x"}},
		{args: []string{"a", "--output=f", "b"}, want: []string{"--output=f", "--", "a", "b"}},
		{args: []string{"a", "--n", "-1"}, want: []string{"--n", "-1", "--", "a"}},
		{args: []string{"--json", "--", "--n"}, want: []string{"--json", "--", "--n"}},
		{args: []string{"a", "--unknown", "b"}, want: []string{"--unknown", "--", "a", "b"}},
		{args: []string{"a", "-o"}, err: "-o needs a value"},
		{args: []string{"a", "-o", "--json"}, err: "-o needs a value, and --json is a flag"},
		{args: []string{"-o", "-x", "a"}, want: []string{"-o", "-x", "--", "a"}},
		{args: []string{"a", "--unknown", "b", "--help"}, want: []string{"--help"}},
		{args: []string{"a", "-h"}, want: []string{"--help"}},
		{args: []string{"--", "--help"}, want: []string{"--", "--help"}},
		{args: nil, want: []string{"--"}},
	} {
		got, err := Permute(flags, c.args)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: error %v, want %s", c.args, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.args, got, err, c.want)
		}
	}
}

func TestSizesAndDurations(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "2GB": 2 << 30, "500mb": 500 << 20, "1.5 KiB": 1536, "64k": 64 << 10} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "NaN", "-1", "0", "1e-5", "1e30", "GB", "12 pigs", "inf"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
	for _, text := range []string{"soon", "NaN", "-1s", "0", "inf", "1e300"} {
		if got, err := ParseDuration("--time", text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}
