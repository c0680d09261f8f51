# One word for everything one does with this project. `make` alone lists the words.
SWIFT ?= swift
SWIFT_SOURCES = Package.swift Sources Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources Examples)

.DEFAULT_GOAL := help
.PHONY: help demo check test tools lint format bench docs conformance ci

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: ## Watch the SDK make real requests over real sockets
	@$(SWIFT) run quickstart

check: ## Lint, build and test only what has changed: the quick loop
	@Scripts/check

test: ## Run the tests; skips those whose programs are not installed, and lists them
	@Scripts/test

tools: ## Install the programs that the tests run (Debian and Ubuntu, as root)
	@Scripts/install-test-tools

lint: ## Check the style of every Swift file, the wording of comments and guides, and the rules of Scripts/lint
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	@Scripts/lint

format: ## Rewrite every Swift file in the project's style
	@$(SWIFT) format --in-place --parallel --recursive $(SWIFT_SOURCES)

bench: ## Compare with AsyncHTTPClient, Go, URLSession and C; options in ARGS, e.g. ARGS="--quick"
	@Benchmarks/run $(ARGS)

docs: ## Write the guides and the reference of all modules, as a website, into ./site
	@Scripts/docs site

conformance: ## Play the public test suites, and write the tables of Docs/Conformance.md; suites in ARGS, e.g. ARGS="cache sse"
	@Scripts/conformance $(ARGS)

ci: ## Everything that must hold before a change lands
	@bash .ci/run
