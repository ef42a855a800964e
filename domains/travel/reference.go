package travel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// ReadReference reads the tables that come with a query of TravelPlanner: an object whose names say what is in the
// values, "Restaurants in Rockford" or "Flight from Rockford to St. Petersburg on 2022-03-18". The cities with
// restaurants, hotels or attractions are taken to lie in the query's destination, as the benchmark gives no others;
// the state of the city where the trip begins is not known.
func ReadReference(text []byte, q *Query) (*World, error) {
	org, _ := splitState(q.Org)
	r := referenceReader{world: &World{Cities: []City{{Name: org}}}, query: q}
	if err := rowjson.EachMember(text, r.member); err != nil {
		return nil, err
	}
	r.world.Index()
	return r.world, nil
}

// ReferenceCities lists the cities that a reference names.
func ReferenceCities(text []byte) (cities []string, err error) {
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(cities, name) {
				cities = append(cities, name)
			}
		}
	}
	err = rowjson.EachMember(text, func(name string, _ []byte) error {
		_, rest, _ := strings.Cut(name, " ")
		if city, in := strings.CutPrefix(rest, "in "); in {
			add(city)
		} else if l, _, _, ok := findLeg(rest); ok {
			to, _, _ := cutLast(l.to, " on ")
			add(l.from, to)
		}
		return nil
	})
	return cities, err
}

type referenceReader struct {
	world *World
	query *Query
}

func (r *referenceReader) member(name string, value []byte) error {
	kind, rest, _ := strings.Cut(name, " ")
	if city, in := strings.CutPrefix(rest, "in "); in {
		r.city(city)
		err := r.table(kind, city, value)
		return rowjson.At(rowjson.CodeValue, name, err)
	}
	l, _, _, ok := findLeg(rest)
	if !ok {
		return rowjson.Errorf(rowjson.CodeUnknown, name, "a reference has no table %q", name)
	}
	var err error
	switch kind {
	case "Flight":
		to, date, dated := cutLast(l.to, " on ")
		if !dated {
			return rowjson.Errorf(rowjson.CodeValue, name, "%q has no date", name)
		}
		err = r.flights(leg{l.from, to}, date, value)
	case "Self-driving", "Taxi":
		err = r.road(l, kind == "Taxi", value)
	default:
		err = rowjson.Errorf(rowjson.CodeUnknown, name, "a reference has no table %q", name)
	}
	return rowjson.At(rowjson.CodeValue, name, err)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (r *referenceReader) city(name string) {
	if !slices.ContainsFunc(r.world.Cities, func(c City) bool { return c.Name == name }) {
		state := ""
		if r.query.Days > 3 {
			state = r.query.Dest
		}
		r.world.Cities = append(r.world.Cities, City{name, state})
	}
}

// isText reports whether a table is a sentence such as "No valid information.": it is empty then.
func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

func (r *referenceReader) table(kind, city string, value []byte) error {
	if isText(value) {
		return nil
	}
	rows, _, err := rowjson.Elements[[]byte](value, len(value))
	if err != nil {
		return fmt.Errorf("not a list of rows")
	}
	for i, row := range rows {
		if err := r.row(kind, city, row); err != nil {
			return rowjson.Prefix(fmt.Sprintf("row %d: ", i+1), err)
		}
	}
	return nil
}

func (r *referenceReader) row(kind, city string, row []byte) (err error) {
	w := r.world
	tables := tableReader{world: w}
	switch kind {
	case "Attractions":
		c, err := columns(row, "Name")
		w.Attractions = append(w.Attractions, Attraction{c["Name"], city})
		return err
	case "Restaurants":
		c, err := columns(row, "Name", "Average Cost", "Cuisines")
		if err != nil {
			return err
		}
		c["City"] = city
		return tables.restaurant(c)
	case "Accommodations":
		c, err := columns(row, "NAME", "price", "room type", "house_rules", "minimum nights", "maximum occupancy")
		if err != nil {
			return err
		}
		c["city"] = city
		return tables.hotel(c)
	}
	return rowjson.Errorf(rowjson.CodeUnknown, "", "a reference has no table of %s", kind)
}

// columns reads a row that is a list of cells, or an object of all columns; a row of one cell may be the cell alone.
func columns(row []byte, names ...string) (cells, error) {
	switch {
	case len(row) > 0 && row[0] == '{':
		c, _, err := readCells(row)
		c.round()
		return c, err
	case len(names) == 1:
		text, err := cell(row)
		return cells{names[0]: text}, err
	}
	items, n, err := rowjson.Elements[json.RawMessage](row, len(names))
	if err != nil || n != len(names) {
		return nil, fmt.Errorf("not a list of %d cells (%s)", len(names), strings.Join(names, ", "))
	}
	c := cells{}
	for i, name := range names {
		if c[name], err = cell(items[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

func (r *referenceReader) flights(l leg, date string, value []byte) error {
	if isText(value) {
		return nil
	}
	rows, _, err := rowjson.Elements[[]byte](value, len(value))
	if err != nil {
		return fmt.Errorf("not a list of flights")
	}
	for i, row := range rows {
		c, err := columns(row, "Flight Number", "Price", "DepTime", "ArrTime")
		if err == nil {
			c["OriginCityName"], c["DestCityName"], c["FlightDate"] = l.from, l.to, date
			tables := tableReader{world: r.world}
			err = tables.flight(c)
		}
		if err != nil {
			return rowjson.Prefix(fmt.Sprintf("flight %d: ", i+1), err)
		}
	}
	return nil
}

// road reads the sentence of the tool, "taxi, from A to B, duration: .., distance: .., cost: ..". Both ways of driving
// are one road; the one whose sentence says "No valid information." cannot be used.
func (r *referenceReader) road(l leg, byTaxi bool, value []byte) error {
	text, err := cell(value)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(r.world.Roads, func(d Road) bool { return d.From == l.from && d.To == l.to })
	if at < 0 {
		r.world.Roads = append(r.world.Roads, Road{From: l.from, To: l.to, NoCar: true, NoTaxi: true})
		at = len(r.world.Roads) - 1
	}
	m, err := readTransport(text)
	if err != nil {
		return nil // a sentence without the facts
	}
	read := Road{}
	for _, f := range m.facts {
		switch f.name {
		case "duration":
			read.Duration = f.value
		case "distance":
			read.Distance = f.value
		}
	}
	if err := read.measure(); err != nil {
		return err
	}
	road := &r.world.Roads[at]
	road.Duration, road.Distance, road.Kilometres = read.Duration, read.Distance, read.Kilometres
	if byTaxi {
		road.NoTaxi = read.NoTaxi
	} else {
		road.NoCar = read.NoCar
	}
	return nil
}
