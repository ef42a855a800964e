package space

import (
	"context"
	"errors"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// TestCertifyTable certifies the distances of all states, and sees one that is too high
// refused.
func TestCertifyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		large := rapid.Bool().Draw(t, "large costs")
		if large {
			task = tasktest.LargeCosts(choose(t))
		}
		tab, err := Exhaust(context.Background(), task, search.Limits{})
		if large && err != nil {
			return // distances beyond 63 bits
		}
		if err != nil {
			t.Fatal(err)
		}
		cert, err := tab.Certify(0)
		if err != nil {
			t.Fatal(err)
		}
		var limit *search.LimitError
		if _, err := tab.Certify(tab.Bytes()); len(cert.Bounds) > 0 && !errors.As(err, &limit) {
			t.Fatalf("a certificate in the memory of the table alone: %v", err)
		}
		if _, _, err := tasktest.CheckCertificate(t, task, cert); err != nil {
			t.Fatal(err)
		}
		if len(cert.Bounds) == 0 {
			return
		}
		i := rapid.IntRange(0, len(cert.Bounds)-1).Draw(t, "state")
		if cert.Bounds[i] == certificate.Infinite {
			return
		}
		cert.Bounds[i]++
		if _, _, err := tasktest.CheckCertificate(t, task, cert); err == nil {
			t.Fatalf("the distance of state %d is 1 too high and accepted", i)
		}
	})
}
