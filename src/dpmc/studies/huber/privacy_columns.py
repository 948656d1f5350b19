"""Columns of the tables about the published budgets: what names them need not import the rest."""

TABLES = ("totals", "transcript_loss")
TOTAL_COLUMNS = (
    "mechanism", "variance", "releases", "sensitivity", "delta", "accountant", "epsilon",
    "epsilon_lower", "epsilon_upper",
)  # fmt: skip
TRANSCRIPT_COLUMNS = (
    "dataset", "rank", "variance", "observed_fraction", "method", "mechanism", "irls_iterations",
    "neighbour", "neighbours", "releases", "nominal_epsilon", "nominal_delta",
    "total_basic", "total_rdp", "total_pld", "median", "lower_quartile", "upper_quartile",
    "largest", "share_above_nominal", "share_above_total",
)  # fmt: skip
EPSILONS = tuple(name for name in TOTAL_COLUMNS if name.startswith("epsilon"))
TOTAL_KEYS = tuple(name for name in TOTAL_COLUMNS if name not in EPSILONS)
"""What names a row of the totals; all other columns are numbers that ``check`` compares."""
