package reward

import "strings"

// Format is how a response is laid out, as the format reward of the Blocksworld
// thesis (methods, section 3) asks: is the plan between plan tags, are the
// thoughts between think tags, and is there other text around them.
type Format struct {
	Text, Plan, Think bool
	// Lines counts the lines around the thoughts that are not blank, of a response without plan tags.
	Lines int
}

// Readings of a plan without tags, where the thesis says "no other text outside these tags": such a plan is other text,
// or a plan that only lacks its tags.
const (
	untaggedText = "text"
	untaggedPlan = "plan"
)

// layout is the layout of a response under a reading of plans without tags. Under untaggedPlan the lines around the
// thoughts are no text if each of them is a step of the plan that the response commits to.
func (e *Evidence) layout(untagged string) Format {
	f := e.Format
	if untagged == untaggedPlan && !f.Plan && e.parsed() && len(e.Extraction.Plan) == f.Lines {
		f.Text = false
	}
	return f
}

// Tags, in lower case. Prompts use either pair of plan tags; both count.
var planTags = [...][2]string{{"[plan]", "[plan end]"}, {"<plan>", "</plan>"}}

const thinkOpen, thinkClose = "<think>", "</think>"

// ReadFormat looks at the layout of a response.
//
// The thoughts reach from the first <think> to the first </think> after it, or
// from the start of the response when only </think> is there, since many prompts
// end with the opening tag. The plan is the last complete pair of plan tags
// outside the thoughts. Anything else that is not white space is text around: also
// further pairs of tags, and the thoughts if they come after the plan.
func ReadFormat(response string) Format {
	s := lowerASCII(response)
	var f Format
	before, after := s, ""
	if open := strings.Index(s, thinkOpen); open >= 0 {
		if n := strings.Index(s[open:], thinkClose); n >= 0 {
			f.Think = true
			before, after = s[:open], s[open+n+len(thinkClose):]
		}
	}
	if !f.Think {
		if n := strings.Index(s, thinkClose); n >= 0 {
			f.Think = true
			before, after = "", s[n+len(thinkClose):]
		}
	}
	if !f.Think {
		before, after = "", s
	}
	if start, end := lastPlan(after); start >= 0 {
		f.Plan = true
		f.Text = !blank(before) || !blank(after[:start]) || !blank(after[end:])
		return f
	}
	start, _ := lastPlan(before)
	f.Plan = start >= 0 // thoughts that come late are no thinking before acting
	f.Text = !blank(before) || !blank(after)
	if !f.Plan {
		for line := range strings.Lines(before + "\n" + after) {
			if !blank(line) {
				f.Lines++
			}
		}
	}
	return f
}

// lastPlan returns the bounds of the last complete pair of plan tags, -1 if there
// is none.
func lastPlan(s string) (start, end int) {
	start, end = -1, -1
	for _, tags := range planTags {
		closing := strings.LastIndex(s, tags[1])
		if closing < 0 {
			continue
		}
		if opening := strings.LastIndex(s[:closing], tags[0]); opening > start {
			start, end = opening, closing+len(tags[1])
		}
	}
	return start, end
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// lowerASCII lowers ASCII letters only, so that offsets stay what they are.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; c >= 'A' && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// formatPoints is the table of the thesis, by (text around, plan tags, think tags).
var formatPoints = map[[3]bool]int64{
	{false, false, false}: 0,
	{false, false, true}:  7,
	{false, true, false}:  3,
	{false, true, true}:   20,
	{true, false, false}:  0,
	{true, false, true}:   5,
	{true, true, false}:   2,
	{true, true, true}:    15,
}

// Points returns the format reward, 0 to 20.
func (f Format) Points() int64 { return formatPoints[[3]bool{f.Text, f.Plan, f.Think}] }

// OpenPlan reports whether the last plan tag of a response opens a block that is
// never closed.
func OpenPlan(response string) bool {
	s := lowerASCII(response)
	for _, tags := range planTags {
		if i := strings.LastIndex(s, tags[0]); i >= 0 && !strings.Contains(s[i:], tags[1]) {
			return true
		}
	}
	return false
}
