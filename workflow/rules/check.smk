# `snakemake check`: our trials, fits at equal privacy and totals against the committed reference,
# statuses and verdicts against the expected ones, and whether the audit passed. Without an output
# it runs whenever it is asked for.


rule check:
    input:
        trials="results/huber/trials.csv",
        settings="results/huber/settings.json",
        comparison="results/huber/comparison.csv",
        claims="results/huber/claims.csv",
        calibrated="results/privacy/calibrated.csv",
        calibrated_settings="results/privacy/settings.json",
        audit="results/privacy/audit.csv",
        totals="results/privacy/totals.csv",
        onebit="results/onebit/trials.csv",
        onebit_settings="results/onebit/settings.json",
        onebit_claims="results/onebit/claims.csv",
        dpals="results/dpals/trials.csv",
        dpals_settings="results/dpals/settings.json",
        dpals_claims="results/dpals/claims.csv",
        sources=all_source_records("results"),
    log:
        "results/check.txt",
    conda:
        "../../envs/dpmc.yaml"
    params:
        reference=str(HOME / "results" / "reference"),
    script:
        "../scripts/check.py"


use rule check as check_quick with:
    input:
        trials="results/quick/huber/trials.csv",
        settings="results/quick/huber/settings.json",
        comparison="results/quick/huber/comparison.csv",
        claims="results/quick/huber/claims.csv",
        calibrated="results/quick/privacy/calibrated.csv",
        calibrated_settings="results/quick/privacy/settings.json",
        audit="results/quick/privacy/audit.csv",
        totals="results/quick/privacy/totals.csv",
        onebit="results/quick/onebit/trials.csv",
        onebit_settings="results/quick/onebit/settings.json",
        onebit_claims="results/quick/onebit/claims.csv",
        dpals="results/quick/dpals/trials.csv",
        dpals_settings="results/quick/dpals/settings.json",
        dpals_claims="results/quick/dpals/claims.csv",
        sources=all_source_records("results/quick"),
    log:
        "results/quick/check.txt",
