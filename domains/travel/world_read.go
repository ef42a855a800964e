package travel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// ReadWorld reads the tables of a world from a JSON object with the members flights, accommodations, restaurants,
// distance, attractions and city_state. The columns are those of TravelPlanner's tables; cells are strings or numbers.
// A row of the first three tables with an empty cell is left out, as TravelPlanner does on loading. The error is a
// [*rowjson.Faults] with the place of each fault in the file called name.
func ReadWorld(name string, text []byte) (*World, error) {
	w := &World{}
	r := tableReader{name: name, text: text, world: w}
	tables := map[string]func(cells) error{
		"flights": r.flight, "accommodations": r.hotel, "restaurants": r.restaurant,
		"distance": r.road, "attractions": r.attraction,
	}
	err := rowjson.EachMember(text, func(table string, value []byte) error {
		if table == "city_state" {
			return r.cities(value)
		}
		read, known := tables[table]
		if !known {
			return rowjson.Errorf(rowjson.CodeUnknown, table, "a world has no table %q", table)
		}
		return r.table(table, value, read)
	})
	if err != nil {
		if err == rowjson.ErrSyntax {
			err = rowjson.Unmarshal(text, &struct{}{}, false) // says what stands where
		}
		if err == nil {
			err = rowjson.ErrSyntax
		}
		r.faults.Add(name, 1, 1, text, err)
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	w.Index()
	return w, nil
}

type tableReader struct {
	name   string
	text   []byte
	world  *World
	faults rowjson.Faults
}

// cells are the cells of a row by column.
type cells map[string]string

// table reads the rows of a table; faults of rows are collected.
func (r *tableReader) table(name string, value []byte, read func(cells) error) error {
	rows, _, err := rowjson.Elements[[]byte](value, len(value))
	if err != nil {
		return rowjson.Errorf(rowjson.CodeType, name, "%s is not a list of rows", name)
	}
	for i, row := range rows {
		c, empty, err := readCells(row)
		if err == nil && (!empty || name == "distance") {
			err = read(c)
		}
		if err != nil {
			from := len(r.text) - len(value) // both end with the text, or value lies in it
			from = offset(r.text, row, from)
			r.faults.AddWithin(r.name, 1, 1, r.text, from, row, rowjson.Prefix(fmt.Sprintf("%s, row %d: ", name, i+1), err))
		}
	}
	return nil
}

// offset returns where a part of a text begins. The part is a slice of it.
func offset(text, part []byte, otherwise int) int {
	if at := cap(text) - cap(part); at >= 0 && at+len(part) <= len(text) {
		return at
	}
	return otherwise
}

// readCells reads a row of a table, and reports whether a cell is empty.
func readCells(row []byte) (c cells, empty bool, err error) {
	c = cells{}
	err = rowjson.EachMember(row, func(column string, value []byte) error {
		text, err := cell(value)
		if err != nil {
			return rowjson.At(rowjson.CodeType, column, err)
		}
		empty = empty || text == ""
		c[column] = text
		return nil
	})
	if err == rowjson.ErrSyntax {
		err = rowjson.Errorf(rowjson.CodeType, "", "not an object of cells")
	}
	return c, empty, err
}

// cell reads a string, a number or null as text.
func cell(value []byte) (string, error) {
	switch {
	case len(value) > 0 && value[0] == '"':
		text, err := rowjson.String(value)
		return strings.TrimSpace(text), err
	case string(value) == "null":
		return "", nil
	}
	if _, ok := pddl.ParseNumber(string(value)); !ok {
		return "", fmt.Errorf("neither a text nor a number")
	}
	return string(value), nil
}

// texts reads columns that must be there.
func (c cells) texts(columns ...string) ([]string, error) {
	out := make([]string, len(columns))
	for i, column := range columns {
		text, ok := c[column]
		if !ok {
			return nil, rowjson.Errorf(rowjson.CodeMissing, "", "the column %q is missing", column)
		}
		out[i] = text
	}
	return out, nil
}

// amount reads a number that is not negative.
func amount(column, text string) (pddl.Number, error) {
	n, ok := pddl.ParseNumber(strings.ReplaceAll(strings.TrimPrefix(text, "$"), ",", ""))
	if !ok || n.Sign() < 0 || n.Cmp(maxAmount) > 0 {
		return n, rowjson.Errorf(rowjson.CodeValue, column, "%q is not an amount", text)
	}
	return n, nil
}

// maxAmount bounds prices and distances, so that sums stay in 64 bits when scaled.
var maxAmount = pddl.Int(1_000_000_000)

// count reads a whole number from 1 to a million.
func count(column, text string) (int, error) {
	n, ok := pddl.ParseNumber(text)
	if i, whole := n.Int64(); ok && whole && i >= 1 && i <= 1_000_000 {
		return int(i), nil
	}
	return 0, rowjson.Errorf(rowjson.CodeValue, column, "%q is not a whole number from 1 on", text)
}

func (r *tableReader) flight(c cells) error {
	t, err := c.texts("Flight Number", "OriginCityName", "DestCityName", "FlightDate", "DepTime", "ArrTime", "Price")
	if err != nil {
		return err
	}
	price, err := amount("Price", t[6])
	if err != nil {
		return err
	}
	r.world.Flights = append(r.world.Flights, Flight{Number: t[0], From: t[1], To: t[2], Date: t[3], Depart: t[4], Arrive: t[5],
		Duration: c["ActualElapsedTime"], Distance: c["Distance"], Price: price})
	return nil
}

func (r *tableReader) hotel(c cells) error {
	t, err := c.texts("NAME", "city", "room type", "house_rules", "price", "minimum nights", "maximum occupancy")
	if err != nil {
		return err
	}
	h := Hotel{Name: t[0], City: t[1], RoomType: t[2], Rules: splitList(t[3], "&")}
	if h.Price, err = amount("price", t[4]); err != nil {
		return err
	}
	if h.MinNights, err = count("minimum nights", t[5]); err != nil {
		return err
	}
	if h.Occupancy, err = count("maximum occupancy", t[6]); err != nil {
		return err
	}
	r.world.Hotels = append(r.world.Hotels, h)
	return nil
}

func (r *tableReader) restaurant(c cells) error {
	t, err := c.texts("Name", "City", "Cuisines", "Average Cost")
	if err != nil {
		return err
	}
	cost, err := amount("Average Cost", t[3])
	if err != nil {
		return err
	}
	r.world.Restaurants = append(r.world.Restaurants, Restaurant{Name: t[0], City: t[1], Cuisines: splitList(t[2], ","), Cost: cost})
	return nil
}

func (r *tableReader) road(c cells) error {
	t, err := c.texts("origin", "destination", "duration", "distance")
	if err != nil {
		return err
	}
	road := Road{From: t[0], To: t[1], Duration: t[2], Distance: t[3]}
	if err := road.measure(); err != nil {
		return err
	}
	r.world.Roads = append(r.world.Roads, road)
	return nil
}

// measure reads the distance, and decides whether the road can be used.
func (r *Road) measure() (err error) {
	if r.Duration == "" || r.Distance == "" {
		r.NoCar, r.NoTaxi = true, true
		return nil
	}
	number, ok := strings.CutSuffix(r.Distance, "km")
	if !ok {
		return rowjson.Errorf(rowjson.CodeValue, "distance", "%q is not a distance in km", r.Distance)
	}
	if r.Kilometres, err = amount("distance", strings.TrimSpace(number)); err != nil {
		return err
	}
	if strings.Contains(strings.ToLower(r.Duration), "day") {
		r.NoCar, r.NoTaxi = true, true
	}
	return nil
}

func (r *tableReader) attraction(c cells) error {
	t, err := c.texts("Name", "City")
	if err != nil {
		return err
	}
	r.world.Attractions = append(r.world.Attractions, Attraction{Name: t[0], City: t[1]})
	return nil
}

// cities reads the list of [city, state].
func (r *tableReader) cities(value []byte) error {
	rows, _, err := rowjson.Elements[[]byte](value, len(value))
	if err != nil {
		return rowjson.Errorf(rowjson.CodeType, "city_state", "city_state is not a list of [city, state]")
	}
	for i, row := range rows {
		pair, n, err := rowjson.Elements[[]byte](row, 2)
		if err != nil || n != 2 {
			return rowjson.Errorf(rowjson.CodeType, "city_state", "city_state, row %d: not [city, state]", i+1)
		}
		city, err1 := cell(pair[0])
		state, err2 := cell(pair[1])
		if err1 != nil || err2 != nil || city == "" {
			return rowjson.Errorf(rowjson.CodeType, "city_state", "city_state, row %d: not [city, state]", i+1)
		}
		r.world.Cities = append(r.world.Cities, City{city, state})
	}
	return nil
}

// splitList splits a list at a sign and trims its parts.
func splitList(s, sep string) (list []string) {
	for part := range strings.SplitSeq(s, sep) {
		if part = strings.TrimSpace(part); part != "" && part != "-" {
			list = append(list, part)
		}
	}
	return list
}

// minutes reads "10 hours 55 mins", "1 day 2 hours", "1 hours 28 minutes" or "1h".
func minutes(s string) (int, bool) {
	total, rest := 0, strings.ToLower(strings.TrimSpace(s))
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > 1_000_000 {
			return 0, false
		}
		rest = strings.TrimLeft(rest[digits:], " ")
		word := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
		unit := map[string]int{"d": 1440, "day": 1440, "days": 1440, "h": 60, "hour": 60, "hours": 60, "m": 1, "min": 1, "mins": 1, "minute": 1, "minutes": 1}[rest[:word]]
		if unit == 0 {
			return 0, false
		}
		total += n * unit
		rest = strings.TrimLeft(rest[word:], " ,")
	}
	return total, s != ""
}
