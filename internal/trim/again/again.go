// Package again trims the program a second time while its packages are initialized: at about half of what they touch.
package again

import (
	_ "regexp" // is initialized about then

	"github.com/planproof/planproof/internal/trim"
)

func init() { trim.Program() }
