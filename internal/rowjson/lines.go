package rowjson

import (
	"bufio"
	"bytes"
	"io"
)

// readLine reads up to a line end. A line longer than limit is skipped without
// being held: it is nil then, and skipped its length. The error is io.EOF after
// the last line.
func readLine(r *bufio.Reader, limit int) (line []byte, skipped int64, err error) {
	for {
		chunk, err := r.ReadSlice('\n')
		if skipped > 0 || len(line)+len(chunk) > limit {
			skipped += int64(len(line) + len(chunk))
			line = nil
		} else {
			line = append(line, chunk...)
		}
		if err != bufio.ErrBufferFull {
			return line, skipped, err
		}
	}
}

// EachLine calls visit with each line that is not blank, and adds its errors to faults, where
// the input has a name. Lines longer than limit bytes are faults.
func EachLine(in io.Reader, name string, limit int, faults *Faults, visit func(number int, line []byte) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, skipped, err := readLine(r, limit)
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte(BOM))
		}
		switch {
		case skipped > 0:
			faults.Add(name, number, 1, nil, Errorf(CodeTooLong, "", "%d bytes, more than %d", skipped, limit))
		case len(bytes.TrimSpace(line)) > 0:
			if fault := visit(number, line); fault != nil {
				faults.Add(name, number, 1, line, fault)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
