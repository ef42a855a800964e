//go:build !race

package lsp

const raced = false
