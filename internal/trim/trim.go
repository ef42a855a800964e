// Package trim keeps the resident set of `planproof solve` small: it drops pages of the program's own file that start-up
// has touched, so that they do not stand beside the tables of a search. A program with so many packages touches nearly
// all of its file before main begins: 28 MB, because the kernel maps 64 KB around each address, and two megabytes where
// the file is cached in such pieces.
//
// Where the kernel allows it, only the pages that are touched are mapped from then on, see [Single].
//
// It begins when packages are initialized, since the peak would come before main otherwise. Package again, which only
// package main imports, does the same half-way: of the packages that are ready, the linker takes the first by its path.
// On other systems than Linux nothing happens.
package trim
