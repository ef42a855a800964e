package domains

import (
	"fmt"
	"math/big"
)

// gripperProblem puts the balls and the robot in the first room; the goal is to have the
// balls in the last one.
func gripperProblem(name string, params []int, _ *big.Int) string {
	balls, rooms := params[0], params[1]
	w := newWriter(name, "gripper")
	w.section("objects")
	names := numbered("room", rooms)
	w.objects(names, "room")
	w.objects([]string{"left", "right"}, "gripper")
	w.objects(numbered("ball", balls), "ball")
	w.end()
	w.section("init")
	w.line("(at-robby %s)", names[0])
	w.line("(free left)")
	w.line("(free right)")
	for b := 0; b < balls; b++ {
		w.line("(at ball%d %s)", b, names[0])
	}
	w.end()
	w.section("goal (and")
	for b := 0; b < balls; b++ {
		w.line("(at %s %s)", fmt.Sprintf("ball%d", b), names[rooms-1])
	}
	w.b.WriteString(")")
	w.end()
	return w.finish()
}
