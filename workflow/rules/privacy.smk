# What the published budgets mean, fits at equal privacy, the frontier, and the audit.


rule privacy_totals:
    output:
        "{top}/privacy/totals.csv",
    log:
        "{top}/privacy/logs/totals.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=privacy_section("totals", "delta"),
        code=code_digest(["dpmc.studies.huber.totals"]),
    script:
        "../scripts/privacy_totals.py"


# One job runs the cells of one data set, rank and solver: most take less than starting Python.
rule transcript_part:
    input:
        transcript_data,
    output:
        "{top}/privacy/transcript/dataset~{dataset}_rank~{rank}_solver~{solver}.csv",
    log:
        "{top}/privacy/logs/transcript/dataset~{dataset}_rank~{rank}_solver~{solver}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        cells=transcript_cells,
        code=TRANSCRIPT_CODE,
    script:
        "../scripts/transcript_part.py"


rule transcript_loss:
    input:
        transcript_parts,
    output:
        "{top}/privacy/transcript_loss.csv",
    log:
        "{top}/privacy/logs/transcript_loss.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(TRANSCRIPT_COLUMNS),
    script:
        "../scripts/joined.py"


rule calibrated_cell:
    input:
        calibrated_data,
    output:
        f"{{top}}/privacy/cells/{calibrated_space.wildcard_pattern}.csv",
    log:
        f"{{top}}/privacy/logs/cells/{calibrated_space.wildcard_pattern}.log",
    benchmark:
        f"{{top}}/privacy/benchmarks/{calibrated_space.wildcard_pattern}.tsv"
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=calibrated_settings,
        code=code_of_fits("dpmc.studies.equal_privacy.trial"),
    script:
        "../scripts/calibrated_cell.py"


rule calibrated:
    input:
        calibrated_files,
    output:
        table="{top}/privacy/calibrated.csv",
        settings="{top}/privacy/settings.json",
    log:
        "{top}/privacy/logs/calibrated.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(CALIBRATED_COLUMNS),
        reference=lambda wildcards: TOPS[wildcards.top]["huber"]["reference"],
        settings=calibrated_settings_by_cell,
    script:
        "../scripts/trials.py"


rule frontier_part:
    output:
        "{top}/privacy/frontier/releases~{releases}.csv",
    log:
        "{top}/privacy/logs/frontier/releases~{releases}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=frontier_settings,
        code=code_digest(["dpmc.privacy.frontier"]),
    script:
        "../scripts/frontier_part.py"


rule frontier:
    input:
        frontier_parts,
    output:
        "{top}/privacy/frontier.csv",
    log:
        "{top}/privacy/logs/frontier.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(FRONTIER_COLUMNS),
    script:
        "../scripts/joined.py"


rule audit_part:
    output:
        "{top}/privacy/audit/{part}.csv",
    log:
        "{top}/privacy/logs/audit/{part}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=privacy_section("audit", "delta", "seed"),
        code=AUDIT_CODE,
    script:
        "../scripts/audit_part.py"


rule audit_table:
    input:
        audit_parts,
    output:
        "{top}/privacy/audit.csv",
    log:
        "{top}/privacy/logs/audit.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(AUDIT_COLUMNS),
    script:
        "../scripts/joined.py"


rule privacy_tables:
    input:
        PRIVACY_TABLES,
    output:
        directory("{top}/privacy/tables"),
    log:
        "{top}/privacy/logs/tables.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        paper=str(HOME / "config" / "paper"),
        variances=lambda wildcards: real_variances_of(TOPS[wildcards.top]),
        code=code_digest(["dpmc.studies.equal_privacy.tables"], PAPER),
    script:
        "../scripts/privacy_tables.py"


rule privacy_figures:
    input:
        PRIVACY_TABLES,
    output:
        directory("{top}/privacy/figures"),
    log:
        "{top}/privacy/logs/figures.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.equal_privacy.figures"]),
    script:
        "../scripts/privacy_figures.py"


# The audit's figure has a rule of its own: the target `audit` needs nothing of the other tables.
rule audit_figure:
    input:
        "{top}/privacy/audit.csv",
    output:
        directory("{top}/privacy/audit_figure"),
    log:
        "{top}/privacy/logs/audit_figure.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.equal_privacy.figures"]),
    script:
        "../scripts/privacy_figures.py"


rule audit:
    input:
        "results/privacy/audit.csv",
        "results/privacy/audit_figure",


rule privacy:
    input:
        privacy_targets("results"),


# Hyper-parameters are chosen once, on other seeds, and live in the configuration.
rule tune_part:
    input:
        calibrated_data,
    output:
        f"{{top}}/privacy/tuning/{calibrated_space.wildcard_pattern}.csv",
    log:
        f"{{top}}/privacy/logs/tuning/{calibrated_space.wildcard_pattern}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=tuning_settings,
        code=code_of_fits("dpmc.studies.equal_privacy.tuning"),
    script:
        "../scripts/tune_part.py"


rule tune:
    input:
        tuning_files,
    output:
        "results/privacy/hyperparameters.csv",
    log:
        "results/privacy/logs/tune.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        columns=list(HYPERPARAMETER_COLUMNS),
    script:
        "../scripts/joined.py"
