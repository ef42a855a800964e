# planproof: `make help` lists the targets.
GO ?= go
COMMIT ?= $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
# Static, as in the wheels, and without urfave/cli's writers of manuals: both make the program smaller while it runs.
RELEASE := -pgo=auto -trimpath -tags urfave_cli_no_docs -ldflags '-s -w -X main.commit=$(COMMIT)'
FUZZTIME ?= 30s
BENCH ?= .
BENCHCOUNT ?= 5
# Package, time of each benchmark and benchmarks of `make profile`: what takes the time in
# use, ten seconds of each package.
PROFILED := pddl:2s:Parse grounder:1s:Ground validator:1s:'Validate|Corpus/(airport|termes|psr-middle|assembly)' \
  search:300ms:'AStar|Blind|Auto' search/space:300ms:'Exhaust|AllPairs|Plans' llmbridge/extract:8s:ExtractCorpus/once rltrain/oracle:1s:'Score|Stream|Call'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
MYPY := mypy==2.4.1
BENCHSTAT := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

# The demo, tests and checks share what is compiled: without the profile of the binary, by
# which every package would be compiled a second time, and without debug information, which
# costs a tenth of the time (docs/decisions/building.md).
export GOFLAGS := $(GOFLAGS) -pgo=off -gcflags=all=-dwarf=false
TESTED := -vet=off -tags invariants # `make check` runs vet

.DEFAULT_GOAL := help

.PHONY: build install demo test test-all test-model test-python test-trainers test-vscode test-editors vsix wheel wheels race check check-python golden fuzz bench profile bench-compare house cover clean help playground test-browser

build: ## build ./planproof
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o planproof ./cmd/planproof

playground: ## make the plan debugger as a static folder, ./playground, that needs no server
	rm -rf playground && mkdir playground
	cp llmbridge/debugger/page/* playground/ && cp cmd/playground/page/* playground/
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" playground/
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' -o playground/planproof.wasm ./cmd/playground
	gzip -9 -n playground/planproof.wasm

install: ## install planproof where `go install` puts programs
	CGO_ENABLED=0 $(GO) install $(RELEASE) ./cmd/planproof

demo: ## find a plan for a bundled task, judge it, score five answers of language models
	$(GO) build -o planproof ./cmd/planproof
	./planproof solve blocksworld:4-17 -o demo.plan
	./planproof validate blocksworld:4-17 demo.plan --explain
	./planproof score testdata/demo/answers.jsonl --reward valid

test: ## run the tests but for the long ones, with the expensive assertions on: minutes
	$(GO) test -short $(TESTED) ./...

test-all: ## run all tests
	$(GO) test $(TESTED) ./...

test-model: ## run the tests that need a real language model (installs 130 MB outside the repository)
	llmbridge/model/tools/test-model

test-browser: build playground ## run the tests of the plan debugger's page in headless Chromium (installs 40 MB outside the repository)
	llmbridge/debugger/browser/run --install

test-python: build ## run the tests of the Python package (standard library only)
	cd rltrain/python && PLANPROOF_TEST_BIN=$(CURDIR)/planproof python3 -m unittest discover -s tests -t . -q

test-trainers: build ## run the contract tests against real trainers' packages (installs them outside the repository)
	rltrain/python/contract/run --install

test-vscode: build ## test the VS Code extension under node (installs its packages outside the repository)
	editors/vscode/test/run --install

test-editors: build ## test VS Code with the extension, and the settings for Neovim and Emacs, in the editors themselves (installs them outside the repository)
	editors/test/run --install

vsix: ## package the VS Code extension with the server inside, in editors/vscode/dist
	editors/vscode/package.sh

wheel: ## make a wheel of the Python package with the binary inside, in rltrain/python/dist
	python3 rltrain/python/wheel.py

wheels: ## make the wheels for Linux and macOS on x86-64 and arm64, and the source distribution, in rltrain/python/dist
	python3 rltrain/python/wheel.py --all

race: ## run the tests of search, judge and oracle under the race detector
	$(GO) test -race -short -vet=off ./search/... ./validator/... ./rltrain/... ./llmbridge/... ./costmodel/store ./internal/lsp

check: check-python ## gofmt, go vet, import rules, staticcheck; the types of the Python package
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not gofmt-ed: $$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags invariants ./...
	$(GO) test ./internal/testkit
	$(GO) run $(STATICCHECK) ./...

check-python: ## the types of the Python package, by mypy in an environment outside the repository
	@home="$${XDG_CACHE_HOME:-$$HOME/.cache}/planproof/$(MYPY)"; \
	if [ ! -x "$$home/bin/mypy" ]; then python3 -m venv "$$home" && "$$home/bin/pip" install --quiet $(MYPY); fi; \
	cd rltrain/python && "$$home/bin/mypy" --cache-dir "$$home/cache"

golden: ## rewrite the golden files; then read the diff
	UPDATE=1 $(GO) test -short $(TESTED) $$(grep -rlE '"UPDATE"|testkit\.Golden' --include='*_test.go' . | xargs -n 1 dirname | sort -u)
	git diff --stat

fuzz: ## run every fuzz target for FUZZTIME (30s, or a count such as 5000x) each
	@set -e; for it in $$(grep -rE '^func Fuzz' --include='*_test.go' . | sed -E 's|/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|:\1|' | sort); do \
	  echo "== $$it"; \
	  $(GO) test -vet=off -run '^$$' -fuzz "^$${it#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x -parallel 2 $${it%:*}; \
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

house: ## lines and public entries of each package, long files, long functions, copies
	@$(GO) test -vet=off ./internal/testkit -run 'TestHouse$$' -count 1 -v

cover: ## statement coverage, per package and as bench/cover.html
	@mkdir -p bench
	$(GO) test -coverprofile bench/cover.out ./...
	$(GO) tool cover -html bench/cover.out -o bench/cover.html

clean: ## remove what the other targets make here, but for bench/
	rm -rf planproof playground demo.plan rltrain/python/dist editors/vscode/dist
	find . -name __pycache__ -o -path '*/testdata/rapid' | xargs rm -rf

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16
