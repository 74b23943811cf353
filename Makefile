# Each target is a script of scripts/; the scripts say what they do.
.DEFAULT_GOAL := help
.PHONY: help run test e2e coverage bench watch release install-test clean-local

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null || grep '##' $(MAKEFILE_LIST)

run: ## everything it needs, then the server with demo data on http://127.0.0.1:3000; prints where program and data are
	@scripts/run.sh

test: ## format, lints, Rust tests, browser tests; ends with a line of totals
	@scripts/test.sh

e2e: ## the browser tests alone, against the server as last built (ARGS="sign-in --headed")
	@scripts/e2e.sh $(ARGS)

coverage: ## line coverage of the engine by the Rust tests
	@scripts/coverage.sh

bench: ## the speed of the optimised program, beside Postgres and the model alone (ARGS="--quick")
	@scripts/bench.sh $(ARGS)

watch: ## the server, rebuilt and reloaded at each change
	@scripts/watch.sh

release: ## the optimised program and its packages, with their checksums, in dist/
	@scripts/release.sh

install-test: ## the wheel of dist/ in a new environment, up to a first recall; prints seconds, sizes and memory
	@scripts/install-test.sh dist/*.whl

clean-local: ## remove .local/, the local data and credentials, after asking
	@scripts/clean-local.sh
