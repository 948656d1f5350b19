"""``dpmc noise``: how much noise a budget needs, and which mechanism needs the least."""

import click

from dpmc.cli.help import Command
from dpmc.cli.options import fit_option
from dpmc.errors import ParameterError

LARGEST = 1e9


@click.command(
    cls=Command,
    groups={
        "Budget": ("epsilon", "delta"),
        "Plain numbers": ("releases",),
        "A training": (
            "relation", "method", "iterations", "ratings_per_user", "rating_range", "factor_bound",
            "residual_bound",
        ),
        "Output": ("as_json",),
    },
    examples=(
        "dpmc noise --epsilon 5 --delta 1e-6 --relation user",
        "dpmc noise --epsilon 1 --releases 10 --json",
    ),
)  # fmt: skip
@fit_option("epsilon", help="Privacy budget of all releases together.")
@fit_option("delta")
@click.option("--releases", type=int, help="Number of releases, each of sensitivity 1.")
@fit_option("relation", default=None)
@fit_option(
    "method", help="Method of dpmc fit.  [default: bayes where users are protected, else als]"
)
@fit_option("iterations")
@fit_option(
    "ratings_per_user",
    help="Largest number of a user's ratings that count, where users are protected.  [default: all "
    "with bayes, else 50]",
)
@fit_option("rating_range", help="Lowest and highest possible rating.  [default: -1 1]")
@fit_option("factor_bound")
@fit_option(
    "residual_bound", help="Largest size of a rating less its offsets, when items are learnt."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def noise(epsilon, delta, releases, as_json, **options):
    """Say how much noise a budget needs, and which mechanism needs the least.

    Ask about plain numbers that change by at most 1 (--releases), or about a training (--relation
    and what else is known of it). Whatever is not given is as for dpmc fit; B is half the rating
    range. For a training, the answer is the noise that dpmc fit adds by default, if it spends
    nothing on --items-privately or --report-error: where users are protected gaussian noise, else
    gaussian or laplace noise.
    """
    from dpmc.fitting.checks import check_between
    from dpmc.privacy.recommendation import MOST_RELEASES, recommend

    check_between("epsilon", epsilon, 1 / LARGEST, LARGEST)
    for name, value in {"releases": releases, "iterations": options["iterations"]}.items():
        check_between(name, value, 1, MOST_RELEASES)
    plan = _plan(options, epsilon, delta)
    if (plan is None) == (releases is None):
        raise ParameterError("Give either {relation}, for a fit, or --releases, for plain numbers.")
    answer = recommend(epsilon, delta, releases=releases, plan=plan)
    if as_json:
        import json

        click.echo(json.dumps(answer.as_dict(), indent=2))
        return
    for line in _lines(answer):
        click.echo(line)


def _plan(options: dict, epsilon: float, delta: float):
    """Ask the method itself, made as dpmc fit makes it, what its releases amount to."""
    from dpmc.fitting.fit import prepare

    given = {name: value for name, value in options.items() if value is not None}
    if "relation" in given:
        return prepare(
            {"rating_range": (-1.0, 1.0), "epsilon": epsilon, "delta": delta} | given
        ).plan
    if given:
        raise ParameterError("{0} is about a training: give {relation} too.", next(iter(given)))
    return None


def _lines(answer):
    yield f"Epsilon {answer.epsilon:g} at delta {answer.delta:g} over {answer.releases} releases."
    if answer.plan:
        from dpmc.privacy.relations import RELATIONS

        yield f"Neighbours: {RELATIONS[answer.plan.relation]}."
    yield ""
    statistics = list(answer.options[0].deviations)
    columns = [f"noise of {name.replace('_', ' ')}" for name in statistics]
    yield (
        f"{'mechanism':<11}{'norm':<6}{'deviation':>10}{'epsilon at delta 0':>20}"
        + "".join(f"{column:>{len(column) + 2}}" for column in columns)
        + "  parameters"
    )
    for option in answer.options:
        pure = "none" if option.mechanism == "gaussian" else f"{option.pure_epsilon:.4g}"
        noises = "".join(
            f"{option.deviations[name]:>{len(column) + 2}.4g}"
            for name, column in zip(statistics, columns, strict=True)
        )
        yield (
            f"{option.mechanism:<11}{option.norm:<6}{option.noise.std():>10.4g}{pure:>20}{noises}"
            f"  {_parameters(option)}"
        )
    yield ""
    yield "Deviation: of the noise on a release of sensitivity 1 in that norm."
    factors = answer.plan and answer.plan.method != "bias"
    if factors and "l1" in {option.norm for option in answer.options}:
        yield "Rows of factors are clipped in that norm too, in l1 to less than in l2."
    yield answer.sentence()


def _parameters(option) -> str:
    symbols = {"gaussian": "sigma", "laplace": "b", "huber": "s"}
    text = f"{symbols[option.mechanism]} = {option.noise.scale:.5g}"
    return f"a = {option.noise.a:.4g}, {text}" if option.mechanism == "huber" else text
