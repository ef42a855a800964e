package planproof_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/planproof/planproof"
)

// version1 is a certificate of blocksworld:3-1 that the writer of version 1 made (the commit before bf097f4), without
// the ground task in it.
const version1 = "UFBDRVJUMQrTrZZXfbcUB2fAJnpvrYYyOeB378zE36U0j7rh8mIZS+RVhg+NllPH8QmWsbMlrtDgtimi1JI8FuKiJwtL3bIHs3Oiwps00myVFb" +
	"xR846DzjMwUr1xGED51XCY2TI9b0UAAQcGDAMOBAIKAAAABgAPwAMAAC7ABQAAXMAEAABmwAcAAI3AAwAAssAGALve9go="

// TestVersion1Certificate: files of other versions are refused as such. They name the task by another digest.
func TestVersion1Certificate(t *testing.T) {
	file, err := base64.StdEncoding.DecodeString(version1)
	if err != nil || !bytes.HasPrefix(file, []byte("PPCERT1\n")) {
		t.Fatal(err)
	}
	task, err := planproof.ReadTask("blocksworld:3-1")
	if err != nil {
		t.Fatal(err)
	}
	v, err := planproof.CheckCertificate(context.Background(), task, bytes.NewReader(file), 0)
	if err == nil || !strings.Contains(err.Error(), "other versions") {
		t.Fatalf("%+v, %v", v, err)
	}
}
