package extract

var (
	dataIndent = signsIn(" \t\r-\"'")
	dataSigns  = signsIn("[{<")
	keyEnd     = signsIn("(:\"'")
	// keyStart has, by its first letter, the second letters of the words of JSON and YAML that begin a line, a bit each
	// for the last five bits of the letter.
	keyStart = func() (set [256]uint32) {
		for _, words := range []*wordSet{planCalls, actionKeys} {
			for w := range words.words {
				second := uint32(1) << (w[1] & 31)
				set[w[0]] |= second
				set[w[0]&^0x20] |= second
			}
		}
		return set
	}()
)

// What a line may be, by its first byte.
const (
	firstOfData  uint8 = 1 << iota // JSON or YAML
	firstOfRow                     // a row of a table
	firstOfApart                   // a line that apart reads
)

// firstByte is what each byte may begin. Most lines begin with a letter or a digit and are nothing of these.
var firstByte = func() (first [256]uint8) {
	for i := range first {
		if dataIndent[i] || dataSigns[i] || keyStart[i] != 0 {
			first[i] = firstOfData
		}
		if lineIndent[i] || i == '|' || i < ' ' {
			first[i] |= firstOfRow
		}
		if quoteIndent[i] || apartStart[i] {
			first[i] |= firstOfApart
		}
	}
	return
}()

// mayBeData reports whether a line may be JSON or YAML. It is false of most lines that are not.
func mayBeData(line string) bool {
	i := skip(line, &dataIndent)
	if i+1 >= len(line) || keyStart[line[i]]>>(line[i+1]&31)&1 == 0 {
		return i < len(line) && dataSigns[line[i]]
	}
	for i++; i < len(line) && byteClass[line[i]] >= classDigit; i++ {
	}
	return i < len(line) && keyEnd[line[i]]
}

// data reads the JSON or the YAML that begins on the line text[at:end], and returns the byte after it.
func (o *outline) data(at, end int) (after int, ok bool) {
	line := o.text[at:end]
	if k := jsonIn(line); k >= 0 {
		if after, ok = o.json(at + k); ok {
			return after, true
		}
	}
	return o.yamlStep(at, end)
}
