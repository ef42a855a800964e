package store

import (
	"context"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

// BenchmarkLookup looks one of 400 rows up by its key.
func BenchmarkLookup(b *testing.B) {
	s := newStore(b)
	fill(b, s, blocks(b, 4, 200), FillOptions{Schedules: schedules(b, "", "put-down=20,*=1")})
	var keys []Key
	if err := s.Each(context.Background(), Filter{}, func(r *Record) error { keys = append(keys, r.Key); return nil }); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, found, err := s.Lookup(keys[i%len(keys)]); err != nil || !found {
			b.Fatal(found, err)
		}
		i++
	}
}

// BenchmarkKeyOf computes the key of a task of six blocks from its texts.
func BenchmarkKeyOf(b *testing.B) {
	in := blocks(b, 6, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := KeyOf(pddl.NewSource("d", *in.DomainText), pddl.NewSource("p", *in.ProblemText), costmodel.Schedule{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut stores rows that are solved already, 64 in a transaction.
func BenchmarkPut(b *testing.B) {
	from := newStore(b)
	fill(b, from, blocks(b, 4, 64), FillOptions{})
	var items []Item
	if err := from.Each(context.Background(), Filter{}, func(r *Record) error {
		domain, problem, err := from.Texts(r)
		if err != nil {
			return err
		}
		items = append(items, Item{Name: r.Names[0], Task: taskOf(b, domain, problem, ""), Record: r})
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(items)), "rows/op")
	for b.Loop() {
		b.StopTimer()
		s := newStore(b)
		b.StartTimer()
		if err := s.Put(context.Background(), items); err != nil {
			b.Fatal(err)
		}
	}
}
