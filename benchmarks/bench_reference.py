"""How good the references without privacy are: errors beside those of surprise and cmfrec.

    python benchmarks/bench_reference.py results/data/ml-100k.npz results/data/jester.npz

RMSE on the held-out fifth of the ratings, predictions clipped to the range that ratings can take
(surprise does so), mean over three splits that all models share, and CPU seconds of a fit. What is
not installed is left out and named. See README.md for the settings. Ends with status 1 if our best
reference is more than 0.5 % above the best of the others.
"""

import argparse
import sys
import time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from dpmc.ratings import Ratings
from dpmc_studies.datasets.splits import random_split
from dpmc_studies.methods import method_class
from dpmc_studies.statistics.errors import rmse_clipped
from dpmc_studies.studies.equal_privacy.settings import TABLE, load_hyperparameters

SPLITS = (0, 1, 2)  # seeds; settings were chosen on other ones
SHARE = 0.8
TARGET = 0.005
OURS = ("user_item_bias", "als", "bayesian_als")
SIMILAR = {"name": "pearson_baseline", "user_based": False}
SURPRISE = {
    "SVD": {
        "ml-100k": {"n_factors": 100, "n_epochs": 100, "lr_all": 0.005, "reg_all": 0.1},
        "jester": {"n_factors": 200, "n_epochs": 20, "lr_all": 0.002, "reg_all": 0.17},
    },
    "SVDpp": {
        "ml-100k": {"n_factors": 50, "n_epochs": 50, "lr_all": 0.01, "reg_all": 0.1},
        "jester": {"n_factors": 50, "n_epochs": 20, "lr_all": 0.002, "reg_all": 0.15},
    },
    "KNNBaseline": {
        "ml-100k": {"k": 40, "sim_options": SIMILAR},
        "jester": {"k": 20, "sim_options": SIMILAR},
    },
}
CMFREC = {
    "CMF": {
        "ml-100k": {"k": 100, "lambda_": 0.12, "scale_lam": True},
        "jester": {"k": 20, "lambda_": 150.0},
    },
    "CMF, implicit features": {
        "ml-100k": {"k": 100, "lambda_": 0.1, "scale_lam": True, "w_implicit": 1.0},
        "jester": {"k": 20, "lambda_": 0.3, "scale_lam": True, "w_implicit": 8.0},
    },
}


def ours(dataset):
    """Yield name, fit and prediction of our references, with the settings of the study."""
    table = load_hyperparameters(TABLE)
    for name in OURS:
        settings = table[dataset, None, None, name, "none"]

        def fit(training, seed, name=name, settings=settings):
            return method_class(name)(**settings).fit(training, rng=seed)

        yield f"dpmc {name}", fit, lambda model, held: model.predict(held.users, held.items)


def of_surprise(dataset):
    """Yield the same of surprise."""
    import surprise

    def prepared(training):
        reader = surprise.Reader(rating_scale=training.rating_range)
        return surprise.Dataset.load_from_df(frame(training), reader).build_full_trainset()

    for name, settings in SURPRISE.items():
        make, given = getattr(surprise, name), settings[dataset]
        seeded = name != "KNNBaseline"

        def fit(training, seed, make=make, given=given, seeded=seeded):
            own = {"random_state": seed} if seeded else {"verbose": False}
            return make(**given, **own).fit(prepared(training))

        def predict(model, held):
            return [each.est for each in model.test(list(zip(*columns(held), strict=True)))]

        yield f"surprise {name}", fit, predict


def of_cmfrec(dataset):
    """Yield the same of cmfrec."""
    from cmfrec import CMF

    for name, settings in CMFREC.items():
        given = {"add_implicit_features": "implicit" in name} | settings[dataset]

        def fit(training, seed, given=given):
            model = CMF(**given, random_state=seed, nthreads=1, verbose=False)
            return model.fit(frame(training))

        yield f"cmfrec {name}", fit, lambda model, held: model.predict(held.users, held.items)


def columns(ratings):
    """Return users, items and values as lists."""
    return ratings.users.tolist(), ratings.items.tolist(), ratings.values.tolist()


def frame(ratings):
    """Return ratings as the other libraries take them."""
    return pd.DataFrame(dict(zip(("UserId", "ItemId", "Rating"), columns(ratings), strict=True)))


def measured(fit, predict, ratings):
    """Return the errors on all splits, and the CPU seconds of a fit."""
    errors, seconds = [], []
    for seed in SPLITS:
        training, held = random_split(ratings, SHARE, np.random.default_rng(seed), ratings.name)
        begin = time.process_time()
        model = fit(training, seed)
        seconds.append(time.process_time() - begin)
        predicted = np.asarray(predict(model, held), dtype=float)
        errors.append(rmse_clipped(predicted, held.values, ratings.rating_range))
    return errors, float(np.median(seconds))


def run(ratings):
    """Print the lines of one data set; return whether the target is missed."""
    dataset, means = ratings.name, {"dpmc": [], "other": []}
    print(f"{dataset}: {ratings.n_users} x {ratings.n_items}, {len(ratings):,} ratings")
    for library, models in (("dpmc", ours), ("surprise", of_surprise), ("cmfrec", of_cmfrec)):
        try:
            found = list(models(dataset))
        except ImportError as error:
            print(f"  {library} is left out: {error}")
            continue
        for name, fit, predict in found:
            errors, seconds = measured(fit, predict, ratings)
            means["dpmc" if library == "dpmc" else "other"].append(np.mean(errors))
            listed = " ".join(f"{error:.4f}" for error in errors)
            print(f"  {name:<32}{np.mean(errors):.4f}   {listed}{seconds:>8.1f} s", flush=True)
    if not means["other"]:
        return False
    ratio = min(means["dpmc"]) / min(means["other"])
    missed = ratio > 1 + TARGET
    verdict = "missed" if missed else "met"
    print(f"  our best over theirs: {ratio:.4f}, target {1 + TARGET:g}, {verdict}")
    return missed


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ratings", nargs="+", help="ml-100k.npz or jester.npz of a run's data")
    with threadpool_limits(1):
        missed = [run(Ratings.load(path)) for path in parser.parse_args().ratings]
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())
