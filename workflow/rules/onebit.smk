# One-bit matrix completion: one job per cell, the trial table, the privacy of OutP, the bounds.


# Clear and the baselines of one data set, link, constraint and share; OutP takes its matrices.
rule onebit_clear:
    input:
        onebit_data,
    output:
        rows=f"{{top}}/onebit/cells/{CLEAR_PATTERN}.csv",
        matrices=f"{{top}}/onebit/clear/{CLEAR_PATTERN}.npz",
    log:
        f"{{top}}/onebit/logs/clear/{CLEAR_PATTERN}.log",
    benchmark:
        f"{{top}}/onebit/benchmarks/{CLEAR_PATTERN}.tsv"
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=clear_settings,
        code=ONEBIT_CODE,
    script:
        "../scripts/onebit_clear.py"


rule onebit_cell:
    input:
        data=onebit_data,
        solution=clear_matrices,
    output:
        f"{{top}}/onebit/cells/{onebit_space.wildcard_pattern}.csv",
    log:
        f"{{top}}/onebit/logs/cells/{onebit_space.wildcard_pattern}.log",
    benchmark:
        f"{{top}}/onebit/benchmarks/{onebit_space.wildcard_pattern}.tsv"
    wildcard_constraints:
        mechanism="(?!clear)[a-z_]+",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=onebit_settings,
        code=ONEBIT_CODE,
    script:
        "../scripts/onebit_cell.py"


rule onebit_trials:
    input:
        onebit_files,
    output:
        trials="{top}/onebit/trials.csv",
        settings="{top}/onebit/settings.json",
    log:
        "{top}/onebit/logs/trials.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(ONEBIT_COLUMNS),
        reference=lambda wildcards: TOPS[wildcards.top]["huber"]["reference"],
        settings=onebit_settings_by_cell,
    script:
        "../scripts/trials.py"


rule onebit_outp:
    output:
        change="{top}/onebit/outp_change.csv",
        attack="{top}/onebit/outp_attack.csv",
    log:
        "{top}/onebit/logs/outp.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=outp_settings,
        code=code_digest(["dpmc.studies.onebit.outp", *ONEBIT_NOISES]),
    script:
        "../scripts/onebit_outp.py"


rule onebit_bounds:
    output:
        "{top}/onebit/bounds.csv",
    log:
        "{top}/onebit/logs/bounds.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=bound_settings,
        code=code_digest(["dpmc.studies.onebit.bounds"]),
    script:
        "../scripts/onebit_bounds.py"


rule onebit_claims:
    input:
        trials="{top}/onebit/trials.csv",
        change="{top}/onebit/outp_change.csv",
        attack="{top}/onebit/outp_attack.csv",
    output:
        "{top}/onebit/claims.csv",
    log:
        "{top}/onebit/logs/claims.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        claims=str(HOME / "config" / "paper" / "onebit_claims.yaml"),
        code=code_digest(["dpmc.studies.huber.published"], PAPER),
    script:
        "../scripts/onebit_claims.py"


rule onebit_tables:
    input:
        ONEBIT_FILES,
    output:
        directory("{top}/onebit/tables"),
    log:
        "{top}/onebit/logs/tables.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.onebit.tables"]),
    script:
        "../scripts/onebit_tables.py"


rule onebit_figures:
    input:
        ONEBIT_FILES,
    output:
        directory("{top}/onebit/figures"),
    log:
        "{top}/onebit/logs/figures.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.onebit.figures"]),
    script:
        "../scripts/onebit_figures.py"


rule onebit:
    input:
        onebit_targets("results"),
