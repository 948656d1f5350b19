# `make help` says what there is; the line that begins with ## above a target is what it prints
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TARGET ?= all
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
CONFIG ?=
PROFILE ?=
SITE := build/site-venv
SETTINGS := TARGET CORES CONFIG PROFILE PYTHON VENV
TARGETS := help reproduce report published page test test-all test-faults test-slurm lint site benchmark coverage \
	mutations clean
# a value as one word of the shell, whatever stands in it
quoted = '$(subst ','\'',$(1))'
# " (did you mean TARGET?)": the name in a list that is nearest to another one, if there is Python to find it
NEAREST := import difflib, sys; word, *names = sys.argv[1:]; lower = {name.lower(): name for name in names}; \
	print(*(f" (did you mean {lower[each]}?)" for each in difflib.get_close_matches(word.lower(), lower, 1)))
meant = $(shell $(PYTHON) -c '$(NEAREST)' $(call quoted,$(1)) $(2) 2>/dev/null)
# make takes any name for a setting's, and would run everything; of this check the command line can change nothing,
# neither a variable, for it has none, nor the name "=" of what it goes through
$(foreach =,$(filter-out TARGET CORES CONFIG PROFILE PYTHON VENV,\
  $(foreach =,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(=)))),$(=)))),\
  $(error There is no setting $(=)$(call meant,$(=),$(SETTINGS)); name one of $(SETTINGS)))
# it also makes what stands before a target that it does not know, and takes any file for one
$(foreach name,$(filter-out $(TARGETS) $(VENV)/installed $(SITE)/installed,$(MAKECMDGOALS)),\
  $(error There is no target $(name)$(call meant,$(name),$(TARGETS)); make help lists them. Parts of the run are \
  named by a setting: make reproduce TARGET=quick))
# how many cores, or the profile that says where jobs run
WHERE = $(if $(PROFILE),--profile=$(call quoted,$(PROFILE)),--cores=$(call quoted,$(CORES)))
# checks what is asked for, mends what a crash left, then runs Snakemake
# without threads of BLAS, which would hear Ctrl-C too
LAUNCH = OPENBLAS_NUM_THREADS=1 $(BIN)/python -m dpmc_studies.running.launch $(WHERE) --config=$(call quoted,$(CONFIG))
SOURCES := src tests workflow benchmarks examples envs

.PHONY: $(TARGETS)
.DEFAULT_GOAL := reproduce

## these lines
help:
	@echo "make TARGET, where TARGET is"
	@awk '/^## / {text = substr($$0, 4); next} text {sub(/:.*/, ""); printf "  %-13s %s\n", $$0, text; text = ""}' $(firstword $(MAKEFILE_LIST))
	@echo "Settings, such as make reproduce TARGET=quick: $(SETTINGS)"

## run what TARGET names (all: 35 minutes, quick: 2, a study, check, ...; see docs/run.md); goes on after a crash
reproduce: $(VENV)/installed
	@$(LAUNCH) -- $(foreach name,$(TARGET),$(call quoted,$(name)))

## the report alone: results/report/index.html, and what it needs
report: $(VENV)/installed
	@$(LAUNCH) -- results/report/index.html

## the full report without a run, judged and drawn from the committed tables, in 35 seconds: build/report/index.html
published: $(VENV)/installed
	@OPENBLAS_NUM_THREADS=1 $(BIN)/dpmc reference report --cores $(call quoted,$(CORES))

FILMS := results/page

## a page of a private model of MovieLens 100K: results/page/films.html
page: $(VENV)/installed
	@$(BIN)/dpmc data fetch ml-100k ml-100k-films
	@$(BIN)/dpmc fit --ratings data/ml-100k/u.data --items-are-public --output $(FILMS)/model --force \
		--relation user --rating-range 1 5 --epsilon 5 --delta 1e-6 --quiet
	@$(BIN)/dpmc page $(FILMS)/model --catalogue data/ml-100k/u.item --output $(FILMS)/films.html --force

# each file on one core, in the order of tests/conftest.py; a core whose test hangs is lost, and not begun again
WHOLE_FILES := --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# tests run side by side: one thread of BLAS each
test test-all test-faults coverage: export OPENBLAS_NUM_THREADS = 1

## the everyday tests, a small run of the workflow among them: 3.5 minutes on two idle cores
test: $(VENV)/installed
	@$(BIN)/python -m pytest -q -n $(CORES) $(WHOLE_FILES) -m "not slow"

## the rest of the tests, 12 minutes: statistics with many draws, audits, figures, workflow runs
test-all: $(VENV)/installed
	@$(BIN)/python -m pytest -q -n $(CORES) $(WHOLE_FILES) -m slow

