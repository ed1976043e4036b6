# `make lab` is for learners, the rest for those who teach or build Secant. Any Python 3.11 or newer will do:
# `make lab PYTHON=python3.12`.
PYTHON ?= python3
lang ?= en
port ?=
args ?=
workers ?= auto

.DEFAULT_GOAL := help
.PHONY: help lab test lint build clean

# Builds .venv if it is not ready, then runs .venv's Python with what follows.
bootstrap = @command -v $(PYTHON) >/dev/null || { echo 'There is no $(PYTHON) here: install Python 3.11 or newer.' >&2; exit 1; }; \
	SECANT_LANG=$(lang) $(PYTHON) scripts/bootstrap.py

help:
	@echo 'make lab      open the lessons in JupyterLab (lang=ko, port=8899, args="--no-browser")'
	@echo 'make test     run every test, ruff and mypy (workers=2, args="-k lab")'
	@echo 'make lint     run ruff and mypy alone'
	@echo 'make build    build source/ and release/ from course/'
	@echo 'make clean    remove .venv and caches; workspace/ is kept'

lab:
	$(bootstrap) -m secant.lab --lang $(lang) $(if $(port),--port $(port)) $(args)

# Not in the reader's language: the tests choose it themselves.
test: lang = en
test:
	$(bootstrap) --extra dev -m pytest -n $(workers) $(args)
	@$(MAKE) --no-print-directory lint

lint:
	$(bootstrap) --extra dev -m ruff check
	$(bootstrap) --extra dev -m ruff format --check
	$(bootstrap) --extra dev -m mypy

build:
	$(bootstrap)
	.venv/bin/autograder build

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis dist
	find autograder benchmarks course scripts secant tests -name __pycache__ -prune -exec rm -rf {} +
