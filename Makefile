# Everything runs in a virtual environment of its own; `make check` is what CI runs.
PYTHON ?= python3
VENV ?= .venv
# One exact version, so that the tests mean the same everywhere; devlint itself needs no torch.
TORCH ?= torch==2.13.0
# What `make run` looks at.
PATHS ?= fixtures/mnist_no_cuda_flag/input.py
BIN := $(VENV)/bin

.PHONY: help run setup check everything lint types test coverage hazards docs format corpus prefilter spellings pathological verify verify-operators mutants mutation speed speed-check speed-baseline clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: $(VENV)/.installed ## set devlint up and run it over PATHS: the findings, then the fixes as a diff
	$(BIN)/devlint check --exit-zero $(PATHS)
	$(BIN)/devlint fix --diff $(PATHS) || test $$? -eq 1

setup: $(VENV)/.ready ## the virtual environment with all that `make check` needs

check: lint types test ## all that CI checks

# For the night: `make -k everything` goes on where something fails. The tests under coverage include all of `make hazards`.
everything: export DEVLINT_TESTS = all
everything: lint types coverage spellings prefilter corpus pathological verify verify-operators mutants mutation ## all checks, and all of what `make check` does in part (hours)

lint: $(VENV)/.ready ## style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.ready ## types
	$(BIN)/mypy

# Some tests try a random part of their cases; the seed that pytest prints says which, and DEVLINT_TESTS=all takes every case.
test: $(VENV)/.ready ## tests, in random order
	$(BIN)/python -m pytest -n auto

# Takes nearly twice the time of the tests alone.
coverage: $(VENV)/.ready ## tests, and which lines none of them runs
	$(BIN)/python -m pytest -n auto --cov --cov-report=term

hazards: $(VENV)/.ready ## every rule's examples in all disguises: crashes, lost comments, fixes that break code? (minutes)
	DEVLINT_TESTS=all $(BIN)/python -m pytest -n auto tests/rules/test_hazards.py

docs: $(VENV)/.ready ## write docs/rules.md and devlint/core/catalogue.py from the rules
	$(BIN)/python -m devlint.rules.generate

format: $(VENV)/.ready ## put the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

corpus: $(VENV)/.ready ## check and fix pinned packages, and show that no file is made worse
	$(BIN)/python benchmarks/corpus.py

spellings: $(VENV)/.ready ## every rule's examples in every spelling, and random ones: is a finding lost to the prefilter? (minutes)
	DEVLINT_TESTS=all $(BIN)/python -m pytest -n auto tests/rules/test_spellings.py
	DEVLINT_SPELLINGS=20000 $(BIN)/python -m pytest tests/rules/test_spellings.py

prefilter: $(VENV)/.ready ## files that are not parsed: is anything missed in pinned packages?
	$(BIN)/python -m benchmarks.prefilter

pathological: $(VENV)/.ready ## check and fix input at its worst: bounded time and memory, and a clear line? (minutes)
	$(BIN)/python benchmarks/pathological.py

# Minutes, and only a new torch or a change of the simulator's kernels can change it; tests run a random part of it.
verify-operators: $(VENV)/.ready ## all of PyTorch's samples of operators on the simulated device against the CPU
	$(BIN)/python -m tests.verify.opinfo

verify: $(VENV)/.ready ## every program under fixtures/ and its rewritten one, on the CPU and on a simulated GPU
	$(BIN)/devlint verify fixtures

mutants: $(VENV)/.ready ## break the rewritten programs on purpose, and count what `devlint verify` notices
	$(BIN)/python -m benchmarks.mutants

# MUTATION="--count 200 --code devlint/engine --tests tests/engine", for instance.
mutation: $(VENV)/.ready ## make small mistakes in devlint/analysis and devlint/fixes, and count what the tests notice (an hour)
	$(BIN)/python -m benchmarks.mutation $(MUTATION)

speed: $(VENV)/.installed ## how fast devlint is beside its peers, in half an hour: docs/speed.md
	$(BIN)/python benchmarks/speed.py

speed-check: $(VENV)/.installed ## does devlint do more work than it did?
	$(BIN)/python -m benchmarks.speed_check --cpu

speed-baseline: $(VENV)/.installed ## what devlint does now is what `make speed-check` compares with
	$(BIN)/python -m benchmarks.speed_check --update

clean: ## remove what can be made again
	rm -rf .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.installed
