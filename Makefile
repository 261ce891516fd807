# Everything sets itself up in .venv; python3 and make are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=

.PHONY: demo test lint types check docs bench faults compat clean

demo: $(VENV)/.installed
	$(BIN)/rulecg demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

check: lint types test

# The pages of docs/ as a site, in site/.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs site

# Long: time to quality on the paper's larger data sets (in the folder RULECG_DATA), both losses on the smaller ones,
# and scaling to ten million rows.
bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/time_to_quality.py
	$(BIN)/python benchmarks/zero_one.py --output docs/benchmarks/zero-one.md
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/ablation.py
	$(BIN)/python benchmarks/scaling.py

# Long: odd tables, settings, files, signals, limits and lying plugins; docs/explanation/reliability.md.
faults: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.campaign --long

# Long: lowest and highest versions of every dependency, on every Python that can be had.
compat: $(VENV)/.installed-dev
	$(BIN)/python -m scripts.compat

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
