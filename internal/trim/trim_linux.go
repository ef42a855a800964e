package trim

import (
	"bytes"
	"syscall"
	"unsafe"
)

const noHugePages = 15 // MADV_NOHUGEPAGE, missing in package syscall

// program has the unchanged mappings of files. It is empty unless the command is to be small.
var program [][]byte

func init() {
	if !small(read("/proc/self/cmdline")) {
		return
	}
	program = unchanged(read("/proc/self/smaps"))
	for _, m := range program {
		_ = syscall.Madvise(m, noHugePages) // else what is touched comes back by two megabytes
	}
	Single(program)
	Program()
}

// small reports whether a command line, each of its words ended by a zero, is of a command that is to be small.
func small(line []byte) bool {
	words := bytes.SplitN(line, []byte{0}, 3)
	return len(words) == 3 && string(words[1]) == "solve"
}

// Program drops the pages of the program's file. Those that are needed again are mapped again when they are touched.
func Program() {
	for _, m := range program {
		_ = syscall.Madvise(m, syscall.MADV_DONTNEED)
	}
}

// unchanged returns the mappings of files in /proc/self/smaps that cannot be written to and hold no page of their own:
// dropping others would lose what was written, by the dynamic linker or a debugger.
func unchanged(smaps []byte) (found [][]byte) {
	var m []byte
	var known, changed bool
	add := func() {
		if m != nil && known && !changed {
			found = append(found, m)
		}
	}
	for line := range bytes.Lines(smaps) {
		// A mapping begins with an address in lower case, what is said of it with a name.
		switch {
		case line[0] >= '0' && line[0] <= '9' || line[0] >= 'a' && line[0] <= 'f':
			add()
			m, known, changed = mapping(bytes.Fields(line)), false, false
		case m != nil && bytes.HasPrefix(line, []byte("Anonymous:")):
			known = true
			changed = changed || !zero(line)
		case m != nil && bytes.HasPrefix(line, []byte("Swap:")):
			changed = changed || !zero(line)
		}
	}
	add()
	return found
}

// zero reports whether a line is "name: 0 kB".
func zero(line []byte) bool {
	words := bytes.Fields(line)
	return len(words) == 3 && string(words[1]) == "0"
}

// mapping is the memory of a line "start-end permissions offset device inode path", nil unless it is private, of a file,
// and not to be written to.
func mapping(words [][]byte) []byte {
	if len(words) != 6 {
		return nil
	}
	if p := string(words[1]); p != "r--p" && p != "r-xp" || words[5][0] != '/' {
		return nil
	}
	from, to, _ := bytes.Cut(words[0], []byte("-"))
	start, end := hex(from), hex(to)
	if start == 0 || end <= start {
		return nil
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), end-start)
}

// hex is the value of a hexadecimal number.
func hex(digits []byte) (n uintptr) {
	for _, d := range digits {
		n = n<<4 | uintptr(bytes.IndexByte([]byte("0123456789abcdef"), d))
	}
	return n
}

// read returns a file, without package os: that is initialized later.
func read(path string) []byte {
	f, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(f)
	text := make([]byte, 0, 64<<10)
	for len(text) < cap(text) {
		n, err := syscall.Read(f, text[len(text):cap(text)])
		if n <= 0 || err != nil {
			break
		}
		text = text[:len(text)+n]
	}
	return text
}
