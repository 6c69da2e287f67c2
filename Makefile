# Needs Python 3.11 or newer with venv and pip, and a C++17 compiler. Everything else is installed into .venv, in the exact
# versions of locks/.

PYTHON ?= python3
PYTEST_ARGS ?=
SECONDS ?= 600
ATTACK_ARGS ?=
SEED ?=
LATEST ?=
CUDA ?=

VENV := $(if $(LATEST),.venv-latest,.venv)
BIN := $(VENV)/bin
INSTALL := $(BIN)/python tools/install.py $(if $(LATEST),--latest) $(if $(CUDA),--cuda)
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(shell find src/continuarm/engine/native -type f)

# Tests run in a fixed order unless a seed is given.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup $(if $(SEED),-p randomly --randomly-seed=$(SEED))

HAND_WRITTEN := $(wildcard src/continuarm/engine/native/*.?pp tests/engine/*.?pp)

# Written after an installation: the package; its tools; torch; the package again, for every instruction set.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_TORCH := $(VENV)/.installed-torch
INSTALLED_ALL_SETS := $(VENV)/.installed-all-sets

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo check test test-all test-rest test-torch costs attack lint docs lock generate format clean always

help:  ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

demo: $(INSTALLED)  ## set up .venv and run a first example
	$(BIN)/python examples/first_steps.py

check: lint  ## lint, then run the tests that are not slow
	$(PYTEST) -m "not slow and not exhaustive and not torch" $(PYTEST_ARGS)

# New releases of the linters do not hide what the tests say of the others.
test: $(if $(LATEST),$(INSTALLED_DEV),lint)  ## lint, then run the tests; SEED=7 shuffles them, LATEST=1 uses the newest releases instead of the locked versions
	$(PYTEST) -m "not exhaustive and not torch" $(PYTEST_ARGS)

test-all: test test-rest  ## run everything in make test, plus sanitizers, emulators, long fits and every instruction set

test-rest: $(INSTALLED_ALL_SETS)
	$(PYTEST) -m "exhaustive and not torch" $(PYTEST_ARGS)

test-torch: $(INSTALLED_TORCH)  ## run the tests that need torch, with its CPU build; CUDA=1 allows the much larger CUDA build from PyPI
	$(PYTEST) -m torch $(PYTEST_ARGS)

costs: lint  ## run the tests and update the table of the most expensive files in docs/explanation/testing.md
	$(PYTEST) -m "not exhaustive and not torch" --write-costs docs/explanation/testing.md

attack: $(INSTALLED_DEV)  ## attack the library for SECONDS=600: hostile calls, files, signals, limits, clients
	PYTHONPATH=tests $(BIN)/python -m attack --seconds $(SECONDS) $(ATTACK_ARGS)

lint: $(INSTALLED_DEV)  ## check style, types, the direction of imports and the workflows
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(HAND_WRITTEN)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(wildcard .github/workflows/*.yml)

docs: $(INSTALLED_DEV)  ## build the site docs/_build/html, pictures and all; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "open docs/_build/html/index.html"

lock: | $(BIN)/python  ## update the versions in locks/ for all supported Pythons and platforms
	@$(INSTALL) lock

generate: $(INSTALLED_DEV)  ## regenerate the C++ code from the Python sources
	$(BIN)/python -m continuarm.engine.printing

format: $(INSTALLED_DEV)  ## rewrite the sources in the project's style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(HAND_WRITTEN)

clean:  ## remove the environment and everything generated
	rm -rf .venv .venv-latest build dist out .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf docs/_build docs/gallery docs/sg_execution_times.rst docs/reference/names docs/reference/commands.rst $(filter-out docs/pictures/%,$(wildcard docs/*/*.png))
	find src tests docs examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "continuarm needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 ...")'
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(INSTALLED): $(BUILD_INPUTS) locks/run.txt $(if $(LATEST),always) | $(BIN)/python
	@$(INSTALL)
	@touch $@

$(INSTALLED_DEV): locks/dev.txt $(INSTALLED)
	@$(INSTALL) dev
	@touch $@

$(INSTALLED_TORCH): $(INSTALLED_DEV) tools/install.py
	@$(INSTALL) torch
	@touch $@

$(INSTALLED_ALL_SETS): $(INSTALLED_DEV)
	@$(INSTALL) all-sets
	@touch $@
