package spell

// Clip shortens a text of more than n bytes to n bytes and "...".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..."
}
