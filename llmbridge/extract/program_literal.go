package extract

// asJSON rewrites a literal of Python or JavaScript at the start of a text as JSON of the same length:
// single quotes become double quotes, tuples become lists, comments and trailing commas become white
// space. It returns "" for other texts, and how many bytes it read.
func asJSON(text string) (out string, read int) {
	var b []byte
	depth, comma := 0, -1 // the last comma, while nothing follows it
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '(', '[', '{':
			if depth++; c == '(' {
				c = '['
			}
		case ')', ']', '}':
			if c == ')' {
				c = ']'
			}
			if comma >= 0 {
				b[comma] = ' '
			}
			if depth--; depth == 0 {
				return string(append(b, c)), i + 1
			}
		case ',':
			comma = i
		case '"', '\'':
			b = append(b, '"')
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\n' || text[i] == '\\' || text[i] == '"' {
					return "", i
				}
				b = append(b, text[i])
			}
			c = '"'
		case '#', '/':
			if c == '/' && (i+1 == len(text) || text[i+1] != '/') {
				return "", i
			}
			for ; i+1 < len(text) && text[i+1] != '\n'; i++ {
				b = append(b, ' ')
			}
			c = ' '
		case ' ', '\t', '\n', '\r', ':', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return "", i // a word
		}
		b = append(b, c)
		if c != ',' && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			comma = -1
		}
	}
	return "", len(text)
}