## the quick run on a Slurm of one node, started here as root, killed and resumed (minutes)
test-slurm: $(VENV)/installed
	@DPMC_SLURM=1 $(BIN)/python -m pytest -q tests/reproduction/slurm

# the ten kills first: they take longest (tests/conftest.py)
## full disks, kills, broken files and the like, and what was seen (minutes; as root: more)
test-faults: $(VENV)/installed
	@DPMC_FAULTS=1 DPMC_KILLS=10 $(BIN)/python -m pytest -q tests/faults tests/reproduction/workflow/test_crash.py -k "faults or many_kills"

## style, form and types of the code and of the workflow, and how long the code is
lint: $(VENV)/installed
	@$(BIN)/ruff check --no-cache $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check --compact-diff Snakefile workflow
	@$(BIN)/snakemake --lint
	@$(BIN)/python benchmarks/lines.py

# the packages that make it are not for whoever runs dpmc, so they are kept apart
## the documents as a site: build/site/index.html
site: $(SITE)/installed
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build

$(SITE)/installed: envs/site.txt
	@$(PYTHON) -m venv --clear $(SITE)
	@$(SITE)/bin/python -m pip install --quiet -r envs/site.txt
	@touch $@

## speed of noise, methods and models, as ratios in one run
benchmark: $(VENV)/installed
	@$(BIN)/python benchmarks/bench_noise.py
	@$(BIN)/python benchmarks/bench_methods.py
	@$(BIN)/python benchmarks/bench_onebit.py
	@$(BIN)/python benchmarks/bench_dpals.py

# nothing sees into compiled code: tests that reach nearly all of it and soon end run once more without compiling
AS_PYTHON := tests/library/mechanisms tests/reproduction/studies/huber/test_transcript.py \
	$(patsubst %,tests/library/methods/test_%.py,normal simd) \
	$(patsubst %,tests/reproduction/methods/test_%.py,alternating kernels method_contract private_parts unusable_ratings) \
	$(patsubst %,tests/reproduction/methods/user_level/test_dpals_%.py,covariance fit) \
	$(patsubst %,tests/library/publication/test_%.py,publication_table store)

# hashes run over, as they are meant to
## statement coverage of src by the everyday tests (a quarter of an hour)
coverage: $(VENV)/installed
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n $(CORES) $(WHOLE_FILES) -m "not slow"
	@NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -n $(CORES) $(WHOLE_FILES) -m "not slow" \
		-W "ignore:overflow encountered in scalar:RuntimeWarning" $(AS_PYTHON)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --skip-covered --fail-under=95

## planted faults in the formulas, each of which must turn a test red (minutes)
mutations: $(VENV)/installed
	@$(BIN)/python tests/mutate.py --jobs $(CORES)

## remove results; downloads (data/) and the committed results/reference stay
clean:
	@[ ! -x $(BIN)/python ] || $(BIN)/python -m dpmc_studies.running.run_lock
	@find results -mindepth 1 -maxdepth 1 ! -name reference -exec rm -rf {} + 2>/dev/null || true
	@rm -rf .snakemake

$(VENV)/installed: envs/requirements.lock pyproject.toml src/pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "dpmc: there is no $(PYTHON); install Python 3.11 or later, or name one: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else "dpmc: Python 3.11 or later is needed, $(PYTHON) is %d.%d; name another one: make PYTHON=python3.12" % v)'
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; v > (3, 14) and print("dpmc: Python %d.%d is newer than what dpmc was made for, 3.11 to 3.14; if a package cannot be installed, name another one: make PYTHON=python3.13" % v, file=sys.stderr)'
	@echo "dpmc: installing into $(VENV) (once, about three minutes)"
# what a cut-short installation left may look whole to pip
	@$(PYTHON) -m venv $(if $(wildcard $(VENV)/unfinished),--clear) $(VENV)
	@touch $(VENV)/unfinished
	@touch $(VENV)/incomplete
	@{ $(BIN)/python -m pip install --progress-bar off --require-hashes -r envs/requirements.lock \
		&& rm $(VENV)/incomplete; } | awk '/^(Collecting|Processing)/ && ++n % 25 == 0 {print "dpmc: " n " packages fetched"; fflush()} \
		/^Installing/ {print "dpmc: unpacking " n " packages"; fflush()}'
	@[ ! -e $(VENV)/incomplete ]
	@$(BIN)/python -m pip install --quiet --no-deps -e . -e ./src
	@rm $(VENV)/unfinished
	@touch $@
