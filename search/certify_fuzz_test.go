package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/certificate"
)

// FuzzCertificate feeds the reader and the checker bytes under the right task and a right
// checksum. Nothing may panic or take much memory, and what is accepted must be true.
func FuzzCertificate(f *testing.F) {
	files, err := filepath.Glob("testdata/*.sas")
	if err != nil || len(files) == 0 {
		f.Fatalf("no tasks: %v", err)
	}
	var tasks []*grounder.Task
	var optimum []int64
	for i, name := range files {
		task := tasktest.ReadSAS(f, name)
		tasks = append(tasks, task)
		optimum = append(optimum, tasktest.Enumerate(task).Cost[0])
		for _, s := range []string{"astar(blind())", "astar(lmcut())", "astar(pdb(states=10))"} {
			_, c := certify(f, task, s)
			if c == nil {
				continue
			}
			var file bytes.Buffer
			if err := certificate.Write(&file, task, c.Certificate); err != nil {
				f.Fatal(err)
			}
			f.Add(byte(i), file.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		i := int(which) % len(tasks)
		if len(data) < 110 {
			return
		}
		data = bytes.Clone(data)
		hash := certificate.TaskHash(tasks[i])
		copy(data[8:], hash[:])
		body := data[:len(data)-4]
		binary.LittleEndian.PutUint32(data[len(body):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		rd, err := certificate.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		c, err := rd.Read(context.Background(), tasks[i], 1<<20)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := certificate.Check(ctx, tasks[i], c, 1<<20); err == nil && c.Bound > optimum[i] {
			t.Fatalf("%s: a bound of %d is accepted, the optimum is %d", files[i], c.Bound, optimum[i])
		}
	})
}
