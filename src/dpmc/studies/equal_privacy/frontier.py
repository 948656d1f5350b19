"""The job that finds where Huber noise needs the smallest variance."""

from dpmc.privacy.frontier import frontier_table


def run(task) -> dict[str, list[dict[str, object]]]:
    """Find the smallest variance of each mechanism for one number of releases.

    Parameters
    ----------
    task : dpmc.study.task.Task
        The settings are the arguments of :func:`dpmc.privacy.frontier.frontier_table`.
    """
    return {"frontier": frontier_table(**task.settings)}
