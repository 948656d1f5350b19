"""``dpmc cell``: any cell by hand, on the grid of the papers or off it."""

import json
import math

import click

from dpmc.cli.help import Command
from dpmc_studies.cli.data import PLACE, place_of, place_options


@click.command(
    cls=Command,
    groups={
        "Data": ("dataset", "fraction", "users", "items", "scale"),
        "Method": (
            "method", "rank", "regularization", "iterations", "irls_iterations", "loss_parameter",
            "residual_scale", "start", "shrinkage", "plugin_files",
        ),
        "Noise": ("mechanism", "variance"),
        "Trials": ("trials", "seed"),
        "Files": PLACE,
        "Output": ("as_json",),
    },
    examples=(
        "dpmc cell --rank 5 --fraction 0.1 --method irls --mechanism huber --variance 2",
        "dpmc cell --dataset ml-100k --rank 8 --fraction 0.8 --trials 3 --json",
    ),
)  # fmt: skip
@click.option(
    "--dataset", default="synthetic", help="A synthetic matrix, or a name from `dpmc data list`."
)
@click.option(
    "--users", type=click.IntRange(1), default=100, help="Number of users of the synthetic matrix."
)
@click.option(
    "--items", type=click.IntRange(1), default=500, help="Number of items of the synthetic matrix."
)
@click.option("--scale", type=float, default=1.0, help="Factor c of the synthetic matrix c P Q^T.")
@click.option(
    "--rank",
    type=click.IntRange(1),
    default=5,
    help="Rank of the model, and of the synthetic matrix.",
)
@click.option(
    "--fraction",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    help="Observed fraction of the synthetic matrix, or share of the real ratings to train on.",
)
@click.option(
    "--method",
    default="als",
    help="als, irls, a baseline, or one from --plugin; not a method that needs a privacy budget.",
)
@click.option(
    "--mechanism", default="none", help="none, gaussian, laplace, huber, or one from --plugin."
)
@click.option(
    "--variance",
    type=float,
    default=None,
    help="Variance of the noise on one coordinate.  [default: 1]",
)
@click.option(
    "--regularization", type=float, default=0.5, help="Regularization lambda of the factors."
)
@click.option("--iterations", type=click.IntRange(1), default=50, help="Outer iterations T.")
@click.option(
    "--irls-iterations", type=click.IntRange(1), default=20, help="Inner iterations K of irls."
)
@click.option(
    "--loss-parameter",
    default="noise",
    help="Parameter a of the Huber loss, or 'noise' for that of the noise.",
)
@click.option(
    "--residual-scale",
    type=float,
    default=1.0,
    help="Divide residuals by this number before irls weights them.",
)
@click.option(
    "--start",
    type=click.Choice(["normal", "uniform"]),
    default="normal",
    help="Law of the initial factors.",
)
@click.option(
    "--shrinkage",
    type=float,
    default=None,
    help="Ratings at the mean that the bias baselines credit everybody with.  [default: 1 for "
    "synthetic data, 5 for real data]",
)
@click.option("--trials", type=click.IntRange(1), default=10, help="Number of trials.")
@click.option("--seed", type=click.IntRange(0), default=2206, help="Seed of all random numbers.")
@click.option(
    "--plugin",
    "plugin_files",
    multiple=True,
    help="Python file with mechanisms or methods of your own; may be given more than once.",
)
@place_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cell(as_json, plugin_files, directory, mirror, config, **options):
    """Run one experiment of the Huber study by hand.

    A cell is one combination of data, method and noise. All its trials are run and their errors
    printed. With the settings of the configuration the numbers are those of `make reproduce`.
    """
    import numpy as np

    from dpmc_studies.frame.jobs import plugins
    from dpmc_studies.frame.jobs.cells import SYNTHETIC
    from dpmc_studies.studies.huber.trial import run_cell

    place = place_of(directory, mirror, config)
    plugins.load(plugin_files)
    if options["mechanism"] == "none" and options["variance"] is not None:
        click.echo("dpmc: mechanism none adds no noise; --variance is ignored.", err=True)
    point = _cell(options)
    if point.dataset == SYNTHETIC:
        _check_rank(point, options["users"], options["items"])
    settings = _settings(options, point)
    ratings = None
    if point.dataset != SYNTHETIC:
        ratings = _ratings(point.dataset, place)
        _check_rank(point, ratings.n_users, ratings.n_items)
    with np.errstate(all="ignore"):  # factors that overflow are refused in a sentence
        rows = list(run_cell(point, settings, ratings=ratings))
    metric = "rmse_all" if point.dataset == SYNTHETIC else "rmse_heldout"
    result = _summary(point, settings, rows, metric)
    click.echo(json.dumps(result) if as_json else _text(result, metric))


def _cell(options):
    from dpmc_studies.studies.huber.cells import Cell

    noisy = options["mechanism"] != "none"
    return Cell(
        options["dataset"],
        options["rank"],
        float(options["variance"] if options["variance"] is not None else 1.0) if noisy else None,
        options["fraction"],
        options["method"],
        options["mechanism"],
        options["irls_iterations"] if options["method"] == "irls" else None,
    )


def _check_rank(point, users: int, items: int) -> None:
    """Refuse a rank that no matrix of that shape has, before it costs time and memory."""
    from dpmc.errors import InputError

    if point.rank > min(users, items):
        raise InputError(
            f"--rank must be at most {min(users, items)} for {users} users and {items} items, got "
            f"{point.rank}."
        )


def _settings(options, point):
    from dpmc_studies.frame.jobs.cells import SYNTHETIC
    from dpmc_studies.studies.huber.trial import accepted_settings

    synthetic = point.dataset == SYNTHETIC
    settings = {"seed": options["seed"], "trials": options["trials"]}
    if synthetic:
        settings |= {name: options[name] for name in ("users", "items", "scale")}
    else:
        settings["training_share"] = options["fraction"]
    given = dict(options)
    if given["shrinkage"] is None:
        given["shrinkage"] = 1.0 if synthetic else 5.0
    given["loss_parameter"] = _loss_parameter(given["loss_parameter"])
    return settings | {name: given[name] for name in accepted_settings(point.method)}


def _loss_parameter(text):
    from dpmc.errors import InputError

    if text == "noise":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"--loss-parameter must be a positive number or 'noise', got '{text}'."
        ) from None


def _ratings(name, place):
    from dpmc.datasets import read, resolve
    from dpmc_studies.datasets.download import obtain

    dataset = resolve(name, place.own)
    return read(dataset, obtain(dataset, place.directory, mirror=place.mirror))


def _summary(point, settings, rows, metric):
    keep = ("trial", "rmse_all", "rmse_heldout", "rmse_clipped", "seconds")
    values = [row[metric] for row in rows]
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values)
    error = math.sqrt(spread / (len(values) - 1) / len(values)) if len(values) > 1 else None
    return {
        "cell": point.coordinates() | settings,
        "trials": [{n: row[n] for n in keep if row[n] is not None} for row in rows],
        "mean": mean,
        "standard_error": error,
    }


def _text(result, metric):
    lines = [f"{name}: {value}" for name, value in result["cell"].items() if value is not None]
    error = result["standard_error"]
    spread = "" if error is None else f" +- {error:.4f} (standard error)"
    count = len(result["trials"])
    lines.append(f"{metric} {result['mean']:.4f}{spread}, {count} trial{'s' * (count > 1)}")
    return "\n".join(lines)
