"""``dpmc complete``: complete users' own ratings from published item factors."""

import csv
import sys
from pathlib import Path

import click

from dpmc.cli.options import column_options, remark


@click.command()
@click.option(
    "--model", required=True, type=click.Path(path_type=Path), help="Folder that dpmc fit wrote."
)
@click.option("--ratings", "path", required=True, type=click.Path(), help=".csv, .tsv, .parquet.")
@column_options
@click.option("--output", type=click.Path(), help="CSV file to write.  [default: standard output]")
def complete(model, path, output, **columns):
    """Predict all items for each user of a table of (user, item, rating), from that user's ratings.

    Each user's predictions are made of that user's ratings and of the published factors, without
    any noise: show them to that user and to nobody else.
    """
    from dpmc.files import atomic_path
    from dpmc.publication.fit_folder import read_published
    from dpmc.publication.table import read_lines, resolve

    published = read_published(model)
    ratings = resolve(read_lines(Path(path), columns), published.rating_range)
    known = set(published.labels)
    unknown = sum(label not in known for label in ratings.item_labels.tolist())
    if unknown:
        remark([f"{unknown} items have no factors; ratings of them were left out"])
    if output is None:
        _write(sys.stdout, published, ratings)
        return
    with atomic_path(output) as temporary, open(temporary, "w", encoding="utf-8") as stream:
        _write(stream, published, ratings)


def _write(stream, published, ratings):
    labels = ratings.item_labels.tolist()
    rows = ratings.by_user
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["user", "item", "prediction"])
    for index, user in enumerate(ratings.user_labels.tolist()):
        own = slice(rows.indptr[index], rows.indptr[index + 1])
        items = [labels[item] for item in rows.indices[own]]
        given = dict(zip(items, rows.values[own].tolist(), strict=True))
        for item, value in zip(published.labels, published.complete(given), strict=True):
            writer.writerow([user, item, repr(float(value))])
