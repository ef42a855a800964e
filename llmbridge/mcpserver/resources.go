package mcpserver

import (
	"context"
	"net/url"
	"strings"

	"github.com/planproof/planproof/domains"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	domainsURI = "planproof://domains"
	taskURI    = "planproof://tasks/"
)

func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: domainsURI, Name: "domains", MIMEType: "application/json",
		Description: "The kinds of bundled tasks: what they are about, their features and parameters.",
	}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		raw, err := encode(domains.List())
		return contents(&mcp.ResourceContents{URI: domainsURI, MIMEType: "application/json", Text: string(raw)}), err
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: taskURI + "{+name}/{part}", Name: "task", MIMEType: "text/plain",
		Description: "The PDDL text of a bundled task: part is domain or problem, as in " + taskURI + "blocksworld:4-17/problem",
	}, s.readTask)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resultURI + "{number}", Name: "result", MIMEType: "application/octet-stream",
		Description: "A certificate that solve has made on this connection.",
	}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		data, err := s.workspace(req.Session).result(req.Params.URI)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "application/octet-stream", Blob: data}), nil
	})
}

func contents(c *mcp.ResourceContents) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}
}

func (s *Server) readTask(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	name, part, _ := strings.Cut(strings.TrimPrefix(uri, taskURI), "/")
	if plain, err := url.PathUnescape(name); err == nil { // clients may write blocksworld%3A4-17
		name = plain
	}
	key, err := s.tasks.Bundled(name)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	switch part {
	case "domain":
		return contents(&mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: key.Domain}), nil
	case "problem":
		return contents(&mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: key.Problem}), nil
	}
	return nil, mcp.ResourceNotFoundError(uri)
}
