package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/server"
)

// The oracle as a part of another server.
func ExampleNew() {
	o, err := oracle.New(oracle.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := httptest.NewServer(server.New(o, server.Options{}).Handler())
	defer s.Close()
	body := `{"schema":"planproof.extract/1","items":[{"task":"gripper:1","completion":"<plan>\n(move room0 room1)\n</plan>"}]}`
	r, err := http.Post(s.URL+"/v1/extract", "application/json", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(r.StatusCode, strings.Contains(string(text), `"(move room0 room1)"`), err)
	// Output: 200 true <nil>
}
