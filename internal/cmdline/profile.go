package cmdline

import (
	"errors"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"syscall"

	"github.com/urfave/cli/v2"
)

// profileFlags are --cpuprofile, --memprofile and --trace.
func profileFlags() []cli.Flag {
	const category = "profiling"
	return []cli.Flag{
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a CPU profile to `FILE`", Category: category},
		&cli.StringFlag{Name: "memprofile", Usage: "write a heap profile to `FILE`", Category: category},
		&cli.StringFlag{Name: "trace", Usage: "write an execution trace to `FILE`", Category: category},
	}
}

// startProfiles starts what the profile flags ask for and returns what ends it.
func startProfiles(c *cli.Context) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var errs []error
		for _, f := range stops {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	for _, p := range []struct {
		flag  string
		start func(io.Writer) error // nil: nothing to start
		end   func(io.Writer) error
	}{
		{"cpuprofile", pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{"trace", trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
		{"memprofile", nil, func(w io.Writer) error { return pprof.Lookup("heap").WriteTo(w, 0) }},
	} {
		name := c.String(p.flag)
		if name == "" {
			continue
		}
		f, err := os.Create(name)
		if err != nil {
			return nil, err
		}
		if p.start != nil {
			if err := p.start(f); err != nil {
				return nil, err
			}
		}
		stops = append(stops, func() error { return errors.Join(p.end(f), f.Close()) })
	}
	return stop, nil
}

// CPUSeconds returns the CPU time this process has used, user and system.
func CPUSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// PeakKB returns the largest resident size this process has had, in KB.
func PeakKB() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss
}
