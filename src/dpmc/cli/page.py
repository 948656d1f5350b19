"""``dpmc page``: recommendations on a person's own device, in one file."""

from pathlib import Path

import click

from dpmc.cli.help import Command


@click.command(
    cls=Command,
    groups={"Titles": ("catalogue", "item", "title"), "Output": ("output", "force")},
    examples=(
        "dpmc page model --output page.html",
        "dpmc page model --catalogue titles.csv --output page.html",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--catalogue",
    type=click.Path(),
    metavar="FILE",
    help="What items are called: .csv, .tsv or .parquet with a column of items and one of titles, "
    "or u.item of MovieLens.  [default: their labels]",
)
@click.option("--item", help="Column of items.  [default: detected]")
@click.option("--title", help="Column of titles.  [default: detected]")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), help="File to write, an .html."
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def page(model, catalogue, item, title, output, force):
    """Make a page in which people get recommendations on their own device.

    The page is one file that needs no server and connects to nothing: whoever opens it searches
    titles, rates some, and sees what dpmc complete would say, with how sure the model is. It holds
    what the folder MODEL publishes and nobody's ratings, so it may be published if MODEL may be.
    """
    from dpmc.files import check_file, write_text
    from dpmc.methods.released.verify import read_guarantee, verify
    from dpmc.privacy.policy import refusal
    from dpmc.publication.page import page as make
    from dpmc.publication.titles import read_titles
    from dpmc.released import load

    check_file(output, force, model, (".html",))
    verdict = verify(model)
    published, outcome = load(model), read_guarantee(model)[1].get("outcome") or {}
    named = {} if catalogue is None else read_titles(catalogue, item, title)
    titles = [named.get(label) or label for label in published.labels]
    text = make(
        published, titles, verdict.sentence, fell_back_to=outcome.get("fell_back_to"),
        simulated=verdict.simulated,
    )  # fmt: skip
    write_text(output, text)
    if verdict.objections:
        click.echo(f"dpmc: {refusal('the page', verdict.objections)}.", err=True)
    if catalogue is not None and (lacking := sum(not named.get(each) for each in published.labels)):
        click.echo(f"dpmc: {lacking} of {len(titles)} items have no title in {catalogue}; "
                   "they go by their labels.", err=True)  # fmt: skip
    click.echo(f"{output}: {len(titles):,} items, {len(text.encode()) / 1e6:.2f} MB")
