package travel

import "slices"

// menu holds, for a city, the least cost of so many different restaurants that have certain of the query's cuisines.
type menu struct {
	food  []foodChoice // cheapest first, without those that never pay
	masks int
	most  int       // restaurants
	costs [][]int64 // after each restaurant, by number*masks + cuisines
}

// newMenu makes the table for up to most restaurants.
func newMenu(food []foodChoice, most, labels int) *menu {
	m := &menu{masks: 1 << labels}
	food = slices.Clone(food)
	slices.SortStableFunc(food, func(a, b foodChoice) int {
		switch {
		case a.cost < b.cost:
			return -1
		case a.cost > b.cost:
			return 1
		}
		return 0
	})
	kept := make([]int, m.masks) // of each set of cuisines only the cheapest can be needed
	for _, f := range food {
		if kept[f.mask] < most {
			kept[f.mask]++
			m.food = append(m.food, f)
		}
	}
	m.most = min(most, len(m.food))
	row := make([]int64, (m.most+1)*m.masks)
	for i := range row {
		row[i] = infinite
	}
	row[0] = 0
	m.costs = append(m.costs, row)
	for _, f := range m.food {
		before := m.costs[len(m.costs)-1]
		after := slices.Clone(before)
		for n := range m.most {
			for mask := range m.masks {
				if c := before[n*m.masks+mask]; c < infinite {
					to := (n+1)*m.masks + (mask | f.mask)
					after[to] = min(after[to], c+f.cost)
				}
			}
		}
		m.costs = append(m.costs, after)
	}
	return m
}

// cost is the least cost of n restaurants that have exactly these cuisines together.
func (m *menu) cost(n, mask int) int64 {
	if n > m.most {
		return infinite
	}
	return m.costs[len(m.food)][n*m.masks+mask]
}

// choose returns rows of restaurants with the cost that [menu.cost] gives, cheapest first.
func (m *menu) choose(n, mask int) (rows []int32) {
	for i := len(m.food); i > 0; i-- {
		cost := m.costs[i][n*m.masks+mask]
		if m.costs[i-1][n*m.masks+mask] == cost {
			continue
		}
		f := m.food[i-1]
		for before := range m.masks {
			if before|f.mask == mask && n > 0 && m.costs[i-1][(n-1)*m.masks+before]+f.cost == cost {
				rows = append(rows, f.row)
				n, mask = n-1, before
				break
			}
		}
	}
	slices.Reverse(rows)
	return rows
}

// eaten is what is eaten in a city: how many restaurants, and their cuisines.
type eaten struct{ count, mask int }

// slots of a travel day that may, but need not, be used for meals.
const slots = 3

// meals returns the least cost of the meals of a route: three on each day without travel, all different, and more on
// travel days where the query's cuisines need them. The slots of a travel day are shared by its two cities. With
// trace it also returns what is eaten in each city.
func (s *solver) meals(cities []*cityTable, nights []int, trace bool) (int64, []eaten) {
	masks := 1 << len(s.labels)
	layers := make([][]mealState, len(cities)+1)
	layers[0] = noMeals(masks)
	layers[0][slots*masks].cost = 0
	for i, c := range cities {
		layers[i+1] = s.mealsIn(c, nights[i], layers[i], masks)
	}
	best, end := int64(infinite), -1
	for left := range slots + 1 {
		if at := left*masks + masks - 1; layers[len(cities)][at].cost < best {
			best, end = layers[len(cities)][at].cost, at
		}
	}
	if !trace || end < 0 {
		return best, nil
	}
	ate := make([]eaten, len(cities))
	for i := len(cities); i > 0; i-- {
		ate[i-1] = layers[i][end].ate
		end = layers[i][end].before
	}
	return best, ate
}

// mealState is the cheapest way to a state: the slots left of the travel day, and the cuisines had. Its index is the
// number of slots times masks plus the mask of cuisines.
type mealState struct {
	cost   int64
	before int // index of the state in the city before
	ate    eaten
}

// noMeals returns the states of a city, none of them reached.
func noMeals(masks int) []mealState {
	layer := make([]mealState, (slots+1)*masks)
	for i := range layer {
		layer[i].cost = infinite
	}
	return layer
}

// mealsIn returns the states after the meals of a city.
func (s *solver) mealsIn(c *cityTable, nights int, layer []mealState, masks int) []mealState {
	next := noMeals(masks)
	need := 3 * (nights - 1)
	for from := range layer {
		left, had := from/masks, from%masks
		if layer[from].cost >= infinite {
			continue
		}
		most := left + slots
		if len(s.labels) == 0 {
			most = 0
		}
		for extra := range most + 1 {
			remain := slots - max(0, extra-left)
			for mask := range masks {
				cost := c.menu.cost(need+extra, mask)
				if cost >= infinite {
					continue
				}
				to := remain*masks + (had | mask)
				if sum := layer[from].cost + cost; sum < next[to].cost {
					next[to] = mealState{sum, from, eaten{need + extra, mask}}
				}
			}
		}
	}
	return next
}
