// Package pattern has regular expressions that are compiled when they are first used. Many packages declare some, and a
// command uses few: to compile them all took half of what our packages allocate before main, and a millisecond or two.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Its methods are those of [regexp.Regexp].
type Pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the pattern of a text. The first use panics if the text is no expression.
func New(text string) *Pattern { return &Pattern{text: text} }

// get returns the expression.
func (p *Pattern) get() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// FindAllString is [regexp.Regexp.FindAllString].
func (p *Pattern) FindAllString(s string, n int) []string { return p.get().FindAllString(s, n) }

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.get().FindAllStringSubmatch(s, n)
}

// FindString is [regexp.Regexp.FindString].
func (p *Pattern) FindString(s string) string { return p.get().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (p *Pattern) FindStringIndex(s string) []int { return p.get().FindStringIndex(s) }

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (p *Pattern) FindStringSubmatch(s string) []string { return p.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is [regexp.Regexp.FindStringSubmatchIndex].
func (p *Pattern) FindStringSubmatchIndex(s string) []int { return p.get().FindStringSubmatchIndex(s) }

// FindSubmatch is [regexp.Regexp.FindSubmatch].
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.get().FindSubmatch(b) }

// MatchString is [regexp.Regexp.MatchString].
func (p *Pattern) MatchString(s string) bool { return p.get().MatchString(s) }

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (p *Pattern) ReplaceAllString(s, by string) string { return p.get().ReplaceAllString(s, by) }

// Split is [regexp.Regexp.Split].
func (p *Pattern) Split(s string, n int) []string { return p.get().Split(s, n) }
