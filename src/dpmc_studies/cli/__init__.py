"""The commands that the reproduction adds to ``dpmc``, which reads :data:`TASKS`."""

TASKS = {
    "The papers": {
        "plan": "State what a run will cost before anything runs.",
        "cell": "Run one experiment of the Huber study by hand.",
        "diff": "Compare the numbers in two folders of results.",
        "reference": "Manage the reference results that a run is checked against.",
    },
    "Data sets": {
        "data": "List, fetch and verify data sets.",
    },
}
"""As :data:`dpmc.cli.TASKS`, for the modules of this package."""
