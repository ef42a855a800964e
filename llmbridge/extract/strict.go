package extract

// byContract reads an answer with the strict reader.
func (r *Reader) byContract(answer string) Extraction {
	p := r.strict.Read(answer)
	if !p.Found {
		return Extraction{Reader: Strict, Status: StatusNoPlan, Plan: []string{}, Reading: "nothing-found", Confidence: ConfidenceHigh}
	}
	x := Extraction{Reader: Strict, Status: StatusPlan, Plan: p.Steps, Lines: p.Lines, Reading: "last-plan-block", Confidence: ConfidenceHigh}
	if x.Plan == nil {
		x.Plan = []string{}
	}
	for _, b := range p.Bad {
		x.Malformed = append(x.Malformed, Malformed{Line: b.Line, Step: b.Step, Text: oneLine(b.Text), Why: b.Why})
	}
	return x
}
