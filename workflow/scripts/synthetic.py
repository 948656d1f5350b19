"""Generate the synthetic instances of all trials of one rank and observed fraction."""

from dpmc.datasets.synthetic import save_instances
from dpmc.jobs import logged
from dpmc.studies.huber.trial import synthetic_instance

with logged(snakemake.log[0]):
    settings = snakemake.params.settings
    shared = {
        "rank": int(snakemake.wildcards.rank),
        "observed_fraction": float(snakemake.wildcards.observed_fraction),
    }
    save_instances(
        snakemake.output[0],
        [synthetic_instance(shared, settings, trial) for trial in range(settings["trials"])],
    )
