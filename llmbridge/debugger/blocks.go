package debugger

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/chart"
)

// Sizes of a picture of blocks, in pixels.
const (
	blockSize = 34
	blockGap  = 12
	maxBlocks = 60
)

// draw draws a state of Blocksworld as SVG, whatever its domain calls the predicates, and returns "" for the
// states of other domains.
func draw(facts []string) string {
	below, held, ok := towers(facts)
	if !ok || len(below) == 0 || len(below) > maxBlocks {
		return ""
	}
	columns := columnsOf(below, facts)
	if columns == nil {
		return ""
	}
	tallest := 1
	for _, c := range columns {
		tallest = max(tallest, len(c))
	}
	width := blockGap + (len(columns)+1)*(blockSize+blockGap)
	height := (tallest+2)*blockSize + 10
	d := chart.New("viewBox", attr(0, 0, width, height), "width", width, "height", height, "font-family", "sans-serif", "font-size", 13, "text-anchor", "middle")
	ground := height - 6
	d.Add(chart.Shape("rect", "x", 0, "y", ground, "width", width, "height", 4, "fill", "#888"))
	block := func(name string, x, y int) {
		d.Add(chart.Shape("rect", "x", x, "y", y, "width", blockSize, "height", blockSize, "rx", 4, "fill", blockColor(name), "stroke", "#333"),
			chart.Text(name, "x", x+blockSize/2, "y", y+blockSize/2+5, "fill", "#fff"))
	}
	for i, c := range columns {
		for k, name := range c {
			block(name, blockGap+i*(blockSize+blockGap), ground-(k+1)*blockSize)
		}
	}
	arm := blockGap + len(columns)*(blockSize+blockGap)
	d.Add(chart.Shape("path", "d", armPath(arm), "fill", "none", "stroke", "#888", "stroke-width", 3))
	if held != "" {
		block(held, arm, 12)
	}
	var b strings.Builder
	if _, err := d.WriteTo(&b); err != nil {
		return ""
	}
	return b.String()
}

// tableBlock is what stands for the table below a block.
const tableBlock = ""

// towers reads what each block stands on, and the block in the arm.
func towers(facts []string) (below map[string]string, held string, ok bool) {
	below = map[string]string{}
	for _, f := range facts {
		switch w := atomtext.Words(f); strings.ReplaceAll(w[0], "-", "") {
		case "on":
			if len(w) != 3 {
				return nil, "", false
			}
			below[w[1]] = w[2]
		case "ontable":
			if len(w) != 2 {
				return nil, "", false
			}
			below[w[1]] = tableBlock
		case "holding":
			if len(w) != 2 || held != "" {
				return nil, "", false
			}
			held = w[1]
		}
	}
	return below, held, true
}

// columnsOf lists the towers from the bottom up, in the order of their lowest blocks, or nil where the facts are
// no towers.
func columnsOf(below map[string]string, facts []string) (columns [][]string) {
	above := map[string]string{}
	for b, under := range below {
		if under == tableBlock {
			continue
		}
		if _, twice := above[under]; twice {
			return nil
		}
		above[under] = b
	}
	placed := 0
	for _, f := range facts { // sorted, so that the same state gives the same picture
		w := atomtext.Words(f)
		if len(w) != 2 {
			continue
		}
		if under, is := below[w[1]]; !is || under != tableBlock || strings.ReplaceAll(w[0], "-", "") != "ontable" {
			continue
		}
		var c []string
		for b, more := w[1], true; more; b, more = above[b], above[b] != "" {
			c = append(c, b)
		}
		columns, placed = append(columns, c), placed+len(c)
	}
	if placed != len(below) {
		return nil
	}
	return columns
}

// blockColor is a dark color, the same for each block in all pictures.
func blockColor(name string) string {
	colors := []string{"#1f5fa8", "#a3341f", "#20703f", "#6b3fa0", "#8a5a00", "#0b7285", "#9c2763", "#4a5568"}
	h := uint32(2166136261)
	for _, c := range []byte(name) {
		h = (h ^ uint32(c)) * 16777619
	}
	return colors[h%uint32(len(colors))]
}

// armPath is the outline of the arm above column x.
func armPath(x int) string {
	return fmt.Sprintf("M%d 2v6M%d 14v-6h%dv6", x+blockSize/2, x-3, blockSize+6)
}
