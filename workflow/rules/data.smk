# Raw data -> verified file -> ratings; and the synthetic instances.


rule download:
    input:
        own_file,
    output:
        "results/data/{dataset}.source.json",
    log:
        "results/logs/download/{dataset}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        entry=own_entry,
        state=download_state,
    script:
        "../scripts/download.py"


rule ratings:
    input:
        "results/data/{dataset}.source.json",
    output:
        "results/data/{dataset}.npz",
    log:
        "results/logs/ratings/{dataset}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        entry=own_entry,
        code=code_digest(["dpmc.datasets", "dpmc.ratings"]),
    script:
        "../scripts/ratings.py"


rule synthetic:
    output:
        "{run}/data/rank~{rank}_observed_fraction~{observed_fraction}.npz",
    log:
        "{run}/logs/data/rank~{rank}_observed_fraction~{observed_fraction}.log",
    conda:
        "../../envs/dpmc.yaml"
    params:
        settings=synthetic_settings,
        code=code_digest(["dpmc.datasets.synthetic", "dpmc.study.seeds"]),
    script:
        "../scripts/synthetic.py"
