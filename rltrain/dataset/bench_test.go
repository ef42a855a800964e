package dataset

import (
	"context"
	"testing"
)

// BenchmarkStructure measures canonical forms, reading of the task not included.
func BenchmarkStructure(b *testing.B) {
	for _, name := range []string{"blocksworld:5-17", "blocksworld:40-7", "gripper:50", "logistics:12-2-40-1"} {
		p := bundledTask(b, name)
		sum := hashText(domainKeyText(p.Domain))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				structureOf(p, sum, 0)
			}
		})
	}
}

// BenchmarkRows measures rows of exhaustive sets, from the states to the four prompts.
func BenchmarkRows(b *testing.B) {
	src := Sample(exhaust(b, 5, false), 2000, 1)
	for _, style := range []string{"nl", "compact"} {
		b.Run(style, func(b *testing.B) {
			s := prepare(b, Options{Settings: Settings{Dedup: DedupNone, Names: NamesColourSets, Style: style, Split: Ratio{100, 0, 0, 0}}, Sources: []Source{src}, Threads: 1})
			rows := 0
			for b.Loop() {
				r, err := s.record(context.Background(), Train, s.rows[0][rows%len(s.rows[0])])
				if err != nil || r.Answer == "" {
					b.Fatal(err)
				}
				rows++
			}
		})
	}
}
