package model

import (
	"fmt"
	"math/big"
	"strings"
)

// Price is the price of a million tokens, in any currency. Cached is for cached prompt tokens; if nil, they
// cost as much as others.
type Price struct {
	Prompt, Completion, Cached *big.Rat
}

// Prices maps the names of models to their prices.
type Prices map[string]Price

// maxPriceLength bounds the text of a price.
const maxPriceLength = 64

// ParsePrice adds a price "NAME=PROMPT/COMPLETION" or "NAME=PROMPT/COMPLETION/CACHED" in decimals per
// million tokens, for instance "gpt-x=0.15/0.60".
func (p Prices) ParsePrice(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 {
		return fmt.Errorf("price %q is not NAME=PROMPT/COMPLETION", text)
	}
	name := text[:at]
	parts := strings.Split(text[at+1:], "/")
	if len(parts) != 2 && len(parts) != 3 {
		return fmt.Errorf("price %q is not NAME=PROMPT/COMPLETION, per million tokens", text)
	}
	var v []*big.Rat
	for _, part := range parts {
		r, ok := new(big.Rat), len(part) <= maxPriceLength && strings.Trim(part, "0123456789.") == ""
		if ok {
			_, ok = r.SetString(part)
		}
		if !ok {
			return fmt.Errorf("price %q: %q is not a decimal number", text, part)
		}
		v = append(v, r)
	}
	price := Price{Prompt: v[0], Completion: v[1]}
	if len(v) == 3 {
		price.Cached = v[2]
	}
	p[name] = price
	return nil
}

// Cost returns the exact cost of u. A price for "NAME" also applies to "NAME@server". ok is false if there is
// no price.
func (p Prices) Cost(name string, u Usage) (cost *big.Rat, ok bool) {
	price, ok := p[name]
	if !ok {
		short, _, _ := strings.Cut(name, "@")
		if price, ok = p[short]; !ok {
			return nil, false
		}
	}
	cached := min(u.Cached, u.Prompt)
	if price.Cached == nil {
		cached = 0
	}
	cost = new(big.Rat).Mul(price.Prompt, new(big.Rat).SetInt64(u.Prompt-cached))
	cost.Add(cost, new(big.Rat).Mul(price.Completion, new(big.Rat).SetInt64(u.Completion)))
	if cached > 0 {
		cost.Add(cost, new(big.Rat).Mul(price.Cached, new(big.Rat).SetInt64(cached)))
	}
	return cost.Quo(cost, new(big.Rat).SetInt64(1_000_000)), true
}
