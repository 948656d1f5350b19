# From trial tables to comparison, claims, tables, figures, errata, manifest and page.


rule comparison:
    input:
        trials="{run}/trials.csv",
    output:
        "{run}/comparison.csv",
    log:
        "{run}/logs/comparison.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        paper=str(HOME / "config" / "paper"),
        variances=real_variances,
        code=code_digest(["dpmc.studies.huber.published"], PAPER),
    script:
        "../scripts/comparison.py"


rule claims:
    input:
        trials="{run}/trials.csv",
        convergence="{run}/convergence.csv",
        starts="{run}/starts.csv",
        timing=timing_table,
        calibrated=lambda wildcards: f"{top_of(wildcards.run)}/privacy/calibrated.csv",
    output:
        "{run}/claims.csv",
    log:
        "{run}/logs/claims.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        paper=str(HOME / "config" / "paper"),
        variances=real_variances,
        seed=lambda wildcards: RUNS[wildcards.run]["huber"]["seed"],
        code=code_digest(["dpmc.studies.huber.published"], PAPER),
    script:
        "../scripts/claims.py"


rule stability:
    input:
        first="results/huber/claims.csv",
        second="results/huber/replication/claims.csv",
    output:
        "results/huber/claims_stability.csv",
    log:
        "results/huber/logs/stability.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.huber.published"]),
    script:
        "../scripts/stability.py"


rule tables:
    input:
        trials="{top}/huber/trials.csv",
        comparison="{top}/huber/comparison.csv",
    output:
        directory("{top}/huber/tables"),
    log:
        "{top}/huber/logs/tables.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.huber.tables"]),
    script:
        "../scripts/tables.py"


rule figures:
    input:
        trials="{top}/huber/trials.csv",
        comparison="{top}/huber/comparison.csv",
        convergence="{top}/huber/convergence.csv",
    output:
        directory("{top}/huber/figures"),
    log:
        "{top}/huber/logs/figures.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        code=code_digest(["dpmc.studies.huber.figures"]),
    script:
        "../scripts/figures.py"


rule errata:
    input:
        trials="{top}/huber/trials.csv",
        onebit=ONEBIT_FILES,
        dpals=DPALS_FILES,
        sources=lambda wildcards: all_source_records(wildcards.top),
    output:
        "{top}/errata.md",
    log:
        "{top}/logs/errata.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        paper=str(HOME / "config" / "paper"),
        code=code_digest(["dpmc.report.errata"], PAPER),
    script:
        "../scripts/errata.py"


rule manifest:
    input:
        trials=lambda wildcards: [
            f"{run}/trials.csv" for run in runs_below(wildcards.top)
        ],
        calibrated="{top}/privacy/calibrated.csv",
        onebit="{top}/onebit/trials.csv",
        dpals="{top}/dpals/trials.csv",
        sources=lambda wildcards: all_source_records(wildcards.top),
    output:
        "{top}/manifest.json",
    log:
        "{top}/logs/manifest.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        home=str(HOME),
        configuration=lambda wildcards: RUNS[f"{wildcards.top}/huber"],
        seeds=lambda wildcards: {
            f"{wildcards.top}/privacy": TOPS[wildcards.top]["privacy"]["seed"],
            f"{wildcards.top}/onebit": TOPS[wildcards.top]["onebit"]["seed"],
            f"{wildcards.top}/dpals": TOPS[wildcards.top]["dpals"]["seed"],
            **{run: RUNS[run]["huber"]["seed"] for run in runs_below(wildcards.top)},
        },
    script:
        "../scripts/manifest.py"


rule page:
    input:
        trials="{top}/huber/trials.csv",
        comparison="{top}/huber/comparison.csv",
        claims="{top}/huber/claims.csv",
        stability=lambda wildcards: (
            "results/huber/claims_stability.csv"
            if wildcards.top == "results" and len(runs_below("results")) > 1
            else []
        ),
        tables="{top}/huber/tables",
        figures="{top}/huber/figures",
        errata="{top}/errata.md",
        manifest="{top}/manifest.json",
        privacy=lambda wildcards: privacy_targets(wildcards.top),
        onebit=lambda wildcards: onebit_targets(wildcards.top),
        dpals=lambda wildcards: dpals_targets(wildcards.top),
        sources=lambda wildcards: source_records(f"{wildcards.top}/huber"),
    output:
        "{top}/report/index.html",
    log:
        "{top}/logs/page.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        title=lambda wildcards: RUNS[f"{wildcards.top}/huber"]["report"]["title"],
        left_out=lambda wildcards: [
            name
            for name in ("ml-100k", "sweetrs")
            if name not in real_datasets(f"{wildcards.top}/huber")
        ],
        # the sweep is a target of its own; once made, it is shown
        forensics=lambda wildcards: (
            "results/forensics"
            if wildcards.top == "results"
            and Path("results/forensics/summary.md").exists()
            else None
        ),
        privacy=lambda wildcards: f"{wildcards.top}/privacy",
        onebit=lambda wildcards: f"{wildcards.top}/onebit",
        dpals=lambda wildcards: f"{wildcards.top}/dpals",
        dpals_published=DPALS_PUBLISHED,
        code=code_digest(["dpmc.report.page"], [*TEMPLATES, *PAPER]),
    script:
        "../scripts/page.py"
