package extract

import (
	"fmt"
	"hash/fnv"
	"io"
	"runtime"
	"strings"
	"sync"
)

// What TestAblation adds to the package.

const ablationSites = 1 << 13

var (
	ablationActive    int // the site that is off, 0 for none
	ablationSaid      [ablationSites]bool
	ablationTurns     int // turns of loops that are left
	ablationRecords   []ablationRecord
	ablationKnown     = map[ablationKey]bool{}
	ablationLock      sync.Mutex
	ablationRecording = true
)

type ablationKey struct {
	reader any
	text   string
}

type ablationRecord struct {
	ablationKey
	from string
	want uint64
}

func ablationOff(id int) bool {
	ablationSaid[id] = true
	return id == ablationActive
}

func ablationFalse(id int, said bool) bool {
	if said {
		ablationSaid[id] = true
	}
	return said && id != ablationActive
}

func ablationTrue(id int, said bool) bool {
	if !said {
		ablationSaid[id] = true
	}
	return said || id == ablationActive
}

func ablationTurn() {
	if ablationTurns--; ablationTurns == 0 {
		panic("a loop does not end")
	}
}

// ablationNote notes what a reader reads, and for which test.
func ablationNote(reader any, text string) {
	if !ablationRecording {
		return
	}
	ablationLock.Lock()
	defer ablationLock.Unlock()
	key := ablationKey{reader, text}
	if ablationKnown[key] {
		return
	}
	ablationKnown[key] = true
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	from := ""
	for {
		f, more := frames.Next()
		if k := strings.LastIndex(f.Function, ".Test"); k >= 0 {
			from, _, _ = strings.Cut(f.Function[k+1:], ".")
		}
		if !more {
			break
		}
	}
	if from != "" {
		ablationRecords = append(ablationRecords, ablationRecord{key, from, 0})
	}
}

func (r *Reader) Extract(text string) Extraction {
	ablationNote(r, text)
	return r.ablatedExtract(text)
}

func (s *StateReader) Read(text string) StateReading {
	ablationNote(s, text)
	return s.ablatedRead(text)
}

func (v *VerdictReader) Read(text string) VerdictReading {
	ablationNote(v, text)
	return v.ablatedRead(text)
}

// read returns a number for what is read.
func (a *ablationRecord) read() (sum uint64) {
	ablationTurns = 1 << 24
	defer func() {
		if recover() != nil {
			sum = 1
			outlines = sync.Pool{New: outlines.New}
		}
	}()
	h := fnv.New64a()
	switch r := a.reader.(type) {
	case *Reader:
		x := r.ablatedExtract(a.text)
		io.WriteString(h, string(x.Status)+"|"+x.Reading+"|"+string(x.Confidence)+"|"+x.Unfinished)
		for _, s := range x.Plan {
			io.WriteString(h, s+"\n")
		}
		for _, m := range x.Malformed {
			io.WriteString(h, m.Text)
			h.Write([]byte{byte(m.Line), byte(m.Step)})
		}
		for _, l := range x.Lines {
			h.Write([]byte{byte(l)})
		}
		for _, y := range x.Alternatives {
			io.WriteString(h, strings.Join(y, "+"))
		}
		h.Write([]byte{map[bool]byte{true: 1}[x.ClaimsUnsolvable]})
	case *StateReader:
		fmt.Fprint(h, r.ablatedRead(a.text))
	case *VerdictReader:
		fmt.Fprint(h, r.ablatedRead(a.text))
	}
	return h.Sum64()
}
