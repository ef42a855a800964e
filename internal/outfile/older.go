package outfile

import (
	"fmt"
	"os"
	"sync"
)

// An Older is a file that was there before the work that is to replace it.
type Older struct {
	Path   string // as the user gave it
	target string
	info   os.FileInfo
}

// FindOlder returns the regular files that are already at some paths.
func FindOlder(paths ...string) (olds []Older) {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		target, mode, err := Target(path)
		if err != nil || !mode.IsRegular() {
			continue
		}
		if info, err := os.Stat(target); err == nil {
			olds = append(olds, Older{path, target, info})
		}
	}
	return olds
}

// Still reports whether the file has not been replaced or written since.
func (o *Older) Still() bool {
	now, err := os.Stat(o.target)
	return err == nil && os.SameFile(now, o.info) && now.ModTime().Equal(o.info.ModTime())
}

// Remove removes the file.
func (o *Older) Remove() error { return os.Remove(o.target) }

// Stale are older outputs that go when the work ends without writing them, since a reader would
// take them for the answer. It may be used by several goroutines.
type Stale struct {
	mu   sync.Mutex
	olds []Older
}

// Add notes the file that is at a path now, if there is one.
func (s *Stale) Add(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.olds = append(s.olds, FindOlder(path)...)
}

// Remove removes the files that are still the older ones, or keeps them, and tells of each. Each
// is looked at once.
func (s *Stale) Remove(keep bool, tell func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.olds {
		if !o.Still() {
			continue
		}
		if keep {
			tell(fmt.Errorf("%s is older and not the answer; --keep-old keeps it", o.Path))
		} else if err := o.Remove(); err != nil {
			tell(fmt.Errorf("%s is older and not the answer, and cannot be removed: %w", o.Path, err))
		} else {
			tell(fmt.Errorf("%s was older and not the answer; it is removed", o.Path))
		}
	}
	s.olds = nil
}
