# The configuration, the studies, and what is known of their data.
import json
import os
import sys

import snakemake_logger_plugin_dpmc as progress

from dpmc_studies import configuration, studies
from dpmc.datasets import resolve
from dpmc_studies.datasets.download import available
from dpmc.datasets.registry import check_own_files
from dpmc.errors import InputError
from dpmc_studies.frame.costs import Costs, estimates, priorities
from dpmc_studies.frame.jobs import plan
from dpmc_studies.frame.jobs.job import plain_cells
from dpmc_studies.running import launch

# one thread inside a job: parallelism is Snakemake's
for variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[variable] = "1"
# glibc keeps the memory of arrays for the next ones: a tenth of a job's time went into clean pages
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(2**25))
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(2**30))


def data_available():
    """Whether each real data set of the full run is available without asking a server."""
    data = PLANS["results"].configuration["data"]
    return {
        name: available(resolve(name, data["sets"]), data["directory"], data["mirror"])
        for name in REAL["results"]
    }


try:
    # Snakemake has read them too, but takes the last of two equal keys, and any null
    overlays = [path for path in workflow.configfiles if Path(path) != DEFAULTS]
    configuration.load(DEFAULTS, overlays)
    # a module's configuration is given whole: then its user's settings are what differs
    OWN = configuration.merge(
        configuration.difference(configuration.load(DEFAULTS), config),
        workflow.config_settings.overwrite_config,
    )
    STUDIES = studies.load(config.get("studies") or [])
    PLANS = plan.plans(config, OWN, HOME / "config" / "quick.yaml", STUDIES)
    OWN_SETS = PLANS["results"].configuration["data"]["sets"]
    check_own_files(OWN_SETS)
    REAL = {top: each.real_data(STUDIES.values()) for top, each in PLANS.items()}
    AVAILABLE = data_available()
except InputError as error:
    launch.stop(error)

COSTS = Costs(STUDIES.values())
progress.RUN = launch.asked_run()
progress.SECONDS.update(estimates(PLANS[progress.RUN], COSTS))


wildcard_constraints:
    top="|".join(PLANS),
    dataset="[A-Za-z0-9][A-Za-z0-9_.-]*",


def own_file(wildcards):
    """An own data set's file, so that editing it runs again what depends on it."""
    entry = own_entry(wildcards)
    return [] if entry is None else entry["path"]


def own_entry(wildcards):
    return OWN_SETS.get(wildcards.dataset)


def source_files(top, names=None):
    """Where it is recorded what became of the files of real data sets."""
    return [plan.source_file(name) for name in (REAL[top] if names is None else names)]


def records():
    """What is recorded on each real data set, by name."""
    names = sorted({name for real in REAL.values() for name in real})
    paths = {name: Path(plan.source_file(name)) for name in names}
    return {
        name: json.loads(path.read_text())
        for name, path in paths.items()
        if path.exists()
    }


def missing_data():
    return [name for name, record in records().items() if record["path"] is None]


def state(name, record):
    """A param that changes exactly once: when a missing data set becomes available."""
    found = record["path"] is None and AVAILABLE.get(name)
    return "became available" if found else record.get("state", "first")


# read once: Snakemake removes the records before it runs the rule
STATES = {name: state(name, record) for name, record in records().items()}


def download_state(wildcards):
    return STATES.get(wildcards.dataset, "first")
