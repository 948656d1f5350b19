# Raw data -> verified file -> ratings; and the synthetic instances.


rule download:
    input:
        own_file,
    output:
        "results/data/{dataset}.source.json",
    params:
        data=MAIN["data"],
    log:
        "results/logs/download/{dataset}.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/download.py"


rule ratings:
    input:
        "results/data/{dataset}.source.json",
    output:
        "results/data/{dataset}.npz",
    params:
        data=MAIN["data"],
        code=code_digest(["dpmc.datasets", "dpmc.ratings"]),
    log:
        "results/logs/ratings/{dataset}.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/ratings.py"


rule synthetic:
    output:
        "{run}/data/rank~{rank}_observed_fraction~{observed_fraction}.npz",
    params:
        settings=synthetic_settings,
        code=code_digest(["dpmc.datasets.synthetic", "dpmc.experiments.seeds"]),
    log:
        "{run}/logs/data/rank~{rank}_observed_fraction~{observed_fraction}.log",
    conda:
        "../../envs/dpmc.yaml"
    script:
        "../scripts/synthetic.py"
