package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestReadersOfANewStore: whoever looks while a store is made sees none or a whole one.
func TestReadersOfANewStore(t *testing.T) {
	for range 15 {
		path := filepath.Join(t.TempDir(), "new.db")
		made := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for over := false; !over; {
					select {
					case <-made:
						over = true
					default:
					}
					s, err := OpenReadOnly(path)
					if err == nil {
						s.Close()
					} else if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, ErrNotAStore) {
						t.Error(err)
						return
					}
				}
			})
		}
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		close(made)
		readers.Wait()
		s.Close()
	}
}
