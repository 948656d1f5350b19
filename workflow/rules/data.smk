# Raw data -> verified file -> ratings.


# nodes of a cluster seldom reach the internet
localrules:
    download,


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
    benchmark:
        "results/benchmarks/ratings/{dataset}.tsv"
    group:
        "ratings"
    conda:
        "../../envs/dpmc.yaml"
    params:
        entry=own_entry,
        code=plan.code_digest(["dpmc.datasets", "dpmc.ratings"]),
    script:
        "../scripts/ratings.py"
