package main

import (
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
