//go:build race

package lsp

const raced = true // everything takes many times as long
