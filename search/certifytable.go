package search

import (
	"planproof/search/certificate"
)

// CertifyTable makes a certificate of a table: every reachable state from which the goal is
// not reached at no cost, with its exact distance as bound. The claim is about the initial
// state, and what is proven is that no entry of the table is too high.
func CertifyTable(t *Table) *certificate.Certificate {
	cert := &certificate.Certificate{Header: certificate.Header{Task: certificate.TaskHash(t.task), Claim: certificate.LowerBound}}
	lay := certificate.NewLayout(t.task)
	row := make([]uint64, lay.Words())
	values := make([]int32, len(t.task.Variables))
	first := true
	t.EachState(func(s State, d Distance) {
		bound := d.Cost
		if d.DeadEnd {
			bound = certificate.Infinite
		}
		if first {
			first = false
			cert.Bound = bound
			if d.DeadEnd {
				cert.Claim = certificate.Unsolvable
			}
		}
		if bound == 0 {
			return
		}
		t.packer.Unpack(values, s)
		lay.Pack(row, values)
		cert.Rows = append(cert.Rows, row...)
		cert.Bounds = append(cert.Bounds, bound)
		cert.Evidence = append(cert.Evidence, certificate.EvidenceOf(-1, false))
	})
	return cert
}
