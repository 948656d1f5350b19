"""``dpmc complete``: complete users' own ratings from published item factors."""

import csv
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from dpmc.cli.help import Command
from dpmc.cli.options import OF_TABLES, ratings_option, reading_in, reading_options, remark

COLUMNS = ("user", "item", "prediction")
SUFFIXES = (".csv", ".parquet", ".jsonl")
PREDICTIONS_AT_A_TIME = 1 << 20
"""At most so many are made at once, of some users: of one at least."""


@click.command(
    cls=Command,
    groups={
        "Model and ratings": ("model", *OF_TABLES, "item_features"),
        "Predictions": ("only_user", "top", "include_rated"),
        "Output": ("output", "force"),
    },
    examples=(
        "dpmc complete --model model --ratings mine.csv --top 10",
        "dpmc complete --model model --ratings mine.csv --item-features new.csv --top 9",
        "dpmc complete --model model --ratings mine.csv --only-user u7 --output u7.csv",
    ),
)
@click.option(
    "--model", required=True, type=click.Path(path_type=Path), help="Folder that dpmc fit wrote."
)
@ratings_option
@reading_options
@click.option(
    "--item-features",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Numbers that are publicly known of items, those of the model and new ones: new items are "
    "predicted what their features make expected.",
)
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
def complete(model, path, item_features, only_user, top, include_rated, output, force, **options):
    """Predict ratings, or rank items, for users from a published model.

    Each user's predictions are computed from the model and that user's own ratings, without any
    noise: show them to that user and to nobody else. Users need not have been in the fit. Ratings
    of items that the model does not have are left out.

    The column prediction is clipped to the range of the ratings, so many items can share its ends;
    --top ranks by what was not clipped, and the order of the rows is the rank. A model that was
    fitted --for ranking has a column score instead, a number of no unit, made of the user's likes.
    --top says which of the two it ranks by.
    """
    from dpmc.errors import InputError
    from dpmc.files import atomic_path, check_file
    from dpmc.fitting.compiling import noticed
    from dpmc.labels import label
    from dpmc.publication.features import features_of
    from dpmc.released import load

    if include_rated and top is None:
        raise InputError("--include-rated goes with --top: without it, all items are written.")
    if output is not None:
        check_file(output, force, model, SUFFIXES)
    elif sys.stdout is None:
        raise InputError("The standard output is closed: give --output FILE.")
    published = load(model)
    complete_users: list[int] = []
    click.get_current_context().with_resource(noticed())
    user = None if only_user is None else label(only_user)
    reading = reading_in(options, rated=published.rated)
    features = features_of(item_features, reading.item)
    if features is not None:
        published = published.with_items(features.labels, features.table)
    ratings = _ratings(path, reading, published, user)
    if top is not None:
        is_score = published.value != COLUMNS[-1]
        what = "scores made of the user's likes" if is_score else "predicted ratings"
        click.echo(f"dpmc: ranked by {what}.", err=True)
        predictions = _watched(_best(published, ratings, top, include_rated), complete_users)
    else:
        predictions = _every(published, ratings)
    names = (*COLUMNS[:-1], published.value)
    if output is None:
        if hasattr(sys.stdout, "reconfigure"):  # a terminal of another encoding lacks some labels
            sys.stdout.reconfigure(encoding="utf-8")
        _write_csv(sys.stdout, predictions, published.labels, names)
    else:
        with atomic_path(output, private=True) as temporary:
            _write(temporary, output.suffix.lower(), predictions, published.labels, names)
    _remark_on_complete(sum(complete_users))


def _write(path: Path, suffix: str, predictions, labels, names) -> None:
    if suffix == ".parquet":
        _write_parquet(path, predictions, labels, names)
        return
    write = _write_jsonl if suffix == ".jsonl" else _write_csv
    with open(path, "w", newline="", encoding="utf-8") as stream:
        write(stream, predictions, labels, names)


def _watched(predictions, complete_users: list[int]):
    """Yield predictions, and note how many users have no item left to be listed."""
    for users, numbers, *rest in predictions:
        complete_users.append(int((numbers == 0).sum()))
        yield users, numbers, *rest


def _remark_on_complete(number: int) -> None:
    if number:
        who, verb = ("user", "is") if number == 1 else ("users", "are")
        remark(
            [
                f"{number:,} {who} rated every item of the model and {verb} left out; "
                "--include-rated ranks items that were rated, too"
            ]
        )


