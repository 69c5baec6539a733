# Everything runs in a virtual environment; CI runs `make check`.
PYTHON ?= python3
VENV ?= .venv
# An exact version, so that the tests give the same results everywhere; devlint itself does not need torch.
TORCH ?= torch==2.13.0
# The same commit gets the same random tests and examples wherever it is checked; another one gets others.
SEED ?= $(shell echo $$((0x$$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-8 | grep . || echo 0))))
# What `make run` checks: a file or folder, with spaces or without, or several.
PATHS ?= fixtures/mnist_no_cuda_flag/input.py
run: override export PATHS := $(subst ~/,$(HOME)/,$(PATHS))
BIN := $(VENV)/bin

# Tests start hundreds of processes; a setting that forbids bytecode would have each of them compile devlint anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run setup check everything lint types test coverage hazards docs site package rule format corpus crowd fleet fleet-speed faults placements prefilter spellings missing-devices pathological fuzz semantic-fuzz verify verify-operators observe browser mutants mutation frameworks speed speed-check speed-baseline clean libraries programs editors vscode

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: $(VENV)/.installed ## install devlint and check PATHS: findings, then fixes as a diff
	@set -f; if test -e "$$PATHS"; then set -- "$$PATHS"; else set -- $$PATHS; fi; set -x; \
	$(BIN)/devlint check --exit-zero -- "$$@" && $(BIN)/devlint fix --diff -- "$$@"; { test $$? -le 1; } 2>/dev/null

setup: $(VENV)/.ready ## create the virtual environment with everything `make check` needs

check: lint types test ## everything that CI checks

# For the night: `make -k everything` goes on where something fails. The tests under coverage include all of `make hazards`.
everything: export DEVLINT_TESTS = all
everything: lint types coverage spellings prefilter corpus crowd faults pathological fuzz semantic-fuzz verify verify-operators observe mutants mutation ## all checks, and all of what `make check` does in part (hours)

lint: $(VENV)/.ready ## style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.ready ## types
	$(BIN)/mypy

# Slow tests take turns, and some tests try a random part of their cases; the seed that pytest prints says which, and
# DEVLINT_TESTS=all takes every test and every case.
test: $(VENV)/.ready ## tests, in random order
	$(BIN)/python -m pytest -n auto --dist worksteal --slow-share 4 --randomly-seed=$(SEED) --hypothesis-seed=$(SEED) --durations=20 --durations-min=2

# Takes nearly twice as long as the tests alone.
coverage: $(VENV)/.ready ## tests, and the lines that no test runs
	$(BIN)/python -m pytest -n auto --cov --cov-report=term

hazards: $(VENV)/.ready ## every rule's examples in all disguises: crashes, lost comments, fixes that break code? (minutes)
	DEVLINT_TESTS=all $(BIN)/python -m pytest -n auto tests/rules/test_hazards.py

docs: $(VENV)/.ready ## write docs/rules.md and devlint/core/catalogue.py from the rules
	$(BIN)/python -m devlint.rules.generate

# The last lines of mkdocs-material would advertise another generator.
site: export NO_MKDOCS_2_WARNING = 1
site: $(VENV)/.ready ## record the picture of a terminal again, and build the documentation site in build/site
	$(BIN)/python -m website.recording
	$(BIN)/mkdocs build

