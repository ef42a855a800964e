package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/internal/rowjson"
)

// Answer is what an answer commits to.
type Answer struct {
	// Think reports whether the answer begins with thoughts between one pair of tags.
	Think bool
	Plan  boxnet.Plan // of a step by itself: one step
	// At is the number of the step that cannot be read, as for [boxnet.ReadPlan].
	At int
	// Err says what cannot be read, with the line and column of the answer; nil if nothing is wrong.
	Err error
}

const thinkOpen, thinkClose = "<think>", "</think>"

// ReadPlan reads a whole plan: after the thoughts exactly one block of JSON, with a list of steps. Text
// around the block is allowed, a second block is not.
func ReadPlan(answer string) Answer {
	a, block, offset := blockOf(answer)
	if a.Err != nil {
		return a
	}
	plan, at, err := boxnet.ReadPlan([]byte(block))
	a.Plan, a.At = plan, at
	if err != nil {
		a.Err = fmt.Errorf("%s: %w", place(answer, offset+jsonOffset(block, at)), err)
	}
	return a
}

// ReadStep reads the next step: after the thoughts exactly one block of JSON, with a dictionary of moves.
func ReadStep(answer string) Answer {
	a, block, offset := blockOf(answer)
	if a.Err != nil {
		return a
	}
	step, err := boxnet.ReadStep([]byte(strings.TrimSpace(block)))
	if err != nil {
		a.At, a.Err = 1, fmt.Errorf("%s: %w", place(answer, offset), err)
		return a
	}
	a.Plan = boxnet.Plan{step}
	return a
}

// blockOf finds the block of JSON after the thoughts, and where it begins in the answer.
func blockOf(answer string) (a Answer, block string, offset int) {
	rest := strings.TrimLeft(answer, " \t\r\n")
	a.Think = strings.HasPrefix(rest, thinkOpen) && strings.Count(answer, thinkOpen) == 1 && strings.Count(answer, thinkClose) == 1
	if i := strings.LastIndex(answer, thinkClose); i >= 0 {
		offset = i + len(thinkClose)
	} else if strings.Contains(answer, thinkOpen) {
		a.Err = fmt.Errorf("%s: the thoughts do not end", place(answer, strings.Index(answer, thinkOpen)))
		return a, "", 0
	}
	opening := strings.Index(answer[offset:], "```")
	if opening < 0 {
		a.Err = fmt.Errorf("%s: there is no block of JSON after the thoughts", place(answer, len(answer)))
		return a, "", 0
	}
	start := offset + opening + len("```")
	line := strings.IndexByte(answer[start:], '\n')
	if line < 0 {
		a.Err = fmt.Errorf("%s: the block does not end", place(answer, start))
		return a, "", 0
	}
	if word := strings.TrimSpace(answer[start : start+line]); word != "json" && word != "" {
		a.Err = fmt.Errorf("%s: a block of %.20q, not of json", place(answer, start), word)
		return a, "", 0
	}
	start += line + 1
	end := strings.Index(answer[start:], "```")
	if end < 0 {
		a.Err = fmt.Errorf("%s: the block does not end", place(answer, start))
		return a, "", 0
	}
	if again := strings.Index(answer[start+end+3:], "```"); again >= 0 {
		a.Err = fmt.Errorf("%s: a second block", place(answer, start+end+3+again))
		return a, "", 0
	}
	return a, answer[start : start+end], start
}

// jsonOffset is where a step of a list begins, or where the list stops to be JSON.
func jsonOffset(block string, step int) int {
	if at, bad := rowjson.SyntaxAt([]byte(block)); bad {
		return at
	}
	in := rowjson.NewTokens(block)
	if _, _, _, err := in.Next(); err != nil {
		return 0
	}
	for n := 1; in.More(); n++ {
		from, _, err := in.Skip()
		if n == step {
			return from
		}
		if err != nil {
			break
		}
	}
	return 0
}

// place is "line L, column C" of a byte of a text; columns count characters.
func place(text string, at int) string {
	before := text[:min(at, len(text))]
	line := strings.Count(before, "\n") + 1
	return fmt.Sprintf("line %d, column %d", line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1)
}
