# Needs Python 3.11 or newer with venv and pip, and a C++17 compiler. Everything else is installed into .venv.

PYTHON ?= python3
PYTEST_ARGS ?= -n auto --dist loadgroup
SECONDS ?= 600
ATTACK_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(shell find src/continuarm/engine/native -type f)

HAND_WRITTEN := $(wildcard src/continuarm/engine/native/*.?pp tests/engine/*.?pp)

# Written after an installation: without and with the tools of development and of the documentation.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_DOCS := $(VENV)/.installed-docs

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo check test attack lint docs generate format clean

help:  ## list these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

demo: $(INSTALLED)  ## run examples/first_steps.py
	$(BIN)/python examples/first_steps.py

check: lint  ## lint, then run the tests that are not slow: within a minute on two cores
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not slow"

test: lint  ## lint, then run all tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

attack: $(INSTALLED_DEV)  ## attack the library for SECONDS=600: hostile calls, files, signals, limits, clients
	PYTHONPATH=tests $(BIN)/python -m attack --seconds $(SECONDS) $(ATTACK_ARGS)

lint: $(INSTALLED_DEV)  ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(HAND_WRITTEN)

docs: $(INSTALLED_DOCS)  ## build the site docs/_build/html, pictures and all; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "open docs/_build/html/index.html"

generate: $(INSTALLED_DEV)  ## print the native code again from the Python sources
	$(BIN)/python -m continuarm.engine.printing

format: $(INSTALLED_DEV)  ## rewrite the sources in the project's style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(HAND_WRITTEN)

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) build dist out .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf docs/_build docs/gallery docs/sg_execution_times.rst docs/reference/names docs/reference/commands.rst $(filter-out docs/pictures/%,$(wildcard docs/*/*.png))
	find src tests docs examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "continuarm needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(BUILD_INPUTS) tools/install.py | $(BIN)/python
	@$(BIN)/python tools/install.py
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	@$(BIN)/python tools/install.py dev
	@touch $@

$(INSTALLED_DOCS): $(INSTALLED)
	@$(BIN)/python tools/install.py docs
	@touch $@
