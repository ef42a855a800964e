package certificate_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// Whoever receives a certificate checks it against the task, without searching.
func ExampleCheck() {
	ctx := context.Background()
	_, task := tasktest.Bundled("blocksworld:3-1")
	r, err := search.Run(ctx, task, search.Config{})
	if err != nil {
		panic(err)
	}
	made, err := search.Certify(ctx, task, r, search.Limits{}, nil)
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := certificate.WriteGzip(&file, task, made.Certificate); err != nil {
		panic(err)
	}

	const memory = 1 << 30 // bytes
	rd, err := certificate.NewReader(&file)
	if err != nil {
		panic(err)
	}
	cert, err := rd.Read(ctx, task, memory)
	if err != nil {
		panic(err)
	}
	if _, err := certificate.Check(ctx, task, cert, memory); err != nil {
		panic(err)
	}
	fmt.Println("proven:", cert.Claim, cert.Bound)

	cert.Bound++
	_, err = certificate.Check(ctx, task, cert, memory)
	fmt.Println(err)
	// Output:
	// proven: optimal 6
	// plan: it costs 6, the claim is 7
}
