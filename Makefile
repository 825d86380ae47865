# The two commands of a fresh machine (Python 3.11 or newer, pip and make): `make demo` and `make test`.
# Everything is installed into .venv, made anew when pyproject.toml changes. PYTHON chooses the interpreter.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OPENCODE := 1.18.33
PIP := --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help setup demo fmt lint types arch test check cov bench bench-ingest bench-lean bench-lock bench-screens conformance realclient real fastmcp browser pictures docs texts smoke prices clean

help: ## Say what there is.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 14

setup: $(STAMP) ## Install the project and its tools into .venv.

# A Python without ensurepip (Debian splits it off) makes a bare environment, which the outer pip then fills.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "econome needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "installing into $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@if test -x $(BIN)/pip; \
	  then $(BIN)/python -m pip install $(PIP) --editable '.[dev]'; \
	  else $(PYTHON) -m pip --python $(BIN)/python install $(PIP) --editable '.[dev]'; fi
	@touch $@

demo: $(STAMP) ## Show the reports on a made-up tree.
	@$(BIN)/econome demo

fmt: $(STAMP) ## Format the code and mend what the linter can.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: $(STAMP) ## Check style and format.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## Check types, strictly.
	$(BIN)/mypy

arch: $(STAMP) ## Check that the rooms only import downwards and that pure modules stay pure.
	$(BIN)/lint-imports

test: $(STAMP) ## Run everything that must pass.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/make_cli_reference.py --check
	$(BIN)/python -m pytest -n auto --dist loadfile

check: test ## The other name of `make test`.

cov: $(STAMP) ## Run the tests and say which lines they never reach.
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

bench: $(STAMP) ## Measure against ccusage and tokscale (needs npm); BENCH="--large" for more.
	$(BIN)/python -m bench $(BENCH)

bench-ingest: $(STAMP) ## Measure how many events a second the server brings to disk, and how it starts.
	$(BIN)/python -m bench.ingest $(BENCH)

bench-lean: $(STAMP) ## Measure real public MCP servers with `econome proxy` and without (needs npm), and write docs/lean-bench.md.
	$(BIN)/python -m bench.lean --page docs/lean-bench.md $(BENCH)

bench-lock: $(STAMP) ## Lock real public MCP servers, check real upgrades and the time of a check (needs npm), and write docs/lock-bench.md.
	$(BIN)/python -m bench.lock --page docs/lock-bench.md $(BENCH)

bench-screens: $(STAMP) ## Measure the pages beside the commands that say the same, and write docs/pages-bench.md.
	$(BIN)/python -m bench.screens --page docs/pages-bench.md $(BENCH)

conformance: $(STAMP) ## Run the official MCP conformance suite (needs npm) and write its result into the docs.
	$(BIN)/python -m tools.conformance

realclient: $(STAMP) ## Let the Claude Code that REALCLIENT_CLAUDE names hand work over and use a server through the proxy, and check what was said.
	$(BIN)/python -m tools.realclient

real: .real/.fetched ## Run the tests that need the embedded model and the coder opencode, which are fetched (needs npm).
	LOCAL_MODEL_DIR=$(CURDIR)/.real/data OPENCODE_BIN=$$(echo $(CURDIR)/.real/node_modules/opencode-*/bin/opencode | cut -d' ' -f1) \
	  $(BIN)/python -m pytest -rs tests/delegation/test_real_model.py tests/delegation/test_coder_opencode.py

.real/.fetched: $(STAMP)
	$(BIN)/python -m pip install $(PIP) --only-binary xllamacpp --editable '.[local]'
	$(BIN)/econome local setup --data-dir .real/data
	npm install --silent --no-audit --no-fund --prefix .real opencode-ai@$(OPENCODE)
	@touch $@

fastmcp: .fastmcp/.installed ## Run the tests of servers made with FastMCP, in an environment of their own.
	.fastmcp/bin/python -m pytest -rs tests/lean/test_fastmcp.py

.fastmcp/.installed: pyproject.toml
	@$(PYTHON) -m venv --clear .fastmcp >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip .fastmcp
	@if test -x .fastmcp/bin/pip; \
	  then .fastmcp/bin/python -m pip install $(PIP) --editable '.[test]' 'fastmcp>=4,<5'; \
	  else $(PYTHON) -m pip --python .fastmcp/bin/python install $(PIP) --editable '.[test]' 'fastmcp>=4,<5'; fi
	@touch $@

browser: $(STAMP) ## Run the tests of the pages in a real Chromium, which must be installed; CHROMIUM names it where it has another name.
	$(BIN)/python -m pip install $(PIP) --editable '.[browser]'
	$(BIN)/python -m pytest -rs tests/browser

pictures: $(STAMP) ## Take the pictures of the pages in docs/pictures, with a Chromium that is installed.
	$(BIN)/python -m pip install $(PIP) --editable '.[browser]'
	$(BIN)/python -m tools.make_pictures

docs: $(STAMP) ## Write the generated page, picture and diagram, and the manual as files that open from disk, below build/manual.
	$(BIN)/python tools/make_cli_reference.py
	$(BIN)/python tools/make_diagrams.py
	$(BIN)/python tools/make_screenshot.py
	$(BIN)/python tools/make_manual.py

texts: $(STAMP) ## Bring the catalogue of the interface's texts up to date and compile it.
	$(BIN)/python tools/make_texts.py

smoke: $(STAMP) ## Build the wheel and run it alone in an empty environment.
	$(BIN)/python tools/smoke.py

prices: $(STAMP) ## Refresh the bundled prices of other vendors.
	$(BIN)/python -m pip install $(PIP) --editable '.[prices]'
	$(BIN)/python tools/make_prices.py

clean: ## Remove what the other targets made.
	rm -rf $(VENV) .real .fastmcp build dist bench/.work .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
