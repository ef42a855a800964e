package cmdline

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads the value of a flag: "40s", "1m30s" or a bare number of seconds; "" is
// 0. A duration that is given is positive.
func ParseDuration(flag, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		sec, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || sec != sec || sec > 1e9 {
			return 0, fmt.Errorf("%s %q is not a duration such as 40s or 5m", flag, s)
		}
		d = time.Duration(sec * float64(time.Second))
	}
	if d <= 0 {
		return 0, fmt.Errorf("%s %q is not positive", flag, s)
	}
	return d, nil
}

// ParseSize reads "2GB", "500MB", "64KB" or a number of bytes, in powers of 1024.
func ParseSize(s string) (int64, error) {
	t, unit := strings.ToUpper(strings.TrimSpace(s)), int64(1)
	t = strings.TrimSuffix(strings.TrimSuffix(t, "B"), "I")
	for i, suffix := range []string{"K", "M", "G", "T"} {
		if cut, ok := strings.CutSuffix(t, suffix); ok {
			t, unit = cut, int64(1)<<(10*(i+1))
		}
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	if f *= float64(unit); err != nil || !(f >= 1 && f <= 1<<62) {
		return 0, fmt.Errorf("%q is not a size such as 2GB or 500MB", s)
	}
	return int64(f), nil
}

// Limits bound the work of a command. The zero value does not.
type Limits struct {
	Deadline time.Time
	Memory   int64 // bytes
}

// ParseLimits reads the values of --time, which counts from began, and of --memory.
func ParseLimits(began time.Time, wall, memory string) (l Limits, err error) {
	d, err := ParseDuration("--time", wall)
	if err != nil {
		return l, err
	}
	if d > 0 {
		l.Deadline = began.Add(d)
	}
	l.Memory, err = ParseSize(memory)
	return l, err
}

// Left returns the remaining time, and false when it is over. Zero means no limit.
func (l Limits) Left() (time.Duration, bool) {
	if l.Deadline.IsZero() {
		return 0, true
	}
	d := time.Until(l.Deadline)
	return d, d > 0
}

// Context adds the deadline to ctx.
func (l Limits) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, l.Deadline)
}

// InputName is the name of an input in errors: "-" is standard input.
func InputName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// ParseRange reads "3" or "2..6".
func ParseRange(flag, s string) (r [2]int, err error) {
	from, to, several := strings.Cut(s, "..")
	if !several {
		to = from
	}
	for i, word := range []string{from, to} {
		if r[i], err = strconv.Atoi(word); err != nil {
			return r, fmt.Errorf("%s %q is neither a number nor a range such as 2..6", flag, s)
		}
	}
	if r[0] > r[1] {
		return r, fmt.Errorf("%s %q: the range is empty", flag, s)
	}
	return r, nil
}

// ParseNumbers reads numbers between commas.
func ParseNumbers(flag, s string) (list []float64, err error) {
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || n <= 0 || n > 1e9 {
			return nil, fmt.Errorf("%s: %q is not a positive number", flag, word)
		}
		list = append(list, n)
	}
	return list, nil
}
