package extract

import "strings"

// Headings that only mention the list below them, and sentences that change or withdraw the plan beside them.

var (
	sayingWords  = setOf("saying")
	firstPerson  = setOf("first person")
	ownNames     = setOf("own")
	changeWords  = setOf("changes")
	changedWords = setOf("changed")
	comparatives = setOf("comparative")
	wholeWords   = setOf("whole")
)

// quoted reports whether the sentence from token i on only mentions the list below it: it supposes what is not so, or
// the list is somebody else's or of another task. "If the arm had two hands, I would do this:", "Bob says:".
func (o *outline) quoted(i int) bool {
	words, ours, supposed, measured := 0, false, false, false
	for k := i; k < len(o.toks); k++ {
		w := strings.ToLower(o.lineReader.text(k))
		if o.toks[k].kind != tokPunct {
			words++
		}
		ours = ours || firstPerson[w]
		supposed = supposed || w == "had" || w == "were" || w == "would" || w == "could" || w == "might"
		measured = measured || o.info(k).class == classMeasure
	}
	switch first := strings.ToLower(o.lineReader.text(i)); first {
	case "suppose", "supposing", "imagine", "were", "had":
		return true
	case "if":
		if supposed {
			return true
		}
	case "assuming", "provided", "providing":
		if !measured && (first == "assuming" || o.wordAt(i+1, wordThat)) {
			return true
		}
	}
	for k := i; k < len(o.toks); k++ {
		if done, _ := o.longest(o.r.mentioned, k); done == 0 || done > 0 && !ours {
			return true
		}
		if owner, ok := strings.CutSuffix(strings.ToLower(o.lineReader.text(k)), "'s"); ok && o.info(k+1).strong && !ownNames[owner] && !receivers[owner] {
			if w := o.r.word(owner); w.object < 0 && w.action < 0 && !w.noun && !w.fact {
				return true // "Claude's answer:"
			}
		}
	}
	return !ours && words > 1 && words <= fewWords && sayingWords.fold(o.lineReader.text(len(o.toks)-2)) && o.punct(len(o.toks)-1) == ':'
}

// changes reports whether a sentence from token i on changes a step of the plan by its number: "swap steps 3 and 5",
// "step 3 should be left out", "Correction: in step 2 ...".
func (o *outline) changes(i int) bool {
	corrects := o.punct(i+1) == ':' && (o.says(i, "correction") || o.says(i, "edit"))
	for k := i; k < len(o.toks); k++ {
		if w := o.info(k); changeWords.fold(o.lineReader.text(k)) && !w.step && (k == i || o.toks[k-1].kind == tokPunct || o.info(k-1).class == classLead || o.says(k-1, "please")) {
			next := k + 1
			if o.says(next, "out") {
				next++
			}
			if o.stepAbove(next) {
				return true
			}
		}
		if !o.stepAbove(k) {
			continue
		}
		if corrects {
			return true
		}
		must := false
		for n := k + 2; n < k+8 && n < len(o.toks) && o.punct(n) != '.'; n++ {
			w := o.lineReader.text(n)
			must = must || strings.EqualFold(w, "must") || strings.EqualFold(w, "should")
			if must && changedWords.fold(w) || n == k+2 && strings.EqualFold(w, "again") {
				return true
			}
		}
	}
	return false
}

// stepAbove reports whether a step of the plan is named by its place at token i: "step 3", "the last step".
func (o *outline) stepAbove(i int) bool {
	step := func(k int) bool {
		switch strings.ToLower(o.lineReader.text(k)) {
		case "step", "steps", "line", "lines", "action", "actions":
			return true
		}
		return false
	}
	return step(i) && o.numberAhead(i+1) || o.info(i).class == classLead && step(i+1)
}
