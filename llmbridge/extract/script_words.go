package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Scripts without spaces have no words to look up: what a line says of a plan is read from parts of it.

var (
	scriptDenials = wordsOf("script denies")
	scriptClears  = wordsOf("script clears")
	scriptNoPlans = wordsOf("script no plan")
	scriptPlaces  = wordsOf("script place")
	scriptFalls   = wordsOf("script falls")
	scriptKeeps   = wordsOf("script keeps")
)

// scriptLetter reports whether a letter is of a script that the vocabulary has no words of.
func scriptLetter(r rune) bool { return r >= 0x590 && r < 0xff00 && (r < 0x2000 || r > 0x303f) }

// scriptSays returns what a short line in such a script says: that a plan is wrong, or that there is none.
func scriptSays(line string) (denied, unsolvable bool) {
	const most = 40 // letters
	if strings.IndexFunc(line, scriptLetter) < 0 || utf8.RuneCountInString(line) > most {
		return false, false
	}
	line = strings.ReplaceAll(line, " ", "")
	within := func(part string) bool { return strings.Contains(line, part) }
	unsolvable = slices.ContainsFunc(scriptNoPlans, within)
	if strings.ContainsAny(line, "0123456789一二三四五六七八九十") && slices.ContainsFunc(scriptPlaces, within) && slices.ContainsFunc(scriptFalls, within) {
		return !slices.ContainsFunc(scriptKeeps, within), unsolvable // "第2步可以省略"
	}
	for _, part := range scriptDenials {
		if strings.Contains(line, part) {
			line, denied = strings.ReplaceAll(line, part, ""), true
		}
	}
	return denied && !slices.ContainsFunc(scriptClears, within), unsolvable
}
