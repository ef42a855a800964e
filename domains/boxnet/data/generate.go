package data

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/seeded"
)

// GenerateOptions of Generate.
type GenerateOptions struct {
	// Widths, Heights and Objects are ranges, from and to. Square leaves out maps that are not.
	Widths, Heights, Objects [2]int
	Square                   bool
	Layout                   boxnet.Layout
	NewCoord                 bool
	// Count is the number of tasks for each width, height and number of objects. Where fewer
	// structures are found in 20 times as many draws, there are fewer.
	Count int
	Seed  uint64
	// Dimensions is 3 for BoxNet3D, Obstacles the number of pillars in its maps.
	Dimensions, Obstacles int
	joint.Options
}

// Generate writes rows of generated tasks: of each configuration tasks that differ in structure, each with a
// plan that is proved optimal. Draws without a plan are left out. The split of a row is test, validation or
// train (1, 1 and 8 of 10 structures), and depends on nothing but its structure.
func Generate(ctx context.Context, out io.Writer, opt GenerateOptions) (rows int, err error) {
	for w := opt.Widths[0]; w <= opt.Widths[1]; w++ {
		for h := opt.Heights[0]; h <= opt.Heights[1]; h++ {
			for n := opt.Objects[0]; n <= opt.Objects[1]; n++ {
				if opt.Square && w != h {
					continue
				}
				made, err := opt.configuration(ctx, out, boxnet.SampleOptions{Width: w, Height: h, Objects: n, Layout: opt.Layout, NewCoord: opt.NewCoord, Dimensions: opt.Dimensions, Obstacles: opt.Obstacles})
				rows += made
				if err != nil {
					return rows, err
				}
			}
		}
	}
	return rows, nil
}

// Ranges are the widths and numbers of objects of the paper's sets.
func Ranges(dimensions int) (width, objects string) {
	if dimensions == 3 {
		return "2..4", "1..4"
	}
	return "2..6", "1..5"
}

// maxDraws is how many instances are drawn, at most, for each that is wanted.
const maxDraws = 20

func (opt *GenerateOptions) configuration(ctx context.Context, out io.Writer, sample boxnet.SampleOptions) (made int, err error) {
	name := fmt.Sprintf("boxnet%dd-%dx%d-%d-%s", max(2, sample.Dimensions), sample.Width, sample.Height, sample.Objects, sample.Layout)
	if sample.NewCoord {
		name += "-newcoord"
	}
	if sample.Obstacles > 0 {
		name += fmt.Sprintf("-obstacles-%d", sample.Obstacles)
	}
	r := seeded.Rand(opt.Seed, name)
	seen := map[string]bool{}
	for draw := 0; made < opt.Count && draw < maxDraws*opt.Count; draw++ {
		in, err := boxnet.Sample(r, sample)
		if errors.Is(err, boxnet.ErrNoSample) {
			continue
		}
		if err != nil {
			return made, err
		}
		structure := in.Structure()
		if seen[structure] {
			continue
		}
		seen[structure] = true
		res, err := joint.Solve(ctx, in, opt.search(sample))
		if err != nil || ctx.Err() != nil {
			return made, errors.Join(err, ctx.Err())
		}
		if res.Status != joint.Solved {
			continue
		}
		made++
		row := newRow(rowjson.AppendText(nil, fmt.Sprintf("%s-%d-%d", name, opt.Seed, made)), in, res)
		row.Layout, row.NewCoord, row.Split = sample.Layout, sample.NewCoord, splitOf(structure)
		if _, err := out.Write(append(rowjson.Append(nil, row), '\n')); err != nil {
			return made, err
		}
	}
	return made, nil
}

// maxSteps3D bounds the plans of BoxNet3D: obstacles may leave a draw without any, which no search proves.
const maxSteps3D = 24

func (opt *GenerateOptions) search(sample boxnet.SampleOptions) joint.Options {
	o := opt.Options
	if sample.Dimensions == 3 && o.MaxSteps == 0 {
		o.MaxSteps = maxSteps3D
	}
	return o
}

// splitOf is the split of a structure: a function of its hash alone, so that more rows never move others.
func splitOf(structure string) string {
	b, err := hex.DecodeString(structure)
	if err != nil || len(b) < 8 {
		panic("boxnet: no structure: " + structure)
	}
	switch binary.BigEndian.Uint64(b) % 10 {
	case 0:
		return "test"
	case 1:
		return "validation"
	}
	return "train"
}
