package pddl

import (
	"context"

	"github.com/planproof/planproof/internal/pace"
)

// ParseDomainContext is [ParseDomain] that ends soon after ctx does: the readers then see the end of the text
// at once, as in a file that is cut off, and what they have made and reported is thrown away. The error is that of ctx; then
// there are neither a domain nor diagnostics.
func ParseDomainContext(ctx context.Context, src *Source, opt Options) (*Domain, Diagnostics, error) {
	c := &collector{src: src, strict: opt.Strict, Pace: pace.Of(ctx)}
	d, diags := parseDomain(c)
	if c.Err() != nil {
		return nil, nil, c.Err()
	}
	return d, diags, nil
}

// ParseProblemContext is [ParseProblem] that ends soon after ctx does. The error is that of ctx; then
// there are neither a problem nor diagnostics.
func ParseProblemContext(ctx context.Context, src *Source, dom *Domain, opt Options) (*Problem, Diagnostics, error) {
	c := &collector{src: src, strict: opt.Strict, Pace: pace.Of(ctx)}
	p, diags := parseProblem(c, dom)
	if c.Err() != nil {
		return nil, nil, c.Err()
	}
	return p, diags, nil
}
