"""``dpmc complete``: complete users' own ratings from published item factors."""

import csv
import sys
from itertools import repeat
from pathlib import Path

import click

from dpmc.cli.options import column_options, ratings_option, remark

COLUMNS = ("user", "item", "prediction")
SUFFIXES = (".csv", ".parquet")
ROWS_AT_A_TIME = 1 << 20
"""Of a Parquet file, for which they are gathered."""


@click.command()
@click.option(
    "--model", required=True, type=click.Path(path_type=Path), help="Folder that dpmc fit wrote."
)
@ratings_option
@column_options
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help="Only the N best items of each user, the best one first, without those that the user "
    "rated.  [default: all items]",
)
@click.option("--include-rated", is_flag=True, help="Let --top count rated items too.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="File to write, .csv or .parquet.  [default: standard output, as CSV]",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def complete(model, path, top, include_rated, output, force, **columns):
    """Predict all items for each user of a table of (user, item, rating), from that user's ratings.

    Each user's predictions are made of that user's ratings and of the published factors, without
    any noise: show them to that user and to nobody else. Ratings of items that the model does not
    have are left out.
    """
    from dpmc.errors import InputError
    from dpmc.files import atomic_path
    from dpmc.methods.published.fit_folder import read_published
    from dpmc.publication.table import read_lines, resolve

    if include_rated and top is None:
        raise InputError("--include-rated goes with --top: without it, all items are written.")
    if output is not None:
        _check_output(output, force)
    elif sys.stdout is None:
        raise InputError("The standard output is closed: give --output FILE.")
    published = read_published(model)
    ratings = resolve(read_lines(Path(path), columns), published.rating_range)
    known = set(published.labels)
    unknown = sum(label not in known for label in ratings.item_labels.tolist())
    if unknown:
        have = "item has" if unknown == 1 else "items have"
        remark([f"{unknown} {have} no factors; ratings of such were left out"])
    predictions = _predictions(published, ratings, top, include_rated)
    if output is None:
        if hasattr(sys.stdout, "reconfigure"):  # a terminal of another encoding lacks some labels
            sys.stdout.reconfigure(encoding="utf-8")
        _write_csv(sys.stdout, predictions)
        return
    with atomic_path(output) as temporary:
        if output.suffix.lower() == ".parquet":
            _write_parquet(temporary, predictions)
        else:
            with open(temporary, "w", newline="", encoding="utf-8") as stream:
                _write_csv(stream, predictions)


def _check_output(output: Path, force: bool) -> None:
    """Refuse a file of another kind, or one that is there or cannot be, before anything is read."""
    from dpmc.errors import InputError
    from dpmc.files import check_writable

    if output.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"--output must name a file that ends in {' or '.join(SUFFIXES)}, got {output}."
        )
    check_writable(output)
    if output.is_dir():
        raise InputError(f"{output} is a folder; name a file for --output.")
    if output.exists() and not force:
        raise InputError(f"{output} exists; name another --output, or give --force to replace it.")


def _predictions(published, ratings, top: int | None, include_rated: bool):
    """Yield for each user: the label, the labels of items and the prediction of each."""
    import numpy as np

    labels = np.array(published.labels, dtype=object)
    place = {label: index for index, label in enumerate(published.labels)}
    rated_labels = ratings.item_labels.tolist()
    rows = ratings.by_user
    for index, user in enumerate(ratings.user_labels.tolist()):
        own = slice(rows.indptr[index], rows.indptr[index + 1])
        items = [rated_labels[item] for item in rows.indices[own]]
        values = published.complete(dict(zip(items, rows.values[own].tolist(), strict=True)))
        if top is None:
            yield user, published.labels, values
            continue
        # stable, so that items that are predicted alike keep the order of the model
        order = np.argsort(-values, kind="stable")
        if not include_rated:
            rated = [place[item] for item in items if item in place]
            order = order[~np.isin(order, rated)]
        yield user, labels[order[:top]].tolist(), values[order[:top]]


def _write_csv(stream, predictions) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for user, items, values in predictions:
        writer.writerows(zip(repeat(user), items, map(repr, values.tolist()), strict=False))


def _write_parquet(path: Path, predictions) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(zip(COLUMNS, (pa.string(), pa.string(), pa.float64()), strict=True))

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