# In virtual environments of its own: only what a user would have, and the tools that build.
package: $(BIN)/python ## build the sdist and the wheel in dist/, check them, and try the wheel in a fresh virtual environment
	rm -rf dist $(VENV)-package
	$(BIN)/python -m venv $(VENV)-package/tools
	$(VENV)-package/tools/bin/python -m pip install --quiet build twine
	$(VENV)-package/tools/bin/python -m build
	$(VENV)-package/tools/bin/python -m twine check --strict dist/*
	$(BIN)/python -m venv $(VENV)-package/user
	$(VENV)-package/user/bin/python -m pip install --quiet dist/*.whl
	$(VENV)-package/user/bin/devlint --version
	$(VENV)-package/user/bin/devlint check --no-cache --statistics fixtures/mnist_no_cuda_flag/input.py; test $$? -eq 1
	rm -rf $(VENV)-package

rule: $(VENV)/.ready ## write the files of a new rule: NAME is what it finds (cuda-method), CODE its group (DEV1)
	$(BIN)/python -m devlint.rules.generate rule $(NAME) --code $(CODE)

format: $(VENV)/.ready ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

corpus: $(VENV)/.ready ## check and fix pinned packages: is any file made worse?
	$(BIN)/python benchmarks/corpus.py

# CROWD is folders of projects, or options: CROWD="FOLDER --ways safe", for instance.
crowd: $(VENV)/.ready ## check and fix the pinned packages, and those in CROWD, in all ways: is any file made worse? (hours)
	$(BIN)/python -m benchmarks.crowd $(CROWD)

# REPOSITORIES is folders, each with one repository: REPOSITORIES="FOLDER FOLDER --unknown", for instance.
placements: $(VENV)/.ready ## fix copies of REPOSITORIES: does anything go somewhere else on a computer with CUDA? (minutes)
	$(BIN)/python -m benchmarks.placements $(REPOSITORIES)

# Ray and Spark have a virtual environment of their own; Spark also needs Java.
FLEET ?= .venvs/fleet
fleet: $(FLEET)/.ready ## audits on Ray and Spark, started here with two workers, of which one is killed (minutes)
	$(FLEET)/bin/python -m pytest -p no:randomly tests/fleet

# REPOSITORIES is a folder of repositories: FLEET_SPEED="--files 10000", for instance.
fleet-speed: $(FLEET)/.ready ## how fast audits are with processes, Ray and Spark, and how much memory they take (minutes)
	$(FLEET)/bin/python -m benchmarks.fleet $(REPOSITORIES) $(FLEET_SPEED)

$(FLEET)/.ready: pyproject.toml
	$(PYTHON) -m venv $(FLEET)
	$(FLEET)/bin/python -m pip install --quiet --editable ".[dev,fleet,report]" "ray[data]>=2.40" "pyspark>=4.0"
	touch $@

spellings: $(VENV)/.ready ## every rule's examples in every spelling, and random ones: does the prefilter lose a finding? (minutes)
	DEVLINT_TESTS=all $(BIN)/python -m pytest -n auto tests/rules/test_spellings.py
	DEVLINT_SPELLINGS=20000 $(BIN)/python -m pytest tests/rules/test_spellings.py

prefilter: $(VENV)/.ready ## check pinned packages with and without the prefilter and blanking: does a finding or a fix change?
	$(BIN)/python -m benchmarks.prefilter

# FOLDERS are unpacked packages that run on GPUs.
missing-devices: $(VENV)/.ready ## delete one `device=` at a time from the code in FOLDERS: how many does DEV402 find? (minutes)
	$(BIN)/python -m benchmarks.missing_devices $(FOLDERS) --half tuned
	$(BIN)/python -m benchmarks.missing_devices $(FOLDERS) --half other
	$(BIN)/python -m benchmarks.missing_devices $(FOLDERS) --untouched

pathological: $(VENV)/.ready ## check and fix worst-case input: are time and memory bounded? (minutes)
	$(BIN)/python benchmarks/pathological.py

# FUZZ="--seed 7 --count 100000 --runs 100", for instance; a seed gives the same programs again.
fuzz: $(VENV)/.ready ## fix generated programs with device code in every slot of the grammar: is any made worse? (minutes)
	$(BIN)/python -m benchmarks.fuzz $(FUZZ)

# FAULTS="--kills 500 --seed 7", for instance.
faults: $(VENV)/.ready ## kill `devlint fix`, let its system calls fail, fill the disk: is a file lost or half-written? (minutes)
	$(BIN)/python -m benchmarks.faults $(FAULTS)

semantic-fuzz: $(VENV)/.ready ## run generated programs before and after fixes: do they compute the same? (minutes)
	$(BIN)/python -m benchmarks.semantic_fuzz $(FUZZ)

# Takes minutes; only a new torch or a change to the simulator's kernels changes the result. The tests run a random part of it.
verify-operators: $(VENV)/.ready ## compare all of PyTorch's operator samples on the simulated device with the CPU
	$(BIN)/python -m tests.verify.opinfo

verify: $(VENV)/.ready ## verify the fixes of every program under fixtures/, on the CPU and on a simulated GPU
	$(BIN)/devlint verify fixtures

observe: $(VENV)/.ready ## delete devices from programs: how many does `devlint fix --observe` repair? (an hour)
	$(BIN)/python -m benchmarks.observe
# PROGRAMS is a folder of repositories; PYTHON_OF_PROGRAMS has torch and the packages that they import.
PYTHON_OF_PROGRAMS ?= $(BIN)/python
programs: $(VENV)/.ready ## fix the repositories in the folder PROGRAMS: is any file made worse, and which of them run without CUDA?
	$(BIN)/python -m benchmarks.programs $(PROGRAMS) --python $(PYTHON_OF_PROGRAMS)

mutants: $(VENV)/.ready ## break the fixed programs on purpose: how often does `devlint verify` notice?
	$(BIN)/python -m benchmarks.mutants

# A Python with torch and the libraries of benchmarks/libraries/requirements.txt: LIBRARIES="--python PATH transformers_bert".
libraries: $(VENV)/.ready ## run programs with real libraries on the simulated GPU; they must print what they print on the CPU
	$(BIN)/python -m benchmarks.libraries $(LIBRARIES)

# MUTATION="--count 200 --code devlint/engine --tests tests/engine", for instance.
mutation: $(VENV)/.ready ## make small mistakes in devlint's analysis, fixes and engine, and count what the tests notice (an hour)
	$(BIN)/python -m benchmarks.mutation $(MUTATION)

# Needs Chromium and its driver; docs/pictures/report.png is what the page looks like afterwards.
browser: $(VENV)/.ready ## the report's page in Chromium: filters, keyboard, themes, print, speed; and its picture for the documentation
	DEVLINT_BROWSER=1 $(BIN)/python -m pytest tests/report/test_page.py
	$(BIN)/python -m benchmarks.report_picture

# A Python with torch and the libraries of benchmarks/libraries/requirements.txt: FRAMEWORKS="--python PATH trl_sft".
frameworks: $(VENV)/.ready ## compare the table of other libraries' device arguments with their sources, and run programs that use them
	$(BIN)/python -m benchmarks.frameworks
	$(BIN)/python -m benchmarks.framework_programs $(FRAMEWORKS)

speed: $(VENV)/.installed ## compare devlint's speed with other linters, in half an hour (docs/speed.md)
	$(BIN)/python benchmarks/speed.py

speed-check: $(VENV)/.installed ## does devlint do more work than it did?
	$(BIN)/python -m benchmarks.speed_check --cpu

speed-baseline: $(VENV)/.installed ## make the present state the one that `make speed-check` compares with
	$(BIN)/python -m benchmarks.speed_check --update

editors: vscode ## test the language server in a real Neovim (which must be installed) and with VS Code's library
	nvim --version >/dev/null
	$(BIN)/python -m pytest tests/integrations/server

# Needs npm. The result is editors/vscode/dist/devlint.vsix.
vscode: export DEVLINT_PYTHON = $(abspath $(BIN))/python
vscode: $(VENV)/.ready ## build, test and package the extension for VS Code
	cp LICENSE editors/vscode/LICENSE
	cd editors/vscode && npm install --no-package-lock --no-audit --no-fund && npm test && npm run package

clean: ## remove caches and build results
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
