# `make lab` is for learners; the other targets are for instructors and developers. Python 3.11 or any newer one
# works, for example `make lab PYTHON=python3.12`.
PYTHON ?= python3
lang ?= en
port ?=
args ?=
workers ?= auto
lesson ?=

.DEFAULT_GOAL := help
.PHONY: help lab demo test test-all test-deep test-newest pythons lint build bench mutants preview screenshots clean

# Builds .venv if needed, and then runs its Python with the arguments that follow.
bootstrap = @command -v $(PYTHON) >/dev/null || { echo 'There is no $(PYTHON) here: install Python 3.11 or newer.' >&2; exit 1; }; \
	SECANT_LANG=$(lang) $(PYTHON) scripts/bootstrap.py

help:
	@echo 'make lab      open the lessons in JupyterLab (lang=ko, port=8899, args="--no-browser")'
	@echo 'make demo     grade a class of 40 invented students, and open its report (lang=ko, args="--students 10")'
	@echo 'make test     run the quick tests, ruff and mypy (workers=2, args="-k lab"; lesson=3: its own tests, all of them)'
	@echo 'make test-all   run all tests, those with browsers, PostgreSQL, a hub, a cluster and wheels, too, then'
	@echo '                test-newest, where the newest PyTorch can be installed: as CI does'
	@echo 'make test-deep  also what repeats in depth (docs/trust.md): before a release'
	@echo 'make test-newest  run the recorded answers, the lessons, the graph and the causes with the newest PyTorch'
	@echo 'make pythons  run the tests in every Python from 3.11 on that is here, with the newest packages (args="--only 3.12")'
	@echo 'make lint     run ruff and mypy alone'
	@echo 'make build    build source/ and release/ from course/ (args=--strict refuses stale translations)'
	@echo 'make bench    measure every figure beside its peers, and write docs/performance.md (args="kernels")'
	@echo 'make mutants  count which suite notices 120 random faults in the code: hours (args="--seed 2")'
	@echo 'make preview  write the lessons as static pages into preview/, for any web server'
	@echo 'make screenshots  take pictures of lessons in JupyterLab into screenshots/ (args="1 2 --lang ko --theme dark")'
	@echo 'make clean    remove the environments and caches; workspace/ is kept'

lab:
	$(bootstrap) -m secant lab --lang $(lang) $(if $(port),--port $(port)) $(args)

demo:
	$(bootstrap) -m scripts.demo $(args)

# These targets ignore a `lang` in the environment, because the tests choose their languages themselves.
test test-all test-deep test-newest pythons bench mutants: lang = en

# The sources are compiled once for all the processes that tests start, even if PYTHONDONTWRITEBYTECODE is set. Lint
# runs before pytest, so that the last lines of the output tell which tests were left out.
test:
	$(bootstrap) --extra dev -m compileall -q autograder scripts secant tests
	$(if $(lesson),,@$(MAKE) --no-print-directory lint)
	$(bootstrap) --extra dev -m pytest -n $(workers) --no-loadscope-reorder $(if $(lesson),--lesson $(lesson)) $(args)

test-all:
	@$(MAKE) --no-print-directory test args='--whole $(args)'
	$(if $(args),,@$(MAKE) --no-print-directory test-newest args=--if-possible)

test-deep:
	@$(MAKE) --no-print-directory test args='--deep $(args)'

# Runs in .venv-newest, which can also use the packages of .venv. It takes 5 GB with CUDA's libraries.
test-newest:
	$(bootstrap) --extra dev -m scripts.newest -n $(workers) --no-loadscope-reorder $(args)

# Each Python has a separate environment (.venv-3.12 and so on) of several GB, because it contains PyTorch.
pythons:
	$(bootstrap) --extra dev -m scripts.pythons -n $(workers) --no-loadscope-reorder $(args)

lint:
	$(bootstrap) --extra dev -m ruff check
	$(bootstrap) --extra dev -m ruff format --check
	$(bootstrap) --extra dev -m mypy

build:
	$(bootstrap)
	.venv/bin/autograder build $(args)

# The packages of the libraries that are compared go into .venv-bench, when a benchmark first needs them.
bench:
	$(bootstrap) --extra dev --extra scale -m benchmarks $(args)

# Runs in .mutants/, in a clone of the last commit; an interrupted run continues there.
mutants:
	$(bootstrap) --extra dev -m scripts.mutants $(args)

preview:
	$(bootstrap) --extra dev -m scripts.preview $(args)

screenshots:
	$(bootstrap) --extra dev -m scripts.screenshots $(args)

clean:
	rm -rf .venv .venv-3.* .venv-newest .venv-bench .venv-webkit .mutants .pytest_cache .ruff_cache .mypy_cache .hypothesis dist
	find autograder benchmarks course scripts secant tests -name __pycache__ -prune -exec rm -rf {} +
