package search

import (
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/state"
)

// certificate collects the states that need listing, if memory suffices for both lists.
func (c *certifier) certificate() (*certificate.Certificate, error) {
	cert := &certificate.Certificate{Header: certificate.Header{
		Task: certificate.TaskHash(c.Task), Claim: c.claim, Bound: c.bound,
	}, Plan: c.plan}
	lay := certificate.NewLayout(c.Task)
	row := make([]uint64, lay.Words())
	n := 0
	for id := range c.reg.Len() {
		if needsListing(c.reg.Record(state.StateID(id))[c.words+nodeProof]) {
			n++
		}
	}
	if c.maxBytes > 0 && c.bytes()+c.store.bytes()+certificate.ListBytes(n, len(row)) > c.maxBytes {
		return nil, c.memout()
	}
	cert.Rows, cert.Bounds, cert.Evidence = make([]uint64, 0, n*len(row)), make([]int64, 0, n), make([]uint32, 0, n)
	for id := range c.reg.Len() {
		rec := c.reg.Record(state.StateID(id))
		node := rec[c.words:]
		if !needsListing(node[nodeProof]) {
			continue
		}
		direct := node[nodeProof]&proofKind == proofDirect
		c.Packer.Unpack(c.x.Values, rec)
		lay.Pack(row, c.x.Values)
		bound := c.bound
		if bound < certificate.Infinite {
			bound -= int64(node[nodeCost])
		}
		cert.Rows = append(cert.Rows, row...)
		cert.Bounds = append(cert.Bounds, bound)
		cert.Evidence = append(cert.Evidence, certificate.EvidenceOf(int(int32(node[nodeProof]))-1, direct))
	}
	if c.tables != nil {
		c.exportTables(cert)
	}
	c.store.export(cert)
	return cert, nil
}

// needsListing reports whether the certificate lists a state, given how it was proven.
func needsListing(proof uint64) bool {
	return proof&proofKind == proofExpanded || proof&(proofKind|proofListed) == proofDirect|proofListed
}

// exportTables puts the orders of tables that are used into cert, as base groups.
func (c *certifier) exportTables(cert *certificate.Certificate) {
	for i, tables := range c.tables.Tables() {
		if !c.used[i] {
			continue
		}
		var g certificate.Group
		for k := range tables {
			g = append(g, certificate.Term{Part: int32(len(cert.Parts))})
			cert.Parts = append(cert.Parts, certificate.Part{Vars: tables[k].Vars, Values: tables[k].Values})
		}
		cert.Groups = append(cert.Groups, g)
	}
	cert.Base = len(cert.Groups)
}
