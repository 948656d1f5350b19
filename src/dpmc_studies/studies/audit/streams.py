"""The streams of this study: columns that were renamed keep their first names in them."""

from functools import partial

from dpmc_studies.frame.jobs import seeds

stream = partial(seeds.stream, frozen={"method": "solver"})
