# dpmc: differentially private matrix completion, reproduced, checked and extended.
# `snakemake --cores 2` runs everything; README.md and ARCHITECTURE.md say what that is.
# The rules are those of rules/: data, studies (a rule for every kind of job and step that a study
# declares), report and check. `snakemake --list` names them.
from pathlib import Path

from snakemake.utils import min_version

from dpmc_studies.running import launch

min_version("9.0")
HOME = Path(str(workflow.current_basedir))
DEFAULTS = HOME / "config" / "config.yaml"


configfile: str(DEFAULTS)


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        [path for study in STUDIES.values() for path in PLANS["results"].targets(study)],
        "results/report/index.html",


rule quick:
    input:
        "results/quick/report/index.html",


launch.join_run(workflow)
launch.warn_of_settings(workflow, PLANS, DEFAULT_SETTINGS)


# Snakemake limits the rate of jobs by a timer in each round, which starts the next round: a loop
# that takes as much of a core as the jobs. There is no option to turn it off.
onstart:
    if hasattr(workflow, "scheduler") and hasattr(
        workflow.scheduler, "job_rate_limiter"
    ):
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    missing = missing_data()
    if missing:
        print(
            f"dpmc: data not available: {', '.join(missing)}; run `dpmc data fetch` with internet, "
            "or put the files into a mirror folder and set DPMC_DATA_MIRROR, then run this again",
            file=sys.stderr,
        )
