"""Run a step: find its function, run it on a study's tables, write the results."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dpmc_studies.frame.checking.runs import write_frame
from dpmc_studies.frame.jobs.job import function


def run_step(
    run: str,
    results: Path,
    settings: Mapping[str, object],
    makes: Sequence[str],
    outputs: Sequence[str | Path],
) -> None:
    """Run a step, and write its tables to ``outputs``, or fill the one folder there.

    ``results`` is the study's folder; the others are as in :class:`dpmc_studies.frame.api.Step`.
    """
    if makes:
        made = function(run)(results, settings)
        for name, path in zip(makes, outputs, strict=True):
            write_frame(path, made[name])
    else:
        out = Path(outputs[0])
        out.mkdir(parents=True, exist_ok=True)
        function(run)(results, settings, out)
