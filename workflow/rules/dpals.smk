# DPALS and what it is compared with: generated data, one job per cell, tables, claims, figures.


# ratings of the format, shape and popularity of data that may not be at hand
rule surrogate:
    output:
        "{top}/dpals/data/{surrogate}.npz",
    log:
        "{top}/dpals/logs/data/{surrogate}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=surrogate_settings,
        code=code_digest(["dpmc.datasets.surrogate", "dpmc.study.seeds"]),
    script:
        "../scripts/surrogate.py"


rule dpals_cell:
    input:
        dpals_data,
    output:
        rows=f"{{top}}/dpals/cells/{dpals_space.wildcard_pattern}.csv",
        # without rows but where an experiment asks for the error by iteration
        iterations=f"{{top}}/dpals/iterations/{dpals_space.wildcard_pattern}.csv",
    log:
        f"{{top}}/dpals/logs/cells/{dpals_space.wildcard_pattern}.log",
    benchmark:
        f"{{top}}/dpals/benchmarks/{dpals_space.wildcard_pattern}.tsv"
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=dpals_settings,
        code=dpals_code,
    script:
        "../scripts/dpals_cell.py"


rule dpals_trials:
    input:
        dpals_files,
    output:
        trials="{top}/dpals/trials.csv",
        settings="{top}/dpals/settings.json",
    log:
        "{top}/dpals/logs/trials.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(DPALS_COLUMNS),
        reference=lambda wildcards: TOPS[wildcards.top]["huber"]["reference"],
        settings=dpals_settings_by_cell,
    script:
        "../scripts/trials.py"


rule dpals_iterations:
    input:
        dpals_iteration_files,
    output:
        "{top}/dpals/iterations.csv",
    log:
        "{top}/dpals/logs/iterations.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(ITERATION_COLUMNS),
    script:
        "../scripts/joined.py"


rule dpals_timing:
    output:
        "{top}/dpals/timing.csv",
    log:
        "{top}/dpals/logs/timing.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=dpals_timing_settings,
        code=dpals_timing_code,
    script:
        "../scripts/dpals_timing.py"


rule dpals_coverage_part:
    input:
        dpals_data,
    output:
        "{top}/dpals/coverage/{dataset}.csv",
    log:
        "{top}/dpals/logs/coverage/{dataset}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=coverage_settings,
        code=code_digest(["dpmc.studies.dpals.coverage"]),
    script:
        "../scripts/dpals_coverage_part.py"


rule dpals_coverage:
    input:
        coverage_files,
    output:
        "{top}/dpals/coverage.csv",
    log:
        "{top}/dpals/logs/coverage.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(COVERAGE_COLUMNS),
    script:
        "../scripts/joined.py"


rule dpals_accounting:
    output:
        "{top}/dpals/accounting.csv",
    log:
        "{top}/dpals/logs/accounting.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=accounting_settings,
        code=code_digest(["dpmc.studies.dpals.accounting"]),
    script:
        "../scripts/dpals_accounting.py"


rule dpals_claims:
    input:
        trials="{top}/dpals/trials.csv",
        iterations="{top}/dpals/iterations.csv",
        timing="{top}/dpals/timing.csv",
        coverage="{top}/dpals/coverage.csv",
        accounting="{top}/dpals/accounting.csv",
    output:
        claims="{top}/dpals/claims.csv",
        surrogate="{top}/dpals/claims_surrogate.csv",
    log:
        "{top}/dpals/logs/claims.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        claims=str(HOME / "config" / "paper" / "dpals_claims.yaml"),
        code=code_digest(["dpmc.studies.huber.published"], PAPER),
    script:
        "../scripts/dpals_claims.py"


rule dpals_tables:
    input:
        DPALS_FILES,
    output:
        directory("{top}/dpals/tables"),
    log:
        "{top}/dpals/logs/tables.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        published=DPALS_PUBLISHED,
        code=code_digest(["dpmc.studies.dpals.tables"], PAPER),
    script:
        "../scripts/dpals_tables.py"


rule dpals_figures:
    input:
        DPALS_FILES,
    output:
        directory("{top}/dpals/figures"),
    log:
        "{top}/dpals/logs/figures.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        published=DPALS_PUBLISHED,
        code=code_digest(["dpmc.studies.dpals.figures"], PAPER),
    script:
        "../scripts/dpals_figures.py"


# candidates of hyper-parameters on the validation data of other seeds
rule dpals_tune_part:
    input:
        dpals_data,
    output:
        f"{{top}}/dpals/tuning/{dpals_space.wildcard_pattern}.csv",
    log:
        f"{{top}}/dpals/logs/tuning/{dpals_space.wildcard_pattern}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=dpals_tuning_settings,
        code=dpals_tuning_code,
    script:
        "../scripts/dpals_tune_part.py"


rule dpals_tune:
    input:
        dpals_tuning_files,
    output:
        "results/dpals/tuning.csv",
    log:
        "results/dpals/logs/tune.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(TUNING_COLUMNS),
    script:
        "../scripts/joined.py"


rule dpals:
    input:
        dpals_targets("results"),
