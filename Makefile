# planproof: `make help` lists the targets.
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
FUZZTIME ?= 30s
BENCH ?= .
BENCHCOUNT ?= 5
# Package, time of each benchmark and benchmarks of `make profile`: what takes the time in
# use, ten seconds of each package.
PROFILED := pddl:2s:Parse grounder:1s:Ground validator:1s:'Validate|Corpus/(airport|termes|psr-middle|assembly)' \
  search:300ms:'AStar|Blind|Auto|Exhaust|AllPairs|Plans' llmbridge/extract:8s:ExtractCorpus/once rltrain:1s:'Score|Stream|Call'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
BENCHSTAT := golang.org/x/perf/cmd/benchstat@latest

# Only the binary is compiled by its profile: tests and checks of the command would compile
# every package a second time (docs/decisions/building.md).
export GOFLAGS := $(GOFLAGS) -pgo=off

.DEFAULT_GOAL := help

.PHONY: build demo test test-model test-python test-trainers wheel race check golden fuzz bench profile bench-compare cover help

build: ## build ./planproof
	$(GO) build -pgo=auto -trimpath -ldflags '$(LDFLAGS)' -o planproof ./cmd/planproof

demo: build ## find a plan for a bundled task, judge it, score five answers of language models
	./planproof solve blocksworld:4-17 -o demo.plan
	./planproof validate blocksworld:4-17 demo.plan --explain
	./planproof score testdata/demo/answers.jsonl --reward valid

test: ## run all tests, with the expensive assertions on
	$(GO) test -tags invariants ./...

test-model: ## run the tests that need a real language model (installs 130 MB outside the repository)
	.ci/test-model

test-python: build ## run the tests of the Python package (standard library only)
	cd rltrain/python && PLANPROOF_TEST_BIN=$(CURDIR)/planproof python3 -m unittest discover -s tests -t . -q

test-trainers: build ## run the contract tests against real trainers' packages (installs them outside the repository)
	.ci/test-trainers --install

wheel: ## make a wheel of the Python package with the binary inside, in rltrain/python/dist
	python3 rltrain/python/wheel.py

race: ## run the tests of search, judge and oracle under the race detector
	$(GO) test -race -short ./search/... ./validator/... ./rltrain/... ./llmbridge/... ./costmodel/store

check: ## gofmt, go vet, import rules, staticcheck
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not gofmt-ed: $$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags invariants ./...
	$(GO) test ./internal/testkit
	$(GO) run $(STATICCHECK) ./...

golden: ## rewrite the golden files; then read the diff
	UPDATE=1 $(GO) test ./...
	git diff --stat

fuzz: ## run every fuzz target for FUZZTIME (30s, or a count such as 5000x) each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x -parallel 2 $$pkg; \
	  done; \
	done

bench: ## run the benchmarks into bench/new.txt (BENCH=pattern, BENCHCOUNT=5)
	@mkdir -p bench
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(BENCHCOUNT) ./... | tee bench/new.txt

profile: ## measure anew which code is hot: the compiler reads cmd/planproof/default.pgo
	@set -e; dir=$$(mktemp -d); for it in $(PROFILED); do pkg=$${it%%:*}; it=$${it#*:}; \
	  $(GO) test -trimpath -o $$dir/test ./$$pkg -run '^$$' -bench "$${it#*:}" -benchtime $${it%%:*} -cpu 1 -cpuprofile $$dir/$$(echo $$pkg | tr / -).prof; \
	done; $(GO) tool pprof -proto $$dir/*.prof > $$dir/all; mv $$dir/all cmd/planproof/default.pgo; rm -r $$dir

bench-compare: ## compare bench/old.txt with bench/new.txt
	$(GO) run $(BENCHSTAT) bench/old.txt bench/new.txt

cover: ## statement coverage, per package and as bench/cover.html
	@mkdir -p bench
	$(GO) test -coverprofile bench/cover.out ./...
	$(GO) tool cover -html bench/cover.out -o bench/cover.html

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16
