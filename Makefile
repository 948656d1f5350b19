# make reproduce [TARGET=all|huber|privacy|onebit|dpals|audit|tune|quick|check|forensics] [CORES=2] [CONFIG=config/mine.yaml]
# make test | lint | report | benchmark | coverage | mutations | clean
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TARGET ?= all
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
CONFIG ?=
# workflow/profiles/default says the same; given here, so that the first line is ours
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --logger dpmc --scheduler greedy --rerun-incomplete --show-failed-logs
OVERLAY := $(if $(CONFIG),--configfile $(CONFIG))
SOURCES := src tests workflow benchmarks

.PHONY: reproduce test lint report benchmark coverage mutations clean

reproduce: $(VENV)/installed
	@$(SNAKEMAKE) $(TARGET) $(OVERLAY)

test: $(VENV)/installed
	@$(BIN)/python -m pytest -q -n $(CORES) --dist worksteal

lint: $(VENV)/installed
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/snakefmt --check --compact-diff Snakefile workflow
	@$(BIN)/snakemake --lint

report: $(VENV)/installed
	@$(SNAKEMAKE) results/report/index.html $(OVERLAY)

benchmark: $(VENV)/installed
	@$(BIN)/python benchmarks/bench_noise.py
	@$(BIN)/python benchmarks/bench_solvers.py
	@$(BIN)/python benchmarks/bench_onebit.py
	@$(BIN)/python benchmarks/bench_dpals.py

# statement coverage of src: kernels as Python, plus every subprocess that the tests start
coverage: $(VENV)/installed
	@$(BIN)/coverage erase
	@NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -m "not workflow"
	@$(BIN)/coverage run -m pytest -q tests/solvers/test_simd.py tests/workflow/test_data.py tests/workflow/test_readme.py
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --fail-under=95

# planted faults in the formulas, each of which must turn a test red (minutes)
mutations: $(VENV)/installed
	@$(BIN)/python tests/mutate.py

# results go, downloads (data/) and the committed results/reference stay
clean:
	@find results -mindepth 1 -maxdepth 1 ! -name reference -exec rm -rf {} + 2>/dev/null || true
	@rm -rf .snakemake

$(VENV)/installed: envs/requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "dpmc: there is no $(PYTHON); install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "dpmc: Python 3.11, 3.12 or 3.13 is needed, $(PYTHON) is %d.%d; name another one: make PYTHON=python3.12" % v)'
	@echo "dpmc: installing into $(VENV) (once, about a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes -r envs/requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@
