# asof: what one types while working on it. The continuous check is .ci/run.

GO         ?= go
TOOL       := $(GO) tool -modfile=tools/go.mod
CONCURRENT := . ./dsl/ledger/... ./store/... ./cmd/... ./internal/onnx/... ./internal/models/... ./internal/corenlp/...
BENCH      ?= .
COUNT      ?= 6
FUZZTIME   ?= 20s
MODELS     ?= ../shared/models
STAMP      := $(shell date -u +%Y%m%dT%H%M%SZ)

.PHONY: build demo check test test-long race bench bench-peers bench-text benchstat neo4j-kill neo4j-speed static-table fuzz gpu-check clean

## build: the program, into bin/
build:
	$(GO) build -o bin/asof ./cmd/asof

## demo: stream the bundled conversation in and ask it questions
demo:
	$(GO) run ./cmd/asof demo

## check: formatting, vet, staticcheck, the rules of the house
check:
	@out="$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go'))"; \
		test -z "$$out" || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) test ./internal/lint

## test: what the README says
test:
	$(GO) test ./...

## test-long: the same with the long runs of the state machines and crash tests
test-long:
	ASOF_LONG=1 $(GO) test -count=1 -timeout 60m ./...

## race: the packages that have goroutines, under the race detector
race:
	$(GO) test -race -short -timeout 25m $$($(GO) list -e $(CONCURRENT))

## bench: all benchmarks, raw, with the machine they ran on; BENCH=pattern COUNT=n
bench:
	@mkdir -p build/bench
	@{ echo "machine: $$(uname -sm), $$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $$(nproc) cores, load $$(cut -d' ' -f1 /proc/loadavg)"; \
		echo "commit: $$(git describe --always --dirty), $$($(GO) version)"; \
		$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 60m ./... ; \
		echo "exit: $$?"; } | tee build/bench/$(STAMP).txt
	@echo "raw output in build/bench/$(STAMP).txt"
	@grep -qx 'exit: 0' build/bench/$(STAMP).txt

## bench-peers: W1 on asof and its peers, side by side; ASOF_LONG=1 for 10^6 versions
bench-peers:
	$(GO) run ./bench

## bench-text: full text on LoCoMo, asof and its peers side by side; ASOF_PYTHON names a Python with bm25s and tantivy
bench-text:
	$(GO) run ./bench -text

## benchstat: compare two raw outputs, OLD=file NEW=file
benchstat:
	$(TOOL) benchstat $(OLD) $(NEW)

# neo4j-run starts a server of its own, runs COMMAND against it, and stops it.
NEO4J_HOME := $(CURDIR)/build/neo4j
NEO4J_PORT := 17987
define neo4j-run
	@rm -rf $(NEO4J_HOME) && mkdir -p $(NEO4J_HOME) build
	ASOF_NEO4J_PORT=$(NEO4J_PORT) $(2) deploy/neo4j/server.sh start $(NEO4J_HOME)
	@set -e; trap 'deploy/neo4j/server.sh stop $(NEO4J_HOME)' EXIT; trap 'exit 130' INT TERM; \
		export ASOF_TEST_NEO4J=bolt://127.0.0.1:$(NEO4J_PORT) ASOF_TEST_NEO4J_HOME=$(NEO4J_HOME); $(1)
endef

## neo4j-kill: kill the graph's server or its projector 50 times, verify each time; KILLS=n SEED=n
neo4j-kill:
	$(call neo4j-run,ASOF_NEO4J_KILLS=$(or $(KILLS),50) ASOF_NEO4J_SEED=$(or $(SEED),1) $(GO) test -count=1 -timeout 120m -run TestKill -v ./store/neo4j)

## neo4j-speed: relationships a second, of the projector and of the driver alone, and the lag behind LoCoMo; FACTS=n
neo4j-speed:
	$(call neo4j-run,ASOF_NEO4J_FACTS=$(or $(FACTS),100000) $(GO) test -count=1 -timeout 60m -run TestSpeed -v ./store/neo4j && $(GO) run ./bench -neo4j bolt://127.0.0.1:$(NEO4J_PORT),ASOF_NEO4J_JAVA="-Xms512m -Xmx1g -XX:+UseSerialGC")

## static-table: the embedded tables of word pieces anew, from MODELS/static-table
static-table:
	$(GO) -C tools run ./statictable "$(abspath $(MODELS))" ../internal/static

## fuzz: every fuzz test of the module in turn, each for FUZZTIME
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for name in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "fuzz: $$pkg $$name"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg; \
		done; done

## gpu-check: models on CUDA against the processor, on a machine with an NVIDIA GPU
gpu-check:
	sh internal/onnx/gpu-check.sh

## clean: what was built, and nothing else
clean:
	rm -rf bin build
