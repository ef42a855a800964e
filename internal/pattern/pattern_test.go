package pattern

import (
	"reflect"
	"regexp"
	"testing"
)

// TestPattern: the methods do what those of regexp.Regexp do, each as the first use of a pattern.
func TestPattern(t *testing.T) {
	const text, in = `(a)(b*)`, "xabb ab a"
	re := regexp.MustCompile(text)
	for name, c := range map[string][2]any{
		"FindAllString":           {New(text).FindAllString(in, 2), re.FindAllString(in, 2)},
		"FindAllStringIndex":      {New(text).FindAllStringIndex(in, 2), re.FindAllStringIndex(in, 2)},
		"FindAllStringSubmatch":   {New(text).FindAllStringSubmatch(in, 2), re.FindAllStringSubmatch(in, 2)},
		"FindString":              {New(text).FindString(in), re.FindString(in)},
		"FindStringIndex":         {New(text).FindStringIndex(in), re.FindStringIndex(in)},
		"FindStringSubmatch":      {New(text).FindStringSubmatch(in), re.FindStringSubmatch(in)},
		"FindStringSubmatchIndex": {New(text).FindStringSubmatchIndex(in), re.FindStringSubmatchIndex(in)},
		"FindSubmatch":            {New(text).FindSubmatch([]byte(in)), re.FindSubmatch([]byte(in))},
		"MatchString":             {New(text).MatchString(in), re.MatchString(in)},
		"ReplaceAllString":        {New(text).ReplaceAllString(in, "$2"), re.ReplaceAllString(in, "$2")},
		"Split":                   {New(text).Split(in, -1), re.Split(in, -1)},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
}

// TestPanics: a text that is no expression is refused at its first use.
func TestPanics(t *testing.T) {
	p := New("(")
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.MatchString("x")
}
