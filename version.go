package planproof

import (
	_ "embed"
	"strings"
)

// The file stands in the Python package, since neither Go's embedding nor a Python build
// may reach above its own folder.
//
//go:embed rltrain/python/src/planproof/VERSION
var versionFile string

// Version returns the version of planproof, such as "0.2.0": of this module, the command,
// the oracle's replies and the Python package. It is raised with every change of behaviour.
func Version() string { return strings.TrimSpace(versionFile) }
