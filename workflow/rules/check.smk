# `snakemake check`: our trials against the committed reference, statuses and verdicts against the
# expected ones. Without an output it runs whenever it is asked for.


rule check:
    input:
        trials="results/huber/trials.csv",
        settings="results/huber/settings.json",
        comparison="results/huber/comparison.csv",
        claims="results/huber/claims.csv",
        sources=source_records("results/huber"),
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
        sources=source_records("results/quick/huber"),
    log:
        "results/quick/check.txt",
