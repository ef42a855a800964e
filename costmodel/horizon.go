package costmodel

// Horizon sorts tasks by the length of their plans: the number of steps of the shortest of
// the cheapest plans.
type Horizon string

// Horizons of Budget-BlocksWorld: 2-8, 10-14 and 16 or more steps. Plans of an odd length,
// which that domain does not have, belong to the next longer horizon.
const (
	Short Horizon = "short"
	Mid   Horizon = "mid"
	Long  Horizon = "long"
)

// Horizons lists them from short to long.
var Horizons = []Horizon{Short, Mid, Long}

// HorizonOf returns the horizon of a task whose plan has the given number of steps.
func HorizonOf(steps int64) Horizon {
	switch {
	case steps <= 8:
		return Short
	case steps <= 14:
		return Mid
	}
	return Long
}
