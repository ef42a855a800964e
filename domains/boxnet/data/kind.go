package data

import (
	"fmt"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
)

// ParseKind reads the kinds boxnet2d and boxnet3d of planproof generate with their parameters width, height, objects,
// quincunx, newcoord and obstacles (of 3D); is says whether kind is one of them.
func ParseKind(kind string, params map[string]int) (opt GenerateOptions, is bool, err error) {
	if kind != "boxnet2d" && kind != "boxnet3d" {
		return opt, false, nil
	}
	opt = GenerateOptions{Dimensions: 2, Layout: boxnet.Interior, Options: joint.Options{Reading: boxnet.Default, Second: joint.Moves}}
	width, height, objects, quincunx, newcoord := 3, 3, 2, 0, 0
	fields := map[string]*int{"width": &width, "height": &height, "objects": &objects, "quincunx": &quincunx, "newcoord": &newcoord}
	if kind == "boxnet3d" {
		opt.Dimensions = 3
		fields["obstacles"] = &opt.Obstacles
	}
	for name, n := range params {
		into, ok := fields[name]
		if !ok {
			return opt, true, fmt.Errorf("%s has no parameter %q: it has width, height, objects, quincunx, newcoord, and in 3D obstacles", kind, name)
		}
		*into = n
	}
	if quincunx|newcoord < 0 || quincunx|newcoord > 1 {
		return opt, true, fmt.Errorf("%s: quincunx and newcoord are 0 or 1", kind)
	}
	if quincunx == 1 {
		opt.Layout = boxnet.Quincunx
	}
	opt.Widths, opt.Heights, opt.Objects, opt.NewCoord = [2]int{width, width}, [2]int{height, height}, [2]int{objects, objects}, newcoord == 1
	return opt, true, nil
}
