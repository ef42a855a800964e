package groups

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/planproof/planproof/internal/spell"
)

// PairRule says which responses make a preference pair.
type PairRule string

const (
	// DPO: chosen is a valid response to the prompt, rejected an invalid one (CARL, table
	// 14, "naive").
	DPO PairRule = "dpo"
	// ConstraintAwareDPO: chosen is a valid response to the prompt, rejected one that was
	// generated without its constraints (CARL, section 4.3).
	ConstraintAwareDPO PairRule = "ca-dpo"
)

// Check refuses a rule that there is not.
func (r PairRule) Check() error {
	if r != DPO && r != ConstraintAwareDPO {
		return fmt.Errorf("%q: there are %s and %s", r, DPO, ConstraintAwareDPO)
	}
	return nil
}

// Sampled is a judged response.
type Sampled struct {
	// Prompt joins responses to the same prompt, with and without its constraints.
	Prompt string
	Text   string
	// Valid is the judge's verdict on the whole task, also for a response that was
	// generated without the constraints.
	Valid bool
	// Unconstrained says that it was.
	Unconstrained bool
	// KL is the mean divergence of the response, for the threshold; 0 if unknown.
	KL float64
}

// Pair is a preference: indices into the samples.
type Pair struct{ Chosen, Rejected int }

// PairOptions say how many pairs are taken.
type PairOptions struct {
	Name string // of the input of [Oracle.PairRows], for errors
	Rule PairRule
	// Count is the largest number of pairs, PerPrompt that for one prompt; 0 is no limit.
	Count, PerPrompt int
	Seed             uint64
	// DropLowest is the part of the pairs, from 0 to 1, that is dropped since the
	// divergence of their chosen response is lowest (CARL, appendix D.6), after Count
	// pairs have been taken.
	DropLowest float64
	// KeepValid keeps a rejected response without constraints that happens to satisfy them.
	// The paper chooses at random; such a pair teaches nothing about constraints, and
	// is left out unless asked for.
	KeepValid bool
}

// PairCounts says what was and was not paired.
type PairCounts struct {
	Prompts, Paired int // prompts, and those with a pair
	NoChosen        int // prompts without a valid response
	NoRejected      int // prompts with one, but with none to reject
	ValidRejected   int // responses without constraints left out since they are valid
	Duplicates      int // repeated texts of one prompt left out
	Dropped         int // pairs dropped for their divergence
}

// WriteText says on two lines how many pairs there are, and what was left out.
func (c *PairCounts) WriteText(w io.Writer, pairs int) {
	fmt.Fprintf(w, "%s of %s; without a valid response: %d, without one to reject: %d\n", spell.Plural(pairs, "pair"), spell.Plural(c.Prompts, "prompt"), c.NoChosen, c.NoRejected)
	fmt.Fprintf(w, "left out: %d repeated texts, %d rejected ones that are valid, %d pairs by divergence\n", c.Duplicates, c.ValidRejected, c.Dropped)
}

// Pairs builds preference pairs, the same for the same samples and options:
//
//   - Prompts stand in the order in which they appear. The same text counts once among the
//     chosen, once among the rejected, and never on both sides of a pair.
//   - For each prompt the chosen and then the rejected are shuffled, from the last to the
//     second, with one generator: splitmix64, whose first state is Seed xor the first
//     8 bytes (big endian) of the prompt's SHA-256; element i is swapped with element floor(x *
//     (i+1) / 2^64).
//   - The k-th round of a prompt pairs chosen i with rejected (i + k) mod R, for all i.
//     So every response is used before one is used twice with the same partner.
//   - Pairs are taken from the prompts in turn, one each, until Count: many prompts with few
//     pairs before few prompts with many.
func Pairs(samples []Sampled, opt PairOptions) ([]Pair, PairCounts, error) {
	var counts PairCounts
	if opt.Rule != DPO && opt.Rule != ConstraintAwareDPO {
		return nil, counts, fmt.Errorf("%q is no rule for pairs: there are %s and %s", spell.Clip(string(opt.Rule), 40), DPO, ConstraintAwareDPO)
	}
	if !(opt.DropLowest >= 0 && opt.DropLowest <= 1) || opt.Count < 0 || opt.PerPrompt < 0 {
		return nil, counts, fmt.Errorf("cannot take %d pairs, %d a prompt, and drop %v of them", opt.Count, opt.PerPrompt, opt.DropLowest)
	}
	prompts := groupSamples(samples, opt, &counts)
	var pairs []Pair
	for open := true; open && (opt.Count == 0 || len(pairs) < opt.Count); {
		open = false
		for _, p := range prompts {
			if opt.Count > 0 && len(pairs) == opt.Count {
				break
			}
			if pair, ok := p.next(samples, opt.PerPrompt); ok {
				pairs = append(pairs, pair)
				open = true
			}
		}
	}
	for _, p := range prompts {
		if p.taken > 0 {
			counts.Paired++
		}
	}
	if opt.DropLowest > 0 {
		pairs = dropLowest(pairs, samples, opt.DropLowest, &counts)
	}
	return pairs, counts, nil
}

