# `make help` lists what can be done. Variables: SWIFT (the command to call), ARGS (more arguments for
# board, bench and fuzz), FILTER (only the tests whose name matches), ONCE=1 (run and board end after the replay).

SWIFT ?= swift
ARGS ?=
FILTER ?=
ROUNDS ?= 20
SOURCES = Package.swift Sources Tests Examples Benchmarks
PRODUCTS = obsd obsctl evolution-board
# The tests use Swift Testing only.
TEST = $(SWIFT) test --skip-build --disable-xctest

.DEFAULT_GOAL := help
.PHONY: help setup build run board test lint format reference sanitize fuzz crash bench ci-long clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## install what is needed to build and run (Debian packages; root or sudo)
	@scripts/setup

build: ## release build of obsd, obsctl and evolution-board
	@for product in $(PRODUCTS); do \
	  echo "$(SWIFT) build -c release --product $$product"; \
	  $(SWIFT) build -c release --product $$product || exit; \
	done

run: setup build ## obsd --demo and a live view of four queries; in a pipe or with ONCE=1: one replay, then a summary
	@ONCE='$(ONCE)' scripts/demo .build/release

board: setup build ## the same data as Swift models with registered queries; ends by itself in a pipe or with ONCE=1
	@ONCE='$(ONCE)' .build/release/evolution-board --demo $(ARGS)

# Ring by ring: pure computation, then the one model thread of a process, then sockets (whose subject is often time,
# so they must not starve beside the others), then whole programs.
test: ## build and run all tests (FILTER=name: some; OBS_CONFORMANCE=folder: suites of others too)
	$(SWIFT) build --build-tests
ifdef FILTER
	$(TEST) --filter '$(FILTER)'
else
	$(TEST) --skip 'Obs(Model|Transport|Server|Client)Tests|EndToEndTests'
	$(TEST) --filter ObsModelTests
	$(TEST) --filter 'Obs(Transport|Server|Client)Tests'
	$(TEST) --filter EndToEndTests
endif

lint: ## formatting, and the rules the compiler cannot keep
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@scripts/lint

format: ## format all Swift sources in place
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

reference: ## write deploy/obsd.yaml and the tables of docs/CONFIGURATION.md from the table of settings
	$(SWIFT) build --product obsd
	@scripts/reference "$$($(SWIFT) build --show-bin-path)/obsd"

sanitize: ## all tests under the thread sanitizer, then under the address sanitizer
	scripts/sanitize thread $(if $(FILTER),'$(FILTER)')
	scripts/sanitize address $(if $(FILTER),'$(FILTER)')

fuzz: ## the query language against PyPI jmespath-community (ARGS="COUNT SEED")
	$(SWIFT) build -c release --product query-lines
	scripts/fuzz-language "$$($(SWIFT) build -c release --show-bin-path)/query-lines" $(ARGS)

crash: ## kill -9 and restart, ROUNDS times (default 20), with writers and watchers; then the data are compared
	$(SWIFT) build --build-tests
	OBS_CRASH_ROUNDS=$(ROUNDS) $(TEST) --filter CrashTests

bench: ## all benchmarks beside the floor, one JSON line each (ARGS=name: only that one)
	$(SWIFT) build -c release --product obs-bench
	Benchmarks/run $(ARGS)

ci-long: ## the long checks of CI: Autobahn against the echo server, 5,000 expressions of `make fuzz`, 20 rounds of `make crash`
	scripts/autobahn
	$(SWIFT) build --product query-lines
	scripts/fuzz-language "$$($(SWIFT) build --show-bin-path)/query-lines" 5000
	$(MAKE) crash

clean: ## remove everything that was built
	rm -rf .build
