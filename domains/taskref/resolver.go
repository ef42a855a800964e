package taskref

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/lru"
	"github.com/planproof/planproof/pddl"
)

// Key is a task by content: the names and the texts of its two files. The names belong
// to it since messages carry them.
type Key struct {
	DomainName, Domain, ProblemName, Problem string
}

// Inline is the task with these texts, as a row or a request brings them.
func Inline(domain, problem string) Key {
	return Key{"domain_text", domain, "problem_text", problem}
}

// KeyOf is the task of two sources.
func KeyOf(domain, problem *pddl.Source) Key {
	return Key{domain.Name, domain.Text, problem.Name, problem.Text}
}

// Hash is the SHA-256 of the task: of the domain's text, a zero byte and the problem's text.
func (k Key) Hash() (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(k.Domain))
	h.Write([]byte{0})
	h.Write([]byte(k.Problem))
	h.Sum(sum[:0])
	return sum
}

// Sum names the task by content: "sha256:" and its hash in hexadecimal digits.
func (k Key) Sum() string {
	sum := k.Hash()
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Sum names the task with these texts by content, see [Key.Sum].
func Sum(domain, problem string) string { return Inline(domain, problem).Sum() }

// Bytes is the length of the names and texts.
func (k Key) Bytes() int64 {
	return int64(len(k.DomainName) + len(k.Domain) + len(k.ProblemName) + len(k.Problem))
}

// PartError is why a domain or a problem has no text.
type PartError struct {
	Part string // "domain" or "problem"
	Err  error  // of reading its file; nil if nothing names it
}

// Error implements error.
func (e *PartError) Error() string {
	if e.Err == nil {
		return "no " + e.Part
	}
	return e.Part + " " + e.Err.Error()
}

// Unwrap returns the error of reading the file.
func (e *PartError) Unwrap() error { return e.Err }

// Options of a [Resolver].
type Options struct {
	// Dir is where relative paths start; "" is the working directory.
	Dir string
	// MaxFile bounds a file and CacheBytes, each for itself, the texts of files, the parsed
	// domains and the bundled tasks that are kept.
	MaxFile, CacheBytes int64
	// ShortNames calls inline texts "domain" and "problem" in messages, not "domain_text" and
	// "problem_text".
	ShortNames bool
	// Read reads a file; nil refuses what is no regular file or longer than MaxFile.
	Read func(path string) (string, error)
}

// Resolver finds the texts of tasks and parses them. It keeps the texts of files, bundled
// tasks and parsed domains, so that a thousand rows about one task read and parse its domain
// once. It may be used by any number of goroutines.
type Resolver struct {
	opt     Options
	domains *lru.Cache[domainKey, parsedDomain]
	named   *lru.Cache[string, namedTask]
	files   fileCache
}

// domainKey is all that a parsed domain depends on.
type domainKey struct {
	name, text string
	opt        pddl.Options
}

type parsedDomain struct {
	domain *pddl.Domain
	diags  pddl.Diagnostics
}

// namedTask is what the name of a bundled task stands for.
type namedTask struct {
	key Key
	err error
}

// NewResolver returns a resolver that has nothing in its caches.
func NewResolver(opt Options) *Resolver {
	return &Resolver{
		opt:     opt,
		domains: lru.New[domainKey, parsedDomain](opt.CacheBytes, func(k domainKey, _ parsedDomain) int64 { return 1<<14 + 8*int64(len(k.text)) }),
		named:   lru.New[string, namedTask](opt.CacheBytes, func(name string, t namedTask) int64 { return 1<<10 + int64(len(name)) + t.key.Bytes() }),
	}
}

// Resolve finds the task that ref names. Files are as they were at a time or later; the zero
// time is now.
func (r *Resolver) Resolve(ref Ref, at time.Time) (Key, error) {
	switch {
	case ref.IsZero():
		return Key{}, errors.New("no task: neither domain and problem, nor their text, nor the name of a bundled task")
	case ref.DomainText != "" && ref.ProblemText != "":
		if r.opt.ShortNames {
			return Key{"domain", ref.DomainText, "problem", ref.ProblemText}, nil
		}
		return Inline(ref.DomainText, ref.ProblemText), nil
	case ref.Task != "":
		return r.Bundled(ref.Task)
	case ref.Domain != "" && ref.Problem == "" && ref.ProblemText == "" && domains.IsName(ref.Domain):
		return r.Bundled(ref.Domain)
	}
	return r.Parts(ref, at)
}

// Bundled is the bundled task with a name.
func (r *Resolver) Bundled(name string) (Key, error) {
	t := r.named.Get(name, func() (t namedTask) {
		d, p, err := domains.Load(name)
		if err != nil {
			return namedTask{err: err}
		}
		return namedTask{key: KeyOf(d, p)}
	})
	return t.key, t.err
}

// Parts is the task of a domain and a problem, each a text or a file. The error is a
// [PartError].
func (r *Resolver) Parts(ref Ref, at time.Time) (key Key, err error) {
	key.DomainName, key.Domain, err = r.text(ref.Domain, ref.DomainText, "domain", at)
	if err == nil {
		key.ProblemName, key.Problem, err = r.text(ref.Problem, ref.ProblemText, "problem", at)
	}
	return key, err
}

// text returns inline text or reads a file.
func (r *Resolver) text(path, inline, part string, at time.Time) (name, text string, err error) {
	switch {
	case inline != "" && r.opt.ShortNames:
		return part, inline, nil
	case inline != "":
		return part + "_text", inline, nil
	case path == "":
		return "", "", &PartError{part, nil}
	}
	full := path
	if r.opt.Dir != "" && !filepath.IsAbs(full) {
		full = filepath.Join(r.opt.Dir, full)
	}
	if text, err = r.files.text(full, &r.opt, at); err != nil {
		return "", "", &PartError{part, err}
	}
	return path, text, nil
}

// domain parses a domain once, whoever asks for it. The diagnostics are shared. The error is that of ctx, if it ends
// before.
func (r *Resolver) domain(ctx context.Context, name, text string, opt pddl.Options) (*pddl.Domain, pddl.Diagnostics, error) {
	p, err := r.domains.GetContext(ctx, domainKey{name, text, opt}, func() (p parsedDomain, err error) {
		p.domain, p.diags, err = pddl.ParseDomainContext(ctx, pddl.NewSource(name, text), opt)
		return p, err
	})
	return p.domain, p.diags, err
}

// Parse parses a task. The diagnostics are those of the domain and then of the problem,
// which is nil if one of them has errors.
func (r *Resolver) Parse(key Key, opt pddl.Options) (*pddl.Problem, pddl.Diagnostics) {
	p, diags, _ := r.ParseContext(context.Background(), key, opt)
	return p, diags
}

// ParseContext is Parse that ends soon after ctx does, with its error; nothing is kept then of what was not finished.
func (r *Resolver) ParseContext(ctx context.Context, key Key, opt pddl.Options) (*pddl.Problem, pddl.Diagnostics, error) {
	d, diags, err := r.domain(ctx, key.DomainName, key.Domain, opt)
	if err != nil {
		return nil, nil, err
	}
	p, more, err := pddl.ParseProblemContext(ctx, pddl.NewSource(key.ProblemName, key.Problem), d, opt)
	if err != nil {
		return nil, nil, err
	}
	if diags.HasErrors() {
		p = nil
	}
	return p, append(diags[:len(diags):len(diags)], more...), nil
}

// fileCache keeps the texts of files. A file whose size or time has changed is read again.
type fileCache struct {
	mu    sync.Mutex
	files map[string]cachedFile
	bytes int64
}

// cachedFile is a file as it was. A pipe can be read only once, so only its existence is
// compared.
type cachedFile struct {
	text string
	mode fs.FileMode
	size int64
	time time.Time
	seen time.Time // when the file was such
}

// text returns the text of a file as it was at a time or later; the zero time is now.
func (c *fileCache) text(path string, opt *Options, at time.Time) (string, error) {
	c.mu.Lock()
	f, ok := c.files[path]
	c.mu.Unlock()
	if ok && !at.IsZero() && f.seen.After(at) {
		return f.text, nil
	}
	is := cachedFile{seen: time.Now()}
	info, err := os.Stat(path)
	if err != nil && opt.Read == nil {
		return "", err
	}
	if err == nil {
		if is.mode = info.Mode(); is.mode.IsRegular() {
			is.size, is.time = info.Size(), info.ModTime()
		}
		if ok && f.mode == is.mode && f.size == is.size && f.time.Equal(is.time) {
			f.seen = is.seen
			c.mu.Lock()
			defer c.mu.Unlock()
			if _, ok := c.files[path]; ok {
				c.files[path] = f
			}
			return f.text, nil
		}
	}
	if opt.Read != nil {
		is.text, err = opt.Read(path)
	} else {
		is.text, err = ReadRegular(path, info, opt.MaxFile, func() (*os.File, error) { return os.Open(path) })
	}
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += int64(len(is.text)); c.bytes > opt.CacheBytes || c.files == nil {
		c.files, c.bytes = map[string]cachedFile{}, int64(len(is.text))
	}
	c.files[path] = is
	return is.text, nil
}

// ReadRegular reads what open opens, a file with a path and info: it must be a regular one of
// at most limit bytes.
func ReadRegular(path string, info fs.FileInfo, limit int64, open func() (*os.File, error)) (string, error) {
	switch {
	case !info.Mode().IsRegular():
		// A pipe or a device could block for ever or never end.
		return "", fmt.Errorf("%s: not a regular file", path)
	case info.Size() > limit:
		return "", fmt.Errorf("%s: %d bytes, more than %d", path, info.Size(), limit)
	}
	file, err := open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, io.LimitReader(file, limit)); err != nil {
		return "", err
	}
	return b.String(), nil
}
