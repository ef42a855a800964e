package extract

var (
	dataIndent = signsIn(" \t\r-\"'")
	dataSigns  = signsIn("[{<")
	keyEnd     = signsIn("(:\"'")
	// keyStart has the letters with which the words of JSON and YAML begin that begin a line.
	keyStart = func() (set signs) {
		for _, words := range []wordSet{planCalls, actionKeys} {
			for w := range words {
				set[w[0]], set[w[0]&^0x20] = true, true
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
		if dataIndent[i] || dataSigns[i] || keyStart[i] {
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
	if i == len(line) || !keyStart[line[i]] {
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
