package lsp

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/validator/project"
)

// Bounds of a workspace. What is beyond them is not looked at, and the user sees a message.
const (
	maxDocument = 64 << 20 // bytes of an open document
	maxAnalysed = 8 << 20  // bytes of a document that is looked into
	maxClosed   = 1 << 20  // bytes of a file that is looked into though it is not open
	maxFiles    = 10_000
	maxEntries  = 1_000_000 // files and folders that are looked at
	maxOpen     = 512 << 20 // bytes of all open documents
	maxTotal    = 256 << 20 // bytes of all files that are not open
)

// workspace is the documents by URI: the open ones, whose text the client has sent, and files in its folders.
type workspace struct {
	mu      sync.RWMutex
	docs    map[string]*Document
	folders []string // paths
	opened  int      // bytes of open documents
	seen    *view    // of docs; nil after a change
	beyond  bool     // there are files that were not looked into
	scans   int      // that run
}

func newWorkspace() *workspace { return &workspace{docs: map[string]*Document{}} }

// get returns the document of a URI, nil if there is none.
func (w *workspace) get(uri string) *Document {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.docs[normal(uri)]
}

// put makes an open document known. It reports false if there is no room for it: then what was there is forgotten.
func (w *workspace) put(d *Document) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = nil
	if old := w.docs[d.URI]; old != nil && old.Open {
		w.opened -= len(old.Text)
	}
	if w.opened+len(d.Text) > maxOpen {
		delete(w.docs, d.URI)
		return false
	}
	w.opened += len(d.Text)
	w.docs[d.URI] = d
	return true
}

// close forgets an open document: what counts from now on is its file, if a folder has it.
func (w *workspace) close(uri string) {
	w.mu.Lock()
	if d := w.docs[normal(uri)]; d != nil && d.Open {
		w.opened -= len(d.Text)
		delete(w.docs, d.URI)
		w.seen = nil
	}
	w.mu.Unlock()
	w.reread(uri)
}

// reread reads the file of a document that is not open.
func (w *workspace) reread(uri string) {
	path := pathOf(uri)
	w.mu.RLock()
	old, folders := w.docs[normal(uri)], slices.Clone(w.folders)
	w.mu.RUnlock()
	if path == "" || old != nil && old.Open || !isPlanning(path) || !slices.ContainsFunc(folders, func(f string) bool { return within(path, f) }) {
		return
	}
	if _, err := os.Lstat(path); err == nil && !slices.ContainsFunc(folders, func(f string) bool { return leadsTo(f, path) }) {
		return
	}
	d, err := readDocument(path)
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.docs[normal(uri)]; now != nil && now.Open {
		return
	}
	w.seen = nil
	if delete(w.docs, normal(uri)); err == nil && len(w.docs) < maxFiles {
		w.docs[d.URI] = d
	}
}

func (w *workspace) addFolder(uri string) {
	if path := pathOf(uri); path != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !slices.Contains(w.folders, path) {
			w.folders = append(w.folders, path)
		}
	}
}

func (w *workspace) removeFolder(uri string) {
	path := pathOf(uri)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = nil
	w.folders = slices.DeleteFunc(w.folders, func(f string) bool { return f == path })
	for uri, d := range w.docs {
		if !d.Open && !slices.ContainsFunc(w.folders, func(f string) bool { return within(d.Path, f) }) {
			delete(w.docs, uri)
		}
	}
}

// within reports whether a path is in a folder.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}

// leadsTo reports whether a path is in a folder and no link below the folder is on the way to it.
func leadsTo(folder, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	root, err2 := filepath.EvalSymlinks(folder)
	return err == nil && err2 == nil && within(path, folder) && real == filepath.Join(root, strings.TrimPrefix(path, folder))
}

// scan reads the files of the folders and returns what the user should know.
func (w *workspace) scan(ctx context.Context) (warnings []string) {
	w.mu.Lock()
	w.scans++
	folders := slices.Clone(w.folders)
	w.mu.Unlock()
	var n counts
	for _, folder := range folders {
		w.scanFolder(ctx, folder, &n)
	}
	if n.full() {
		n.beyond = true
		warnings = append(warnings, fmt.Sprintf("the workspace is too large: names are only looked up in the first %d PDDL files of at most %d MB together", maxFiles, maxTotal>>20))
	}
	w.mu.Lock()
	w.scans--
	w.beyond = n.beyond
	w.mu.Unlock()
	return warnings
}

// counts is what a scan has seen.
type counts struct {
	entries, files int
	bytes          int64
	beyond         bool // a file was left out
}

func (n *counts) full() bool {
	return n.entries > maxEntries || n.files > maxFiles || n.bytes > maxTotal
}

func (w *workspace) scanFolder(ctx context.Context, folder string, n *counts) {
	filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		n.entries++
		switch {
		case ctx.Err() != nil || n.full():
			return fs.SkipAll
		case err != nil:
			return nil // what cannot be read is not there
		case e.IsDir() && path != folder && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return fs.SkipDir
		case !e.Type().IsRegular() || !isPlanning(path):
			return nil
		}
		n.files++
		info, err := e.Info()
		if err != nil {
			return nil
		}
		if info.Size() > maxClosed {
			n.beyond = true
			return nil
		}
		n.bytes += info.Size()
		w.addFile(path)
		return nil
	})
}

// incomplete reports whether there are files that were not looked into, or not yet.
func (w *workspace) incomplete() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.beyond || w.scans > 0
}

func (w *workspace) addFile(path string) {
	if w.get(uriOf(path)) != nil {
		return
	}
	d, err := readDocument(path)
	if err != nil {
		return
	}
	d.Kind() // reads it, before others wait for that
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.docs[d.URI] == nil {
		w.docs[d.URI], w.seen = d, nil
	}
}

func readDocument(path string) (*Document, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxClosed {
		return nil, fmt.Errorf("%s is no file of at most %d MB", path, maxClosed>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	// Editors count columns without the byte order mark.
	return newDocument(uriOf(path), "", 0, strings.TrimPrefix(string(text), rowjson.BOM), false), nil
}

// isPlanning reports whether a file holds PDDL or a plan, by its name.
func isPlanning(path string) bool { return project.IsPDDL(path) || project.ProblemOfPlan(path) != "" }
