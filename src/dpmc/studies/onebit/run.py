"""What the jobs of the one-bit study run on the grid; both write parts of two tables."""

from collections.abc import Mapping

from dpmc.studies.onebit.cells import CLEAR, NOT_PRIVATE, OneBitCell
from dpmc.studies.onebit.ranks import rank_rows
from dpmc.studies.onebit.trial import load_matrices, run_clear, run_curve, save_matrices
from dpmc.study.task import Task


def clear(task: Task) -> Mapping[str, list[dict]]:
    """Solve without privacy and run the baselines; store the solutions for output perturbation."""
    cell = OneBitCell.from_formatted(
        {**task.coordinates, "mechanism": CLEAR, "epsilon": NOT_PRIVATE}
    )
    rows, matrices = run_clear(cell, task.settings, ratings=task.ratings)
    save_matrices(task.file, matrices)
    return {"trials": rows, "ranks": rank_rows(rows)}


def curve(task: Task) -> Mapping[str, list[dict]]:
    """Run a private mechanism with all its epsilons."""
    cells = [
        OneBitCell.from_formatted({**task.coordinates, "epsilon": epsilon})
        for epsilon in task.settings["epsilons"]
    ]
    solutions = load_matrices(task.inputs["clear"]) if "clear" in task.inputs else None
    rows = run_curve(cells, task.settings, ratings=task.ratings, clear=solutions)
    return {"trials": rows, "ranks": rank_rows(rows)}
