# The Huber mechanism paper and thesis: one job per cell, the trial table, the side experiments.


rule cell:
    input:
        data=cell_data,
    output:
        f"{{run}}/cells/{space.wildcard_pattern}.csv",
    params:
        settings=cell_settings,
        code=cell_code,
        plugins=cell_plugins,
    log:
        f"{{run}}/logs/cells/{space.wildcard_pattern}.log",
    benchmark:
        f"{{run}}/benchmarks/{space.wildcard_pattern}.tsv"
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/cell.py"


rule trials:
    input:
        cell_files,
    output:
        trials="{run}/trials.csv",
        settings="{run}/settings.json",
    params:
        reference=lambda wildcards: RUNS[wildcards.run]["huber"]["reference"],
        settings=settings_by_cell,
    log:
        "{run}/logs/trials.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/trials.py"


rule convergence:
    output:
        "{run}/convergence.csv",
    params:
        settings=side_settings("convergence"),
        code=SIDE_CODE,
    log:
        "{run}/logs/convergence.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/convergence.py"


rule starts:
    output:
        "{run}/starts.csv",
    params:
        settings=side_settings("starts"),
        code=SIDE_CODE,
    log:
        "{run}/logs/starts.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/starts.py"


rule timing:
    output:
        "{run}/timing.csv",
    params:
        settings=side_settings("timing"),
        code=SIDE_CODE,
    log:
        "{run}/logs/timing.log",
    # alone on the machine: other jobs would disturb the clock
    threads: workflow.cores
    conda:
        "../../envs/dpmc.yaml"
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
