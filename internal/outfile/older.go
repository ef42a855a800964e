package outfile

import "os"

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
