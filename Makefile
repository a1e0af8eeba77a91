# make run   makes .venv, installs waterview and opens the viewer (or draws into out/ where there is no display)
# make test  makes .venv, installs what is missing and runs lint, types, import rules and every test
# make quick runs lint, types, import rules and the tests that are not slow: an answer in a minute once kernels are compiled
# make bench measures how fast this machine steps and draws water; make compare beside other libraries, into the docs
# make laboratory compares the water with waves that were measured, and writes docs/laboratory.md anew
# make attack tries damaged files, failing disks, random scenes and events for an hour (MINUTES=60), into docs/reliability.md
# make docs  writes the generated pages anew and builds the documentation's site into out/docs
.PHONY: run test quick lint pictures gallery figures docs bench compare laboratory attack clean

PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= auto
MINUTES ?= 60

run: .venv/installed
	$(BIN)/waterview view --without-display out

# Compiled modules of tests are kept, whatever the environment says: without them every run compiles all tests anew.
test: .venv/installed-for-tests lint
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --dist worksteal

quick: .venv/installed-for-tests lint
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --dist worksteal -q -m "not slow"

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

pictures: .venv/installed
	$(BIN)/python docs/pictures.py
	$(BIN)/python assets/presets/make.py

gallery: .venv/installed
	$(BIN)/python docs/gallery.py

figures: .venv/installed-for-docs
	$(BIN)/python docs/figures.py

docs: .venv/installed-for-docs
	$(BIN)/python docs/generate.py
	$(BIN)/zensical build --clean --strict

bench: .venv/installed-for-tests
	$(BIN)/waterview bench
	for each in wave_step bodies reflection; do $(BIN)/python benchmarks/$$each.py || exit; done

compare: .venv/installed-for-comparisons
	$(BIN)/python benchmarks/compare.py --docs

laboratory: .venv/installed-for-docs
	$(BIN)/python benchmarks/laboratory.py --docs

attack: .venv/installed-for-tests
	PYTHONPATH=.:tests $(BIN)/python -m attack --minutes $(MINUTES) --docs

clean:
	rm -rf .venv out build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The system's part: software OpenGL, OpenMP and, for the tests, a virtual screen.
.venv/installed: pyproject.toml .ci/system-packages
	.ci/system-packages run
	.ci/make-venv $(PYTHON)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/installed-for-tests: .venv/installed
	.ci/system-packages test
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

.venv/installed-for-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.venv/installed-for-comparisons: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@