def _ratings(path, reading, published, user: str | None):
    """Return the users' own ratings of the items of a model, in its order: of all, or of one user.

    Those of a table in memory, those of a store by blocks.
    """
    import numpy as np

    from dpmc.errors import InputError
    from dpmc.fitting.ratings import blocks_of, n_outside
    from dpmc.publication.lists import restrict
    from dpmc.publication.store import is_store, opened
    from dpmc.publication.table import read_lines, resolve

    span, store, outside = published.clipped_to, None, []
    if is_store(path):
        store = opened(path, reading)
        store.check_rated(published.rated)
        every = blocks_of(store, span, None) if user is None else store.ratings_of([user], span)
        if span is not None and user is None:
            outside = published.clipped(n_outside(store, span))
    else:
        lines = read_lines(Path(path), reading)
        shown = slice(None) if user is None else (lines.users.labels == user)[lines.users.codes]
        outside = published.outside(lines.values[shown])
        every = resolve(lines, span)
    rated = every.item_labels
    if user is not None:
        if user not in every.user_labels:
            raise InputError(
                f"{path} has no user '{user}': give --only-user a label from its column of users."
            )
        every = restrict(every, None, [user])
        rated = rated[np.unique(every.items)]
    remark([*published.unknown(rated), *outside])
    if store is not None and user is None:
        return blocks_of(store, span, published.labels)
    return restrict(every, published.labels, None)


@dataclass(frozen=True)
class _Few:
    """A source of blocks of at most so many users."""

    source: Any
    most: int

    @classmethod
    def of(cls, source, predictions: int):
        """Return one for so many predictions of each user."""
        return cls(source, max(1, PREDICTIONS_AT_A_TIME // max(1, predictions)))

    @property
    def n_users(self) -> int:
        return self.source.n_users

    def blocks(self):
        for first, rows in self.source.blocks():
            for begin in range(0, rows.n_rows, self.most):
                yield first + begin, rows.some(begin, begin + self.most)


def _best(published, ratings, top: int, include_rated: bool):
    """Yield of some users after others: labels, numbers of items, positions of these, values."""
    from dpmc.methods.blocks import cores, in_blocks
    from dpmc.methods.kernels.completion import best_of

    def best(first, rows):
        users = ratings.user_labels[first : first + rows.n_rows]
        return users, *best_of(published, rows, top, include_rated=include_rated)

    blocks = in_blocks(ratings, cores())
    return replace(blocks, source=_Few.of(blocks.source, min(top, len(published.labels)))).map(best)


def _every(published, ratings):
    """Yield the same of all items, in the order of the model."""
    import numpy as np

    from dpmc.methods.blocks import in_blocks

    places, blocks = np.arange(len(published.labels), dtype=np.int32), in_blocks(ratings)
    for first, rows in replace(blocks, source=_Few.of(blocks.source, places.size)).blocks():
        users = ratings.user_labels[first : first + rows.n_rows]
        values = published.complete_rows(rows.indptr, rows.indices, rows.values)
        numbers = np.full(rows.n_rows, places.size)
        yield users, numbers, np.tile(places, rows.n_rows), values.ravel()


def _rows(predictions, labels):
    """Yield user, item and prediction of each."""
    import numpy as np

    labels = np.array(labels, dtype=object)
    for users, numbers, places, values in predictions:
        rows = np.repeat(users, numbers), labels[places], values
        yield from zip(*(each.tolist() for each in rows), strict=True)


def _write_csv(stream, predictions, labels, names) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows((*pair, repr(value)) for *pair, value in _rows(predictions, labels))


def _write_jsonl(stream, predictions, labels, names) -> None:
    for row in _rows(predictions, labels):
        each = dict(zip(names, row, strict=True))
        stream.write(json.dumps(each, ensure_ascii=False) + "\n")


def _write_parquet(path: Path, predictions, labels, names) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(zip(names, (pa.string(), pa.string(), pa.float64()), strict=True))
    items = pa.array(labels, pa.string())
    with parquet.ParquetWriter(path, schema) as writer:
        for users, numbers, places, values in predictions:
            rows = np.repeat(np.arange(users.size), numbers)
            columns = pa.array(users, pa.string()).take(rows), items.take(places), values
            writer.write_table(pa.table([pa.array(each) for each in columns], schema=schema))
