VENV := .venv
PY := $(VENV)/bin/python

.PHONY: install demo test check bench

$(VENV)/.installed: pyproject.toml
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[dev]"
	touch $@

install: $(VENV)/.installed

demo: install
	$(VENV)/bin/bfsql-rdf bfs data/sherlock.ttl,ontology/traits/sherlock.ttl @queries/example-8-true-identity.json --profile data/sherlock.toml --indent 2

test: install
	$(PY) -m pytest -q -n 2

check: install
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: install
	$(PY) -m bench
