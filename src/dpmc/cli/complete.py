"""``dpmc complete``: complete users' own ratings from published item factors."""

import csv
import json
import sys
from itertools import chain, repeat
from pathlib import Path

import click

from dpmc.cli.help import Command
from dpmc.cli.options import column_options, ratings_option, remark

COLUMNS = ("user", "item", "prediction")
SUFFIXES = (".csv", ".parquet", ".jsonl")
ROWS_AT_A_TIME = 1 << 20
"""Of a Parquet file, for which they are gathered."""
PREDICTIONS_AT_A_TIME = 1 << 20
"""At most so many are made at once: those of all items for some users."""


@click.command(
    cls=Command,
    groups={
        "Model and ratings": ("model", "path", "user", "item", "rating", "timestamp"),
        "Predictions": ("only_user", "top", "include_rated"),
        "Output": ("output", "force"),
    },
    examples=(
        "dpmc complete --model model --ratings mine.csv --top 10",
        "dpmc complete --model model --ratings mine.csv --only-user u7 --output u7.csv",
    ),
)
@click.option(
    "--model", required=True, type=click.Path(path_type=Path), help="Folder that dpmc fit wrote."
)
@ratings_option
@column_options
@click.option(
    "--only-user", metavar="LABEL", help="Predict for this user only.  [default: for all]"
)
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help="Write the N best items of each user only, the best one first, without those that the "
    "user rated. They are ranked before their predictions are clipped to the range.  [default: all "
    "items, in the order of the model]",
)
@click.option("--include-rated", is_flag=True, help="Let --top include items that the user rated.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="File to write: .csv, .parquet, or .jsonl with one JSON object per line.  [default: "
    "standard output, as CSV]",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def complete(model, path, only_user, top, include_rated, output, force, **columns):
    """Predict ratings, or rank items, for users from a published model.

    Each user's predictions are computed from the model and that user's own ratings, without any
    noise: show them to that user and to nobody else. Users need not have been in the fit. Ratings
    of items that the model does not have are left out.

    The column prediction is clipped to the range of the ratings, so many items can share its ends;
    --top ranks by what was not clipped, and the order of the rows is the rank. A model that was
    fitted --for ranking has a column score instead, a number of no unit, made of the user's likes.
    --top says which of the two it ranks by.
    """
    import numpy as np

    from dpmc.errors import InputError
    from dpmc.files import atomic_path
    from dpmc.publication.lists import restrict
    from dpmc.publication.store import parts_at
    from dpmc.released import load

    if include_rated and top is None:
        raise InputError("--include-rated goes with --top: without it, all items are written.")
    if output is not None:
        _check_output(output, force)
    elif sys.stdout is None:
        raise InputError("The standard output is closed: give --output FILE.")
    published = load(model)
    user = None if only_user is None else only_user.strip()
    rated, parts = parts_at(path, columns, published.rated, published.clipped_to, user)
    if user is not None:
        own = next((each for each in parts if user in each.user_labels), None)
        if own is None:
            raise InputError(
                f"{path} has no user '{user}': give --only-user a label from its column of users."
            )
        parts = [restrict(own, None, [user])]
        rated = own.item_labels[np.unique(parts[0].items)]
    remark(published.unknown(rated))
    if top is not None:
        is_score = published.value != COLUMNS[-1]
        what = "scores made of the user's likes" if is_score else "predicted ratings"
        click.echo(f"dpmc: ranked by {what}.", err=True)
    listed = (restrict(each, published.labels, None) for each in parts)
    predictions = chain.from_iterable(
        _predictions(published, each, top, include_rated) for each in listed
    )
    names = (*COLUMNS[:-1], published.value)
    if output is None:
        if hasattr(sys.stdout, "reconfigure"):  # a terminal of another encoding lacks some labels
            sys.stdout.reconfigure(encoding="utf-8")
        _write_csv(sys.stdout, predictions, names)
        return
    with atomic_path(output, private=True) as temporary:
        if output.suffix.lower() == ".parquet":
            _write_parquet(temporary, predictions, names)
            return
        write = _write_jsonl if output.suffix.lower() == ".jsonl" else _write_csv
        with open(temporary, "w", newline="", encoding="utf-8") as stream:
            write(stream, predictions, names)


def _check_output(output: Path, force: bool) -> None:
    """Refuse a file of another kind, or one that is there or cannot be, before anything is read."""
    from dpmc.errors import InputError
    from dpmc.files import check_writable

    if output.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"--output must name a file that ends in {', '.join(SUFFIXES)}, got {output}."
        )
    check_writable(output)
    if output.is_dir():
        raise InputError(f"{output} is a folder; name a file for --output.")
    if output.exists() and not force:
        raise InputError(f"{output} exists; name another --output, or give --force to replace it.")


def _predictions(published, ratings, top: int | None, include_rated: bool):
    """Yield for each user: the label, the labels of items and the prediction of each.

    Ratings are of the items of the model, in its order. On one thread: matrices are small enough
    for those of OpenBLAS to spend most of their time waiting for each other.
    """
    import numpy as np
    from threadpoolctl import ThreadpoolController

    from dpmc.ties import margin

    labels = np.array(published.labels, dtype=object)
    users, rows = ratings.user_labels.tolist(), ratings.by_user
    threads = ThreadpoolController()
    step = max(1, PREDICTIONS_AT_A_TIME // max(1, labels.size))
    for first in range(0, len(users), step):
        starts = rows.indptr[first : first + step + 1]
        own = slice(starts[0], starts[-1])
        some = starts - starts[0], rows.indices[own], rows.values[own]
        with threads.limit(limits=1, user_api="blas"):
            values = published.complete_rows(*some, clipped=top is None)
        if top is None:
            for user, row in zip(users[first : first + step], values, strict=True):
                yield user, published.labels, row
            continue
        tie = margin(values, axis=1)
        if not include_rated:
            values[np.repeat(np.arange(len(values)), np.diff(starts)), some[1]] = -np.inf
        chosen = _best(values, top, tie[:, 0])
        for user, (items, best) in zip(users[first : first + step], chosen, strict=True):
            yield user, labels[items].tolist(), published.shown(best)


def _best(values, top: int, tie):
    """Yield the places and values of the largest of each row, ties in their order.

    What is minus infinity is none of them.
    """
    import numpy as np

    from dpmc.ties import descending

    least = np.full(len(values), np.finfo(float).min)
    if top < values.shape[1]:
        # of values, not of places: a partition of places has no order of equal ones
        least = np.maximum(least, np.partition(values, -top, axis=1)[:, -top] - tie)
    for row, bound, within in zip(values, least, tie, strict=True):
        places = np.flatnonzero(row >= bound)
        places = places[descending(row[places], within)[:top]]
        yield places, row[places]


def _write_csv(stream, predictions, names) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    for user, items, values in predictions:
        writer.writerows(zip(repeat(user), items, map(repr, values.tolist()), strict=False))


def _write_jsonl(stream, predictions, names) -> None:
    for user, items, values in predictions:
        for row in zip(repeat(user), items, values.tolist(), strict=False):
            each = dict(zip(names, row, strict=True))
            stream.write(json.dumps(each, ensure_ascii=False) + "\n")


def _write_parquet(path: Path, predictions, names) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(zip(names, (pa.string(), pa.string(), pa.float64()), strict=True))

    def flush():
        columns = users, items, np.concatenate([np.empty(0), *values])
        arrays = [pa.array(each, kind) for each, kind in zip(columns, schema.types, strict=True)]
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

    users, items, values = [], [], []
    with parquet.ParquetWriter(path, schema) as writer:
        for user, own_items, own_values in predictions:
            users += [user] * len(own_items)
            items += own_items
            values.append(own_values)
            if len(users) >= ROWS_AT_A_TIME:
                flush()
                users, items, values = [], [], []
        flush()
