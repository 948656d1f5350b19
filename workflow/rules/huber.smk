# The Huber mechanism paper and thesis: one job per cell, the trial table, the side experiments.


# Both seeds of a cell share a job: starting Python and numba costs more than most cells.
rule cell:
    input:
        data=cell_data,
        second=second_data,
    output:
        main=f"{{run}}/cells/{space.wildcard_pattern}.csv",
        replication=f"{{run}}/replication/cells/{space.wildcard_pattern}.csv",
    log:
        f"{{run}}/logs/cells/{space.wildcard_pattern}.log",
    benchmark:
        f"{{run}}/benchmarks/{space.wildcard_pattern}.tsv"
    wildcard_constraints:
        run="results/huber|results/quick/huber",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=cell_settings,
        second_seed=second_seed,
        code=cell_code,
        plugins=cell_plugins,
    script:
        "../scripts/cell.py"


rule trials:
    input:
        cell_files,
    output:
        trials="{run}/trials.csv",
        settings="{run}/settings.json",
    log:
        "{run}/logs/trials.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(TRIAL_COLUMNS),
        reference=lambda wildcards: RUNS[wildcards.run]["huber"]["reference"],
        settings=settings_by_cell,
    script:
        "../scripts/trials.py"


rule convergence:
    output:
        "{run}/convergence.csv",
    log:
        "{run}/logs/convergence.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=side_settings("convergence"),
        code=SIDE_CODE,
    script:
        "../scripts/convergence.py"


rule starts:
    output:
        "{run}/starts.csv",
    log:
        "{run}/logs/starts.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=side_settings("starts"),
        code=SIDE_CODE,
    script:
        "../scripts/starts.py"


rule timing:
    output:
        "{run}/timing.csv",
    log:
        "{run}/logs/timing.log",
    wildcard_constraints:
        run="results/huber|results/quick/huber",
    conda:
        "../../envs/dpmc.yaml"
    # alone on the machine: other jobs would disturb the clock
    threads: workflow.cores
    params:
        settings=side_settings("timing"),
        code=SIDE_CODE,
    script:
        "../scripts/timing.py"


rule huber:
    input:
        [f"{run}/trials.csv" for run in runs_below("results")],
        "results/huber/comparison.csv",
        "results/huber/claims.csv",
        "results/huber/tables",
        "results/huber/figures",
        "results/errata.md",
        "results/manifest.json",
