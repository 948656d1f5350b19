# dpmc: differentially private matrix completion, reproduced, checked and extended.
# `snakemake --cores 2` runs everything; README.md and ARCHITECTURE.md say what that is.
from pathlib import Path

from snakemake.utils import min_version

from dpmc import launch

min_version("9.0")
HOME = Path(workflow.basedir)
launch.before_execution(workflow)


configfile: str(HOME / "config" / "config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/privacy_inputs.smk"
include: "workflow/rules/onebit_inputs.smk"
include: "workflow/rules/dpals_inputs.smk"
include: "workflow/rules/huber.smk"
include: "workflow/rules/privacy.smk"
include: "workflow/rules/onebit.smk"
include: "workflow/rules/dpals.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/forensics.smk"


rule all:
    default_target: True
    input:
        rules.huber.input,
        rules.privacy.input,
        rules.onebit.input,
        rules.dpals.input,
        "results/report/index.html",


rule quick:
    input:
        "results/quick/huber/trials.csv",
        "results/quick/report/index.html",


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
