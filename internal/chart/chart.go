// Package chart writes SVG: the pictures of every command come out of it.
//
//	New(attributes) ─► Add(element, element, ...) ─► Add(...) ─► WriteTo
//	                       ▲
//	   Shape, Text, Title, Group, Holding
//
// A [Drawing] is a list of lines, one for each call of Add. Attributes are pairs of a name
// and a value, in the order in which they are written:
//
//	d := chart.New("width", 200, "height", 40)
//	d.Add(chart.Shape("rect", "x", 10, "y", 5.5, "fill", "#2b6cb0"), chart.Text("12 of 30", "x", 80, "y", 20))
//
// Numbers have a fixed form, so that the same calls give the same bytes on every machine:
// an int is written as it is, a float64 with one decimal. All text is escaped.
package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
)

// Element is a piece of SVG, complete and escaped.
type Element string

// Shape is an element without content, such as rect, line or path.
func Shape(name string, attrs ...any) Element {
	return Element("<" + name + attributes(attrs) + "/>")
}

// Text is a line of text. Its y is that of the baseline.
func Text(text string, attrs ...any) Element {
	return Element("<text"+attributes(attrs)+">"+escape(text)) + "</text>"
}

// Title names a drawing, or a group of elements that shows it when pointed at.
func Title(text string) Element { return Element("<title>"+escape(text)) + "</title>" }

// Holding is an element with others inside it, such as a line with an animation of its end.
func Holding(name string, inside []Element, attrs ...any) Element {
	e := Element("<" + name + attributes(attrs) + ">")
	for _, in := range inside {
		e += in
	}
	return e + Element("</"+name+">")
}

// Group holds elements together.
func Group(elements ...Element) Element {
	group := Element("<g>")
	for _, e := range elements {
		group += e
	}
	return group + "</g>"
}

// attributes writes pairs of names and values.
func attributes(pairs []any) string {
	var b bytes.Buffer
	for i := 0; i < len(pairs); i += 2 {
		value := fmt.Sprint(pairs[i+1])
		if f, ok := pairs[i+1].(float64); ok {
			value = fmt.Sprintf("%.1f", f)
		}
		fmt.Fprintf(&b, ` %s="%s"`, pairs[i], escape(value))
	}
	return b.String()
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

// Drawing is a picture that grows line by line.
type Drawing struct{ b bytes.Buffer }

// New begins a drawing with the attributes of its root: width, height, fonts.
func New(attrs ...any) *Drawing {
	d := new(Drawing)
	fmt.Fprintf(&d.b, "<svg xmlns=\"http://www.w3.org/2000/svg\"%s>\n", attributes(attrs))
	return d
}

// Add appends elements, later ones on top of earlier ones.
func (d *Drawing) Add(elements ...Element) {
	for _, e := range elements {
		d.b.WriteString(string(e))
	}
	d.b.WriteByte('\n')
}

// WriteTo ends the drawing and writes it. It implements [io.WriterTo].
func (d *Drawing) WriteTo(w io.Writer) (int64, error) {
	d.b.WriteString("</svg>\n")
	return d.b.WriteTo(w)
}
