package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"
)

// FuzzFrames: no bytes make the reader of messages fail or hand over what is no JSON, and it always ends.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\nContent-Type: x\r\n\r\n[{}]"))
	f.Add([]byte("content-length:3\n\n{}\xff"))
	f.Add([]byte("Content-Length: 999999999999\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		r := &frames{r: bufio.NewReader(bytes.NewReader(in)), w: &out}
		total := 0
		for {
			message, err := r.read()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatalf("an error of its own: %v", err)
				}
				break
			}
			if total += len(message); total > len(in) || !rowjson.Valid(message) || !utf8.Valid(message) {
				t.Fatalf("%q was read from %q", message, in)
			}
		}
		answers := &frames{r: bufio.NewReader(&out), w: io.Discard}
		for left := bytes.Count(out.Bytes(), []byte(`{"jsonrpc"`)); left > 0; left-- { // what is answered is messages
			if m, err := answers.read(); err != nil || !json.Valid(m) {
				t.Fatalf("the answer %q: %v", m, err)
			}
		}
	})
}

// slowApply makes an edit by the words of the specification: lines of UTF-16 units.
func slowApply(text string, from, to Position, insert string) string {
	at := func(p Position) int { // in units of the whole text
		u := utf16.Encode([]rune(text))
		line := uint32(0)
		i := 0
		for ; line < p.Line && i < len(u); i++ {
			if u[i] == '\n' || u[i] == '\r' && (i+1 == len(u) || u[i+1] != '\n') {
				line++
			}
		}
		if line < p.Line {
			return len(u)
		}
		for n := uint32(0); n < p.Character && i < len(u) && u[i] != '\n' && u[i] != '\r'; n++ {
			i++
		}
		if i > 0 && i < len(u) && utf16.IsSurrogate(rune(u[i])) && utf16.DecodeRune(rune(u[i-1]), rune(u[i])) != utf8.RuneError {
			i-- // inside a pair
		}
		return i
	}
	u := utf16.Encode([]rune(text))
	a, b := at(from), at(to)
	return string(utf16.Decode(u[:a])) + insert + string(utf16.Decode(u[b:]))
}

// FuzzEdits: a change of a range makes the text that replacing the whole would, by a second implementation; and places
// of bytes come back.
func FuzzEdits(f *testing.F) {
	f.Add("a𝔘b\r\nc\rd\né", uint32(0), uint32(2), uint32(2), uint32(1), "x\n")
	f.Add("(define)\n", uint32(0), uint32(3), uint32(9), uint32(9), "")
	f.Fuzz(func(t *testing.T, text string, l1, c1, l2, c2 uint32, insert string) {
		if !utf8.ValidString(text) || !utf8.ValidString(insert) || len(text) > 1<<16 {
			return
		}
		d := newDocument("file:///a.pddl", "", 1, text, true)
		for off := 0; off <= len(text); off++ {
			if off < len(text) && !utf8.RuneStart(text[off]) || off > 0 && off < len(text) && text[off] == '\n' && text[off-1] == '\r' {
				continue
			}
			if back := d.offset(d.position(uint32(off))); back != uint32(off) {
				t.Fatalf("byte %d is %v, which is byte %d of %q", off, d.position(uint32(off)), back, text)
			}
		}
		from, to := Position{l1, c1}, Position{l2, c2}
		got, err := apply(text, []contentChange{{&Range{from, to}, insert}})
		if err != nil {
			if d.offset(from) <= d.offset(to) {
				t.Fatal(err)
			}
			return
		}
		if want := slowApply(text, from, to, insert); got != want {
			t.Fatalf("%v to %v of %q by %q: %q, want %q", from, to, text, insert, got, want)
		}
	})
}

// FuzzRequests: no text and no place makes a handler panic. The three files of a task are made of the text.
func FuzzRequests(f *testing.F) {
	f.Add("(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :precondition (p ?x)))", "(define (problem q) (:domain d) (:objects o) (:init (p o)) (:goal (p o)))", "(a o)", uint32(0), uint32(40), "name")
	f.Add("(define (domain d) (:types a - (either b", "(define (problem q) (:domain d) (:init (= (f", "1: (a", uint32(0), uint32(20), "?x")
	f.Fuzz(func(t *testing.T, domain, problem, plan string, line, character uint32, name string) {
		s := &Server{opt: Options{Log: io.Discard}, space: newWorkspace(), ctx: t.Context()}
		s.judge.init()
		for path, text := range map[string]string{"/w/d.pddl": domain, "/w/p.pddl": problem, "/w/p.plan": plan} {
			s.space.put(newDocument(uriOf(path), "", 1, text, true))
		}
		for path := range map[string]bool{"/w/d.pddl": true, "/w/p.pddl": true, "/w/p.plan": true} {
			d := s.space.get(uriOf(path))
			for _, x := range s.faultsOf(t.Context(), d) {
				if d.offset(x.Range.Start) > d.offset(x.Range.End) {
					t.Fatalf("%+v", x)
				}
			}
			for method, params := range requests(uriOf(path), Position{line, character}) {
				if m, ok := params.(map[string]any); ok && method == "textDocument/rename" {
					m["newName"] = name
				}
				b, err := json.Marshal(params)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := handlers[method](s, t.Context(), b)
				if err == nil {
					if _, err = json.Marshal(answer); err != nil {
						t.Fatalf("%s: %v", method, err)
					}
				}
			}
		}
	})
}
