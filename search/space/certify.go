package space

import (
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/state"
)

// Certify makes a certificate of a table: every reachable state from which the goal is
// not reached at no cost, with its exact distance as bound. The claim is about the initial
// state, and what is proven is that no entry of the table is too high. The error is a
// *LimitError where table and certificate need more than memory bytes, 0 for no limit.
func (t *Table) Certify(memory int64) (*certificate.Certificate, error) {
	cert := &certificate.Certificate{Header: certificate.Header{Task: certificate.TaskHash(t.sys.Task), Claim: certificate.LowerBound}}
	first := t.InitialDistance()
	if cert.Bound = boundOf(first); first.DeadEnd {
		cert.Claim = certificate.Unsolvable
	}
	n := 0
	t.EachState(func(_ State, d Distance) {
		if boundOf(d) > 0 {
			n++
		}
	})
	lay := certificate.NewLayout(t.sys.Task)
	row := make([]uint64, lay.Words())
	if memory > 0 && t.Bytes()+certificate.ListBytes(n, len(row)) > memory {
		return nil, &search.LimitError{Status: search.Memout, States: t.States}
	}
	cert.Rows, cert.Bounds, cert.Evidence = make([]uint64, 0, n*len(row)), make([]int64, 0, n), make([]uint32, 0, n)
	values := make([]int32, state.Unpacked(t.sys.Task))
	t.EachState(func(s State, d Distance) {
		bound := boundOf(d)
		if bound == 0 {
			return
		}
		t.sys.Packer.Unpack(values, s)
		lay.Pack(row, values)
		cert.Rows = append(cert.Rows, row...)
		cert.Bounds = append(cert.Bounds, bound)
		cert.Evidence = append(cert.Evidence, certificate.EvidenceOf(-1, false))
	})
	return cert, nil
}

// boundOf returns the bound for a state at distance d; distances in tables are less than Infinite.
func boundOf(d Distance) int64 {
	if d.DeadEnd {
		return certificate.Infinite
	}
	return d.Cost
}
