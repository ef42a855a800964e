package space

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/planproof/planproof/grounder"
)

// LoadTable opens the table of task t at path. The file is mapped into memory where the
// system can (small ones are read), so that look-ups touch the pages they need and the heap
// stays small; it must not be changed in place meanwhile (Save replaces it, which is safe).
// The whole file is checked against its sums first. A damaged file and, with ErrOtherTask,
// the table of another task are refused.
func LoadTable(path string, t *grounder.Task) (*Table, error) {
	sim, err := NewSimulator(t)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	words, mapped, err := openWords(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tab, err := newFileTable(sim, words)
	if err != nil {
		if mapped {
			unmapWords(words)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tab.adopt(words, mapped)
	return tab, nil
}

// maxTableFile keeps sizes far from overflow.
const maxTableFile = 1 << 46

// openWords returns the content of a file as 64-bit words.
func openWords(f *os.File) (words []uint64, mapped bool, err error) {
	if !littleEndian() {
		return nil, false, errors.New("tables can be loaded on little-endian machines only")
	}
	info, err := f.Stat()
	switch size := info.Size(); {
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, errors.New("a table is a regular file")
	case size < tableFixed || size%8 != 0 || size > maxTableFile:
		head := make([]byte, len(tableMagic))
		if n, _ := f.ReadAt(head, 0); n == len(head) && string(head[:7]) == tableFamily && string(head) != tableMagic {
			return nil, false, errOtherVersion
		}
		return nil, false, errDamaged
	case size >= mapFrom:
		if words, err := mapWords(f, size); err == nil {
			return words, true, nil
		}
	}
	words = make([]uint64, info.Size()/8)
	if _, err := io.ReadFull(f, bytesOf(words)); err != nil {
		return nil, false, err
	}
	return words, false, nil
}

// mapFrom is the size from which a file is mapped: the system bounds the number of
// mappings, and below a few pages reading costs no more.
const mapFrom = 1 << 16

func littleEndian() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
}

// newFileTable makes a table of the words of a file.
func newFileTable(sim *Simulator, words []uint64) (*Table, error) {
	all := bytesOf(words)
	switch magic := string(all[:8]); {
	case magic == tableMagic:
	case magic[:7] == tableFamily:
		return nil, errOtherVersion
	default:
		return nil, errDamaged
	}
	blocks := (len(all) - 8 + tableBlock + 7) / (tableBlock + 8)
	data := len(all) - 8 - 8*blocks
	if data < tableFixed || !sumsAgree(all, data) {
		return nil, errDamaged
	}
	if [32]byte(all[8:40]) != TaskHash(sim.sys.Task) {
		return nil, ErrOtherTask
	}
	h := words[5:15]
	t := &Table{
		Simulator: sim,
		States:    int64(h[1]), Edges: int64(h[2]), GoalStates: int64(h[3]), DeadEnds: int64(h[4]), unit: int64(h[5]),
	}
	w, n, kind, slots, depths, text := h[0], h[1], h[6], h[7], h[8], h[9]
	// Each length is bounded by the file before lengths are added up.
	left := uint64(data) / 4
	if w != uint64(sim.sys.Packer.Words()) || n == 0 || n > math.MaxUint32 || n > left/w || slots <= n || slots > left || depths == 0 || depths > left || text > uint64(data) {
		return nil, errDamaged
	}
	if kind != 0 && kind != 4 && kind != 8 {
		return nil, errDamaged
	}
	size := tableFixed + 8*depths + uint64(aligned(int64(text))) + 8*slots + 8*w*n + uint64(aligned(int64(4*n))+aligned(int64(kind*n)))
	if size != uint64(data) {
		return nil, errDamaged
	}
	rest := words[tableFixed/8 : data/8]
	part := func(k uint64) []uint64 {
		p := rest[:k:k]
		rest = rest[k:]
		return p
	}
	t.PerDepth = make([]int64, depths)
	for i, k := range part(depths) {
		t.PerDepth[i] = int64(k)
	}
	t.OptimalPlans = string(bytesOf(part(uint64(aligned(int64(text))) / 8))[:text])
	t.states = &fileStates{words: int(w), index: part(slots), rows: part(w * n)}
	t.steps = halves(part((n+1)/2), n)
	switch kind {
	case 4:
		t.cost32 = halves(part((n+1)/2), n)
	case 8:
		t.cost64 = part(n)
	}
	if id, ok := t.states.Find(sim.sys.Initial()); !ok || id != 0 {
		return nil, errDamaged
	}
	return t, nil
}

// halves views words as n 32-bit integers.
func halves(words []uint64, n uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// sumsAgree checks the sums behind the first data bytes, on all processors.
func sumsAgree(all []byte, data int) bool {
	sums := all[data:]
	end := len(sums) - 8
	if xxhash.Sum64(sums[:end]) != leUint64(sums[end:]) {
		return false
	}
	var next, wrong atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), end/8) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				b := int(next.Add(1)) - 1
				if b >= end/8 || wrong.Load() != 0 {
					return
				}
				if xxhash.Sum64(all[b*tableBlock:min((b+1)*tableBlock, data)]) != leUint64(sums[8*b:]) {
					wrong.Store(1)
				}
			}
		}()
	}
	wg.Wait()
	return wrong.Load() == 0
}

func leUint64(b []byte) uint64 { return *(*uint64)(unsafe.Pointer(unsafe.SliceData(b))) }

// adopt makes the table own its file: a mapping lives as long as the table, which all
// methods that read it keep alive.
func (t *Table) adopt(words []uint64, mapped bool) {
	if mapped {
		runtime.AddCleanup(t, func(words []uint64) { unmapWords(words) }, words)
		return
	}
	t.states.(*fileStates).held = int64(len(words)) * 8
}
