"""What ``dpmc evaluate`` says when it is done, as text."""

from dpmc.cli.evaluation import FREE_OF_NOISE, MEASURES, NOTE, VANISHING, WITHOUT

BEST = "best" + WITHOUT
HINT = "Predicted ratings make poor lists: for recommendations use --for ranking."


def _table(measure: str, errors: list[dict], epsilons: list[float]) -> list[str]:
    """Return the lines of a table of one measure, of those that have it."""
    cells = {(each["method"], each["epsilon"]): _cell(each, measure) for each in errors}
    names = list(dict.fromkeys(method for (method, _), cell in cells.items() if cell is not None))
    rows = [[MEASURES[measure], *(f"epsilon {epsilon:g}" for epsilon in epsilons)]]
    for name in names:
        rows.append([name, *(cells.get((name, e)) or cells[name, None] for e in epsilons)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f"{row[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows[: len(rows) * (len(rows) > 1)]
    ]


def _best_of_ratings(errors: list[dict]) -> tuple[list[dict], str | None]:
    """Return rows with one prediction without privacy, that of the least RMSE, and its name."""
    free = [row for row in errors if row["method"].endswith(WITHOUT) and row["rmse"] is not None]
    best = min(free, key=lambda row: row["rmse"], default=None)
    named = [row | {"method": BEST} if row is best else row for row in errors]
    rows = [row for row in named if row not in free]
    return rows, best and best["method"].removesuffix(WITHOUT)


def lines_of(result: dict, epsilons: list[float]) -> list[str]:
    """Return a table of each measure, and notes."""
    errors, best = _best_of_ratings(result["errors"])
    tables = [_table(name, errors, epsilons) for name in MEASURES]
    level = result["likes_from"]
    likes = "Each row is a like" if level is None else f"Ratings of {level:g} or more are likes"
    notes = ["Means, and rows without privacy, have no noise."]
    if best is not None:
        epsilon = f" at epsilon {VANISHING:g}" if best == FREE_OF_NOISE else ""
        notes[0] += f" The best without privacy is {best}{epsilon}."
        notes += [HINT] if any(tables[1:]) else []
    return [
        NOTE,
        f"{result['ratings']:,} ratings, {result['users']:,} users, {result['items']:,} items; "
        f"{result['splits']} x {result['training_share']:.0%} to learn from; "
        f"{result['relation']}, delta {result['delta']:g}, {result['mechanism']} noise.",
        *(line for table in tables for line in [""] * bool(table) + table),
        "",
        *notes,
        f"{likes}; recall is over min(20, number liked).",
    ]


def _cell(error: dict, measure: str) -> str | None:
    found = error if measure == "rmse" else error[measure]
    spread = found["standard_deviation"]
    if found[measure] is None:
        return None
    return f"{found[measure]:.3f}" + ("" if spread is None else f" +- {spread:.3f}")
