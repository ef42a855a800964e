package extract

import (
	"crypto/sha256"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/pddltest"
)

// knownDifferences are rows of the corpus on which the trusted verdict and ours
// differ, with who is right and why.
var knownDifferences = map[string]string{
	"lpa/blocksworld_3/llama-3.1-405b_aws/t1-zero/60":         "ours: \"stack X on Y is not correct, put down X\" takes a step back and names another; the corpus drops both",
	"lpa/mystery_blocksworld/o1-preview_chat/t1-zero-run2/58": "ours: \"feast b from d (again)\" is a step with a remark; the corpus calls it malformed",
}

// TestCorpusPlanbench checks the verdicts on real answers of many models: they
// must agree with the trusted verdict on 99.9 % of the rows that have one reading.
func TestCorpusPlanbench(t *testing.T) {
	rows := pddltest.PlanBenchRows(t)
	tasks := newPlanbenchTasks(t)
	var total, agree, samePlan [2]int
	for i := range rows {
		row := &rows[i]
		if row.Valid == nil || row.Ambiguous {
			continue
		}
		k := tasks.task(t, row)
		x := k.reader.Extract(row.Response)
		valid := k.valid(t, row.Response)
		// Half the rows were not looked at while the rules were made.
		sum := sha256.Sum256([]byte(row.ID))
		half := int(sum[0] & 1) // 1: not looked at
		total[half]++
		if equalPlans(x.Plan, row.Plan) && (len(x.Malformed) > 0) == (len(row.Malformed) > 0) {
			samePlan[half]++
		}
		if valid == *row.Valid {
			agree[half]++
			continue
		}
		if why, ok := knownDifferences[row.ID]; ok {
			t.Logf("known difference: %s: %s", row.ID, why)
		} else {
			t.Logf("MISS %s: trusted %v, ours %v (%s, %s) %v %v; %s", row.ID, *row.Valid, valid, x.Status, x.Reading, x.Plan, x.Malformed, row.Note)
		}
	}
	n, ok := total[0]+total[1], agree[0]+agree[1]
	if n == 0 {
		t.Skip("no rows with a verdict")
	}
	for h := range total {
		t.Logf("half %d: %d of %d verdicts agree, %d plans equal", h, agree[h], total[h], samePlan[h])
	}
	if share := float64(ok) / float64(n); share < 0.999 {
		t.Errorf("%d of %d verdicts agree (%.4f), want at least 0.999", ok, n, share)
	}
}

// TestCorpusInvariance: changes that do not change what an answer says do not
// change its verdict.
func TestCorpusInvariance(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the corpus a dozen times")
	}
	rows := pddltest.PlanBenchRows(t)
	tasks := newPlanbenchTasks(t)
	number := regexp.MustCompile(`(?m)^(\s*\**)(\d+)\. `)
	colour := regexp.MustCompile(`(red|blue|orange|yellow|white|magenta|black|cyan|green|violet|silver|gold) block`)
	changes := []struct {
		name   string
		change func(string) string
	}{
		{"other line ends", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{"trailing spaces", func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") }},
		{"chat after", func(s string) string { return s + "\n\nI hope this helps! Let me know if you want more detail." }},
		{"other numbers", func(s string) string { return number.ReplaceAllString(s, "$1$2) ") }},
		{"step numbers", func(s string) string { return number.ReplaceAllString(s, "${1}Step $2: ") }},
		{"indented", func(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }},
		{"quoted", func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }},
		{"no articles", func(s string) string { return strings.ReplaceAll(s, "the ", "") }},
		{"no nouns", func(s string) string { return colour.ReplaceAllString(s, "$1") }},
		{"double-spaced", func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") }},
		{"upper case", strings.ToUpper},
		{"said twice", func(s string) string { return s + "\n\nFinal answer:\n\n" + s }},
		{"in an answer tag", func(s string) string { return "I thought about it.\n<answer>\n" + s + "\n</answer>" }},
	}
	for i := range rows {
		row := &rows[i]
		if row.Valid == nil || row.Ambiguous {
			continue
		}
		k := tasks.task(t, row)
		if k.reader.Extract(row.Response).Unfinished != "" {
			continue // it matters that nothing follows
		}
		want := k.valid(t, row.Response)
		for _, c := range changes {
			if got := k.valid(t, c.change(row.Response)); got != want {
				t.Errorf("%s, %s: %v, was %v", row.ID, c.name, got, want)
			}
		}
	}
}

func equalPlans(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// BenchmarkExtractCorpus reads all answers of the corpus: once, with readers that have
// not read anything before, and again and again, as answers to the same tasks are; and once
// on all processors, collecting as seldom as the commands that read many rows do.
func BenchmarkExtractCorpus(b *testing.B) {
	rows := pddltest.PlanBenchRows(b)
	tasks := newPlanbenchTasks(b)
	readers := make([]*Reader, len(rows))
	size := 0
	for i := range rows {
		readers[i] = tasks.task(b, &rows[i]).reader
		size += len(rows[i].Response)
	}
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "once", true: "again"}[again], func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			// Processor time too: elapsed time says little on a machine that is shared.
			var spent time.Duration
			for b.Loop() {
				if !again {
					outlines = sync.Pool{New: outlines.New}
				}
				start := cpuTime()
				for i := range rows {
					readers[i].Extract(rows[i].Response)
				}
				spent += cpuTime() - start
			}
			b.ReportMetric(float64(size)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
		})
	}
	b.Run("cores", func(b *testing.B) {
		defer debug.SetGCPercent(debug.SetGCPercent(200))
		b.SetBytes(int64(size))
		for b.Loop() {
			outlines = sync.Pool{New: outlines.New}
			var next atomic.Int64
			var all sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				all.Go(func() {
					const some = 64
					for from := int(next.Add(some)) - some; from < len(rows); from = int(next.Add(some)) - some {
						for i := from; i < min(from+some, len(rows)); i++ {
							readers[i].Extract(rows[i].Response)
						}
					}
				})
			}
			all.Wait()
		}
	})
}

// cpuTime is the processor time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
