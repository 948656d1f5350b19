# `snakemake forensics`: which of the choices that the papers leave open gives their numbers?
# About 650 seconds of computing, five and a half minutes on two cores; half of it on real data.
from dataclasses import asdict

from dpmc.experiments.forensics import real_variants, synthetic_variants

PRINTED_DATASETS = [
    name for name in ("ml-100k", "sweetrs") if name in MAIN["huber"]["real"]
]


def printed_splits(dataset):
    """Printed visible fraction -> share of the ratings that trains."""
    return {
        split["observed_fraction"]: split.get(
            "training_share", split["observed_fraction"]
        )
        for split in MAIN["huber"]["real"][dataset]["splits"]
    }


def real_forensics_settings(wildcards):
    entry = MAIN["huber"]["real"][REAL_VARIANTS[wildcards.variant]["dataset"]]
    used = ("rank", "iterations", "regularization")
    return (
        configuration.side_settings(MAIN["huber"], "forensics")
        | {name: entry[name] for name in used if name in entry}
        | {"splits": printed_splits(REAL_VARIANTS[wildcards.variant]["dataset"])}
    )


SYNTHETIC_VARIANTS = {variant.name: asdict(variant) for variant in synthetic_variants()}
REAL_VARIANTS = {
    variant.name: asdict(variant)
    for dataset in PRINTED_DATASETS
    for variant in real_variants(dataset, printed_splits(dataset))
}
FORENSICS_CODE = code_digest(
    ["dpmc.experiments.forensics", "dpmc.solvers.als", "dpmc.solvers.irls"]
    + [f"dpmc.mechanisms.{name}" for name in ("gaussian", "laplace", "huber")]
)


rule forensics_synthetic:
    output:
        "results/forensics/synthetic/{variant}.csv",
    log:
        "results/forensics/logs/synthetic/{variant}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        variant=lambda wildcards: SYNTHETIC_VARIANTS[wildcards.variant],
        settings=configuration.side_settings(MAIN["huber"], "forensics"),
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
        settings=real_forensics_settings,
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
        | {"real": {name: MAIN["huber"]["real"][name] for name in PRINTED_DATASETS}},
        code=code_digest(
            ["dpmc.report.forensics", "dpmc.report.forensics_summary"], PAPER
        ),
    script:
        "../scripts/forensics.py"


rule forensics:
    input:
        "results/forensics/summary.md",
