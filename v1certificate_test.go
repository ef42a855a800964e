package planproof_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/search/certificate/proof"
)

// version1 is a certificate of blocksworld:3-1 that the writer of version 1 made (the commit before bf097f4), without
// the ground task in it.
const version1 = "UFBDRVJUMQrTrZZXfbcUB2fAJnpvrYYyOeB378zE36U0j7rh8mIZS+RVhg+NllPH8QmWsbMlrtDgtimi1JI8FuKiJwtL3bIHs3Oiwps00myVFb" +
	"xR846DzjMwUr1xGED51XCY2TI9b0UAAQcGDAMOBAIKAAAABgAPwAMAAC7ABQAAXMAEAABmwAcAAI3AAwAAssAGALve9go="

// TestVersion1Certificate: files of version 1 are still read and checked, and refused where they are changed.
func TestVersion1Certificate(t *testing.T) {
	file, err := base64.StdEncoding.DecodeString(version1)
	if err != nil || !bytes.HasPrefix(file, []byte("PPCERT1\n")) {
		t.Fatal(err)
	}
	task, err := planproof.ReadTask("blocksworld:3-1")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	v, err := planproof.CheckCertificate(ctx, task, bytes.NewReader(file), 0)
	if err != nil || !v.Holds || v.Cost == nil || *v.Cost != "6" || v.PlanSteps == nil || *v.PlanSteps != 6 {
		t.Fatalf("%+v, %v", v, err)
	}
	other, err := planproof.ReadTask("blocksworld:3-2")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := planproof.CheckCertificate(ctx, other, bytes.NewReader(file), 0); err == nil && v.Holds {
		t.Error("it holds for another task")
	}
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		v, err := planproof.CheckCertificate(ctx, task, bytes.NewReader(changed), 0)
		if err == nil && v.Holds {
			t.Errorf("byte %d may be changed", i)
		}
	}
	// Alone it cannot be checked: there is no task in it.
	r, err := proof.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadTask(ctx, 1<<20); err == nil || !strings.Contains(err.Error(), "task") {
		t.Errorf("the task in it: %v", err)
	}
}
