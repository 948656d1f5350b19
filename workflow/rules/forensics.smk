# `snakemake forensics`: which of the choices that the papers leave open gives their numbers?
# About 650 seconds of computing, five and a half minutes on two cores; half of it on real data.
from dataclasses import asdict

from dpmc.studies.huber.forensics import real_variants, synthetic_variants

REAL = {
    name: MAIN["huber"]["real"][name]
    for name in ("ml-100k", "sweetrs")
    if name in MAIN["huber"]["real"]
}
# printed visible fraction -> share of the ratings that trains
SPLITS = {
    name: {
        split["observed_fraction"]: split.get(
            "training_share", split["observed_fraction"]
        )
        for split in entry["splits"]
    }
    for name, entry in REAL.items()
}
FORENSICS_SETTINGS = configuration.side_settings(MAIN["huber"], "forensics")
REAL_SETTINGS = {
    name: FORENSICS_SETTINGS
    | {
        key: entry[key]
        for key in ("rank", "iterations", "regularization")
        if key in entry
    }
    | {"splits": SPLITS[name]}
    for name, entry in REAL.items()
}
SYNTHETIC_VARIANTS = {variant.name: asdict(variant) for variant in synthetic_variants()}
REAL_VARIANTS = {
    variant.name: asdict(variant)
    for name, splits in SPLITS.items()
    for variant in real_variants(name, splits)
}
FORENSICS_CODE = code_digest(["dpmc.studies.huber.forensics", *plugins.side_modules()])


rule forensics_synthetic:
    output:
        "results/forensics/synthetic/{variant}.csv",
    log:
        "results/forensics/logs/synthetic/{variant}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        variant=lambda wildcards: SYNTHETIC_VARIANTS[wildcards.variant],
        settings=FORENSICS_SETTINGS,
        code=FORENSICS_CODE,
    script:
        "../scripts/forensics_synthetic.py"


rule forensics_real:
    input:
        data=lambda wildcards: f"results/data/{REAL_VARIANTS[wildcards.variant]['dataset']}.npz",
    output:
        "results/forensics/real/{variant}.csv",
    log:
        "results/forensics/logs/real/{variant}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        variant=lambda wildcards: REAL_VARIANTS[wildcards.variant],
        settings=lambda wildcards: REAL_SETTINGS[
            REAL_VARIANTS[wildcards.variant]["dataset"]
        ],
        code=FORENSICS_CODE,
    script:
        "../scripts/forensics_real.py"


rule forensics_summary:
    input:
        synthetic=[
            f"results/forensics/synthetic/{name}.csv" for name in SYNTHETIC_VARIANTS
        ],
        real=[f"results/forensics/real/{name}.csv" for name in REAL_VARIANTS],
    output:
        synthetic="results/forensics/synthetic.csv",
        real="results/forensics/real.csv",
        summary="results/forensics/summary.md",
        figures=multiext("results/forensics/heatmap_synthetic", ".png", ".svg", ".csv"),
        figures_real=multiext("results/forensics/heatmap_real", ".png", ".svg", ".csv"),
    log:
        "results/forensics/logs/summary.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        paper=str(HOME / "config" / "paper"),
        synthetic=list(SYNTHETIC_VARIANTS.values()),
        real=list(REAL_VARIANTS.values()),
        defaults=MAIN["huber"]["synthetic"]
        | {"start": MAIN["huber"]["start"]}
        | {"real": REAL},
        code=code_digest(
            ["dpmc.studies.huber.forensics_drawing", "dpmc.studies.huber.forensics_summary"], PAPER
        ),
    script:
        "../scripts/forensics.py"


rule forensics:
    input:
        "results/forensics/summary.md",
