package main

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

// limitFlags bound the work of ground, solve and exhaust. The time counts from the
// start of the command, reading and grounding included.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "time", Aliases: []string{"timeout"}, Usage: "end after `DURATION` of wall time, as 40s, 5m or a number of seconds"},
		&cli.StringFlag{Name: "memory", Usage: "end when the tables need more than `SIZE`, as 2GB or 500MB", Value: "4GB"},
	}
}

// parseDuration reads "40s", "1m30s" or a bare number of seconds; "" is no limit.
func parseDuration(s string) (time.Duration, error) { return parseDurationOf("--time", s) }

// parseDurationOf is parseDuration for another flag, which errors name.
func parseDurationOf(flag, s string) (time.Duration, error) {
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

// parseSize reads "2GB", "500MB", "64KB" or a number of bytes, in powers of 1024.
func parseSize(s string) (int64, error) {
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

// cpuSeconds returns the CPU time this process has used, user and system.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// peakKB returns the largest resident size this process has had, in KB.
func peakKB() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss
}