func dropLowest(pairs []Pair, samples []Sampled, fraction float64, counts *PairCounts) (kept []Pair) {
	kl := make([]float64, len(pairs))
	for i, p := range pairs {
		kl[i] = samples[p.Chosen].KL
	}
	dropped := FilterLowest(kl, fraction)
	for i, p := range pairs {
		if dropped[i] {
			counts.Dropped++
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// promptSamples are the two sides of one prompt, shuffled.
type promptSamples struct {
	chosen, rejected []int
	at, taken        int // next combination, pairs taken
}

// next returns the next pair of the prompt.
func (p *promptSamples) next(samples []Sampled, most int) (Pair, bool) {
	for ; p.at < len(p.chosen)*len(p.rejected) && (most == 0 || p.taken < most); p.at++ {
		round, i := p.at/len(p.chosen), p.at%len(p.chosen)
		pair := Pair{p.chosen[i], p.rejected[(i+round)%len(p.rejected)]}
		if samples[pair.Chosen].Text == samples[pair.Rejected].Text {
			continue
		}
		p.at++
		p.taken++
		return pair, true
	}
	return Pair{}, false
}

func groupSamples(samples []Sampled, opt PairOptions, counts *PairCounts) []*promptSamples {
	index := map[string]*promptSamples{}
	var order []string
	type side struct {
		prompt, text string
		rejected     bool
	}
	seen := map[side]bool{}
	for i := range samples {
		s := &samples[i]
		p := index[s.Prompt]
		if p == nil {
			p = &promptSamples{}
			index[s.Prompt] = p
			order = append(order, s.Prompt)
		}
		rejected := s.Unconstrained
		switch {
		case opt.Rule == DPO && s.Unconstrained, opt.Rule == ConstraintAwareDPO && !s.Unconstrained && !s.Valid:
			continue
		case opt.Rule == DPO:
			rejected = !s.Valid
		case s.Unconstrained && s.Valid && !opt.KeepValid:
			counts.ValidRejected++
			continue
		}
		key := side{s.Prompt, s.Text, rejected}
		if seen[key] {
			counts.Duplicates++
			continue
		}
		seen[key] = true
		if rejected {
			p.rejected = append(p.rejected, i)
		} else {
			p.chosen = append(p.chosen, i)
		}
	}
	var out []*promptSamples
	for _, name := range order {
		p := index[name]
		counts.Prompts++
		switch {
		case len(p.chosen) == 0:
			counts.NoChosen++
			continue
		case len(p.rejected) == 0:
			counts.NoRejected++
			continue
		}
		sum := sha256.Sum256([]byte(name))
		rng := splitmix64(opt.Seed ^ binary.BigEndian.Uint64(sum[:8]))
		rng.shuffle(p.chosen)
		rng.shuffle(p.rejected)
		out = append(out, p)
	}
	return out
}

// splitmix64 is the generator of Steele, Lea and Flood (2014): small enough to be written
// again anywhere.
type splitmix64 uint64

func (s *splitmix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *splitmix64) shuffle(list []int) {
	for i := len(list) - 1; i > 0; i-- {
		j, _ := bits.Mul64(s.next(), uint64(i)+1)
		list[i], list[j] = list[j], list[i]
	}
}
