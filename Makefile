# make train            set everything up, train an agent, show how it does against the baselines
# make test             set everything up, run the tests
# make test-rllib       the tests of RLlib and Ray, which pin an older Gymnasium: use another VENV
# make lint             formatting, lint and types, as CI checks them
# GAME=... ARGS=...     another game, more options of `duelgym train` (or of pytest)

PYTHON ?= python3
VENV ?= .venv
GAME ?= dragon_deck
INSTALL ?= -e .
BIN := $(VENV)/bin
SOURCES := pyproject.toml constraints.txt constraints-ray.txt $(if $(filter -e,$(INSTALL)),,$(shell find agents configs envs package training -name '*.py' -o -name '*.yaml'))

.PHONY: train test test-rllib lint clean

train: $(VENV)/.train
	$(BIN)/duelgym train $(GAME) $(ARGS)

test: $(VENV)/.dev
	$(BIN)/pytest -n 2 -m "not rllib" $(ARGS)

test-rllib: $(VENV)/.rllib
	$(BIN)/pytest -m rllib $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Duelgym needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + "; try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.train $(VENV)/.dev: $(VENV)/.%: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt $(INSTALL)'[$*]'
	@touch $@

$(VENV)/.rllib: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-ray.txt $(INSTALL)'[rllib,test]'
	@touch $@
