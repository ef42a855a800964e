package trim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestUnchanged: only mappings of files that hold no page of their own, and cannot, are dropped.
func TestUnchanged(t *testing.T) {
	entry := func(head, anonymous, swap string) string {
		return head + "\nSize:                  4 kB\nRss:                   4 kB\nAnonymous:             " + anonymous +
			" kB\nSwap:                  " + swap + " kB\nVmFlags: rd ex mr mw me\n"
	}
	smaps := "003f0000-00400000 r--p 00000000 fe:00 1234                               /usr/bin/unknown\nSize:    4 kB\n" +
		entry("00400000-01616000 r-xp 00000000 fe:00 1234                               /usr/bin/planproof", "0", "0") +
		entry("01616000-028a3000 r--p 01216000 fe:00 1234                               /usr/bin/planproof", "0", "0") +
		entry("028a3000-029aa000 rw-p 024a3000 fe:00 1234                               /usr/bin/planproof", "0", "0") +
		entry("029aa000-04000000 r--p 00000000 00:00 0 ", "0", "0") +
		entry("7f0000000000-7f0000001000 r--p 00000000 fe:00 99                         /lib/relocated.so", "4", "0") +
		entry("7f0000001000-7f0000002000 r--p 00000000 fe:00 99                         /lib/swapped.so", "0", "4") +
		entry("7f0000002000-7f0000003000 r--s 00000000 fe:00 98                         /tmp/shared", "0", "0") +
		entry("7ffe00000000-7ffe00001000 r-xp 00000000 00:00 0                          [vdso]", "0", "0") +
		entry("7f0000004000-7f0000006000 r--p 00000000 fe:00 97                         /lib/a name with (deleted)", "0", "0") +
		entry("7f0000006000-7f0000007000 r-xp 00000000 fe:00 97                         /lib/last.so", "0", "0")
	var got []string
	for _, m := range unchanged([]byte(smaps)) {
		got = append(got, fmt.Sprintf("%p+%x", &m[0], len(m)))
	}
	if want := "0x400000+1216000 0x1616000+128d000 0x7f0000006000+1000"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSmall: only solve is small.
func TestSmall(t *testing.T) {
	for line, want := range map[string]bool{
		"planproof\x00solve\x00d.pddl\x00p.pddl\x00": true, "planproof\x00solve\x00": true,
		"planproof\x00": false, "planproof\x00serve\x00": false, "": false, "solve\x00": false,
	} {
		if small([]byte(line)) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

// TestProgram: a program whose pages are dropped goes on, and holds less of its file.
func TestProgram(t *testing.T) {
	before := program
	defer func() { program = before }()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	if program = unchanged(smaps); len(program) < 2 {
		t.Fatalf("%d mappings", len(program))
	}
	held := fileKB(t)
	Program()
	if now := fileKB(t); now > held-512 {
		t.Errorf("%d KB of files are resident, %d before", now, held)
	}
}

// fileKB is what is resident of files.
func fileKB(t *testing.T) (kb int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscanf(rest, "%d", &kb); !ok || err != nil {
		t.Fatalf("%v in %s", err, status)
	}
	return kb
}

// TestSingle: where the kernel maps single pages, a touch brings one page of a file that is cached, and not its neighbours.
func TestSingle(t *testing.T) {
	const size = 1 << 20
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	if !Single([][]byte{m}) {
		t.Skip("this kernel does not, or is not allowed to")
	}
	if sum := m[size/2] + m[size/4]; sum != 0 {
		t.Error(sum)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, entry, _ := strings.Cut(string(smaps), fmt.Sprintf("%x-%x ", uintptr(unsafe.Pointer(&m[0])), uintptr(unsafe.Pointer(&m[0]))+size))
	_, rest, ok := strings.Cut(entry, "\nRss:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); !ok || err != nil {
		t.Fatalf("%v in %s", err, entry)
	}
	if want := 2 * os.Getpagesize() >> 10; kb != want {
		t.Errorf("%d KB are resident after two touches, want %d", kb, want)
	}
	if Single(nil) {
		t.Error("no memory, and yet")
	}
}
