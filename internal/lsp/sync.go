package lsp

import (
	"context"
	"fmt"

	"github.com/creachadair/jrpc2"
)

// document returns an open document or file by its URI.
func (s *Server) document(uri string) (*Document, error) {
	if d := s.space.get(uri); d != nil {
		return d, nil
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "unknown document %.200q: open it first", uri)
}

// at returns a document and the byte that a position means.
func (s *Server) at(p *positionParams) (*Document, uint32, error) {
	d, err := s.document(p.Document.URI)
	if err != nil {
		return nil, 0, err
	}
	return d, d.offset(p.Position), nil
}

// keep makes an open document known, or says that there is no room for it.
func (s *Server) keep(ctx context.Context, d *Document) {
	if !s.space.put(d) {
		s.tell(ctx, messageError, fmt.Sprintf("%.200q is not looked into: the open documents may have %d MB together", d.URI, maxOpen>>20))
	}
	s.judge.changed(d.URI)
}

func (s *Server) didOpen(ctx context.Context, p *openParams) (any, error) {
	t := p.Document
	d := newDocument(t.URI, t.LanguageID, t.Version, t.Text, true)
	s.keep(ctx, d)
	return nil, nil
}

func (s *Server) didChange(ctx context.Context, p *changeParams) (any, error) {
	old := s.space.get(p.Document.URI)
	if old == nil || !old.Open {
		s.tell(ctx, messageError, fmt.Sprintf("a change of %.200q, which is not open", p.Document.URI))
		return nil, nil
	}
	text, err := apply(old.Text, p.Changes)
	if err != nil {
		s.tell(ctx, messageError, fmt.Sprintf("a change of %.200q was left out: %v", p.Document.URI, err))
		return nil, nil
	}
	version := old.Version + 1
	if p.Document.Version != nil {
		version = *p.Document.Version
	}
	language := ""
	if old.plan {
		language = "plan"
	}
	d := newDocument(old.URI, language, version, text, true)
	s.keep(ctx, d)
	return nil, nil
}

func (s *Server) didClose(ctx context.Context, p *documentParams) (any, error) {
	uri := normal(p.Document.URI)
	s.space.close(uri)
	s.rpc.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
	s.judge.changed(uri)
	return nil, nil
}

func (s *Server) didChangeFiles(_ context.Context, p *watchParams) (any, error) {
	for _, c := range p.Changes {
		s.space.reread(c.URI)
		s.judge.changed(normal(c.URI))
	}
	return nil, nil
}

func (s *Server) didChangeFolders(ctx context.Context, p *foldersParams) (any, error) {
	for _, f := range p.Event.Removed {
		s.space.removeFolder(f.URI)
	}
	for _, f := range p.Event.Added {
		s.space.addFolder(f.URI)
	}
	s.scan(ctx)
	return nil, nil
}
