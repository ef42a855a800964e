package space

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

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
