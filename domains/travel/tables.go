package travel

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// maxTable bounds the bytes of a table in a folder.
const maxTable = 1 << 30

// ReadTables reads the folder "database" of TravelPlanner. Tables that are missing are left empty and named; if all
// are missing, the error wraps fs.ErrNotExist.
func ReadTables(dir string) (w *World, missing []string, err error) {
	w = &World{}
	r := tableReader{world: w}
	tables := []struct {
		file string
		read func(cells) error
	}{
		{"flights/clean_Flights_2022.csv", r.flight}, {"accommodations/clean_accommodations_2022.csv", r.hotel},
		{"restaurants/clean_restaurant_2022.csv", r.restaurant}, {"attractions/attractions.csv", r.attraction},
		{"googleDistanceMatrix/distance.csv", r.road}, {"background/citySet_with_states.txt", nil},
	}
	for _, t := range tables {
		err := readFile(filepath.Join(dir, filepath.FromSlash(t.file)), func(in io.Reader) error {
			if t.read == nil {
				return r.cityLines(in)
			}
			return readCSV(in, strings.HasPrefix(t.file, "google"), t.read)
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, t.file)
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", t.file, err)
		}
	}
	if len(missing) == len(tables) {
		return nil, missing, fmt.Errorf("%s has no tables: %w", dir, fs.ErrNotExist)
	}
	w.Index()
	return w, missing, nil
}

func readFile(name string, read func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(io.LimitReader(f, maxTable))
}

// readCSV reads the rows of a table under its head. Rows with an empty cell are left out, as on loading a world.
func readCSV(in io.Reader, empty bool, read func(cells) error) error {
	rows := csv.NewReader(in)
	head, err := rows.Read()
	if err != nil {
		return err
	}
	for number := 1; ; number++ {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		c, whole := cells{}, true
		for i, text := range row {
			c[head[i]] = strings.TrimSpace(text)
			whole = whole && c[head[i]] != ""
		}
		c.round()
		if whole || empty {
			if err := read(c); err != nil {
				return rowjson.Prefix(fmt.Sprintf("row %d: ", number), err)
			}
		}
	}
}

// round writes whole numbers without the fraction that TravelPlanner's tables give them.
func (c cells) round() {
	for _, column := range []string{"minimum nights", "maximum occupancy"} {
		if text, ok := strings.CutSuffix(c[column], ".0"); ok {
			c[column] = text
		}
	}
}

// cityLines reads lines "city TAB state".
func (r *tableReader) cityLines(in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		city, state, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !ok {
			return fmt.Errorf("%q is not a city and its state", line)
		}
		r.world.Cities = append(r.world.Cities, City{city, state})
	}
	return nil
}
