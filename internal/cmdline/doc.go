// Package cmdline has what a command line needs whatever its commands are: flags anywhere on the
// line, hints for misspelled names, values of flags, profiles, and the resources used.
//
//	arguments ─► Permute ─► urfave/cli ─► usageError: which flag was meant
//	                                  └─► message: which file was meant
package cmdline
