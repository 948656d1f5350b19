"""Errata of the DPALS paper's algorithm and text, and of DP_Matrix_Completion_Alt_Min.

"DPALS paper" is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021); the second is the repository of Matlab programs and its read-me.
"""

import numpy as np

from dpmc.methods.user_level.item_step import solve_items, solve_items_as_published
from dpmc.studies.dpals.figures.items import item_rows
from dpmc.studies.dpals.frames import (
    STANDARD,
    dataset_label,
    datasets_of,
    is_surrogate,
    number,
    summary,
)
from dpmc.studies.dpals.theory import IN_ITEMS, RATE_IN_ITEMS, slopes, stated_slope
from dpmc.study.erratum import (
    CHANGES_CONCLUSION,
    IMPROVEMENT,
    UNSTATED,
    WITHOUT_CONSEQUENCE,
    Erratum,
)
from dpmc.study.finding import NOT_AVAILABLE
from dpmc.study.results import Results

RANK, ROWS = 5, 10_000
ITEMS, STRENGTH = 2000, 3.0  # of the draws of an item step; size of H in units of its noise
SIDE, DEVIATION = 50, 10.0
USERS, MOVIES, DENSITY = 400, 60, 0.3
GROUPS = 3  # of a median; that of one or two is their mean
RESAMPLED = "resampled"  # the variant of DPALS


def clipping(name: str, results: Results) -> Erratum:
    """The clip of a user's row has max for min."""
    rows = np.random.default_rng(1).standard_normal((ROWS, RANK))
    lengths = np.linalg.norm(rows, axis=1)
    reported = lengths * np.maximum(1, 1 / lengths)
    right = lengths * np.minimum(1, 1 / lengths)
    numbers = {
        "above": float((reported > 1 + 1e-9).mean()),
        "largest": float(reported.max()),
        "largest_right": float(right.max()),
    }
    return Erratum(
        name,
        "Clipping with max for min",
        WITHOUT_CONSEQUENCE,
        "DPALS paper, algorithm 1",
        "clip(u) = u max(1, Γ_u/‖u‖).",
        "u min(1, Γ_u/‖u‖). With max, short rows are stretched and long ones stay, so that nothing "
        "bounds what a user adds to the sums.",
        f"Of {ROWS:,} normal rows of rank {RANK} with Γ_u = 1 the published rule leaves "
        f"{100 * numbers['above']:.1f} % longer than Γ_u, up to {numbers['largest']:.2f} (min: "
        f"{numbers['largest_right']:.2f}): {numbers['largest'] ** 2:.1f} times the sensitivity of "
        "the Gram matrices that the noise is for.",
        numbers,
    )


def order_of_the_projection(name: str, results: Results) -> Erratum:
    """Lambda is added before the projection: dpmc does it the other way round."""
    rng = np.random.default_rng(1)
    users = rng.standard_normal((ITEMS, RANK, RANK))
    grams = STRENGTH * users @ users.transpose(0, 2, 1) / RANK
    items = rng.standard_normal((ITEMS, RANK))
    noise = rng.standard_normal((ITEMS, RANK, RANK))
    noised = grams + (noise + noise.transpose(0, 2, 1)) / 2
    targets = np.einsum("nfg,ng->nf", grams, items) + rng.standard_normal((ITEMS, RANK))
    length = np.linalg.norm(items, axis=1)
    numbers = {}
    for which, solve in (("reported", solve_items_as_published), ("right", solve_items)):
        found = solve(noised, targets, 1.0, projection=True)
        error = np.linalg.norm(found - items, axis=1) / length
        numbers |= {which: float(np.mean(error)), f"median_{which}": float(np.median(error))}
    return Erratum(
        name,
        "λ is added before the projection",
        IMPROVEMENT,
        "DPALS paper, algorithm 1, lines 10 and 11",
        "H + λI is projected to positive semidefinite matrices and pseudo-inverted.",
        "Both orders are as private. dpmc projects first and then adds λ: as published, what the "
        "noise makes negative is cut to 0 and lost, and what it leaves just above 0 is inverted to "
        "something huge. The published order is an option.",
        f"On {ITEMS:,} drawn items of rank {RANK} with H {STRENGTH:g} times its noise and λ as "
        f"large as the noise, the mean error of an item relative to its size is "
        f"{number(numbers['reported'])} as published and {number(numbers['right'])} with λ after "
        f"(medians {number(numbers['median_reported'])} and {number(numbers['median_right'])}).",
        numbers,
    )


def resampling(name: str, results: Results) -> Erratum:
    """Ratings are drawn anew in each step; the paper and dpmc do not, in practice."""
    here = results.get("trials")
    numbers, parts = {}, []
    if here is not None and len(here):
        here = here[(here["method"] == "dpals") & here["epsilon"].notna()]
    for dataset in datasets_of(here):
        own = here[here["dataset"] == dataset]
        tables = [own[own["variant"] == variant] for variant in (RESAMPLED, STANDARD)]
        wide = [table.pivot(index="trial", columns="epsilon", values="rmse") for table in tables]
        ratio = np.exp((np.log(wide[0]) - np.log(wide[1])).mean()).dropna()
        if len(ratio):
            numbers |= {f"{dataset}_{epsilon:g}": value for epsilon, value in ratio.items()}
            formatted = ", ".join(f"{value:.2f} at ε = {at:g}" for at, value in ratio.items())
            parts.append(f"{dataset_label(dataset)} {formatted}")
    evidence = f"{NOT_AVAILABLE.capitalize()}."
    if parts:
        evidence = f"RMSE with both drawn anew over that without: {'; '.join(parts)}."
    return Erratum(
        name,
        "Ratings drawn anew in each step, and 1/T of them for users",
        IMPROVEMENT,
        "DPALS paper, algorithm 1, lines 7 and 14, and section 5.1",
        "Every item step draws up to k ratings of each user, every user step a share 1/T of them; "
        "⌈mβ⌉ items are frequent.",
        "The analysis needs it. The paper itself leaves out the second in practice and draws once "
        "for the items; so does dpmc: sums over the same ratings are as private, users learn from "
        "all of their own. The number of frequent items is rounded to the nearest (up in DP-AltMin "
        "and its like): one item more or less. DPALS, as published, does all three to the letter.",
        evidence,
        numbers,
    )


def all_movies(name: str, results: Results) -> Erratum:
    """The text has ALS worst on all movies."""
    here = item_rows(results.get("trials"))
    if len(here):  # ALS has no sampling: one row for each share and trial
        here = here[here["method"] == "als"]
        here = here.drop_duplicates(["dataset", "item_share", "trial"])
    evidence, numbers = f"{NOT_AVAILABLE.capitalize()}.", {}
    parts = []
    for dataset in datasets_of(here):
        table = summary(here[here["dataset"] == dataset], "rmse", ("item_share",))
        table = table.sort_values("item_share")
        if len(table) < 2:
            continue
        first, last = table.iloc[0], table.iloc[-1]
        numbers[f"{dataset}_least"] = float(first["mean"])
        numbers[f"{dataset}_all"] = float(last["mean"])
        real = "" if not is_surrogate(dataset) else ", which is not the paper’s data"
        parts.append(
            f"{number(first['mean'], 4)} with factors for {100 * first['item_share']:g} % of the "
            f"items and {number(last['mean'], 4)} for {100 * last['item_share']:g} % "
            f"({dataset_label(dataset)}{real})"
        )
    if parts:
        evidence = f"RMSE of ALS without privacy is {'; '.join(parts)}."
    return Erratum(
        name,
        "ALS without privacy is said to be worst on all movies",
        WITHOUT_CONSEQUENCE,
        "DPALS paper, section 6.3",
        "For ALS without privacy “we get the highest RMSE by training on all movies, while there "
        "is a benefit for training on a subset of the movies for the private models”.",
        "Lowest: the sentence sets the two apart, so the word must be a slip. The values of figure "
        "5 were not available to us.",
        evidence,
        numbers,
    )


def one_noise_for_all(name: str, results: Results) -> Erratum:
    """The Matlab program adds one number to all entries."""
    rng = np.random.default_rng(1)
    exact = rng.standard_normal((SIDE, SIDE))
    noised = exact + DEVIATION * rng.standard_normal()
    differences = np.abs(np.diff(noised, axis=1) - np.diff(exact, axis=1)).max()
    numbers = {"difference": float(differences)}
    return Erratum(
        name,
        "One number of noise for all entries",
        CHANGES_CONCLUSION,
        "DP_Matrix_Completion_Alt_Min, DP_FW.m",
        "W = W + normrnd(0, sigma^2), with σ taken from the proof.",
        "normrnd without a size draws one number, which is added to all entries: differences of "
        "entries are published exactly. Each entry needs its own noise, and the second argument is "
        "the standard deviation, so σ and not σ².",
        f"On a drawn {SIDE} × {SIDE} matrix with noise of deviation {DEVIATION:g} differences of "
        f"neighbouring entries are off by {number(numbers['difference'])} at most.",
        numbers,
    )


def start_without_noise(name: str, results: Results) -> Erratum:
    """The read-me starts from singular vectors without noise."""
    rng = np.random.default_rng(1)
    ratings = rng.standard_normal((USERS, MOVIES)) * (rng.random((USERS, MOVIES)) < DENSITY)
    tops = [np.linalg.svd(rows, full_matrices=False)[2][:RANK] for rows in (ratings, ratings[:-1])]
    cosines = np.linalg.svd(tops[0] @ tops[1].T, compute_uv=False)
    angle = float(np.degrees(np.arccos(min(cosines.min(), 1.0))))
    return Erratum(
        name,
        "A start that is not private, raw columns and an open σ",
        CHANGES_CONCLUSION,
        "DP_Matrix_Completion_Alt_Min, read-me",
        "Nodes send their columns to the server, which starts from the top singular vectors; every "
        "round adds N(0, σ²).",
        "Whoever has the columns needs no more. Singular vectors without noise have no ε. Nothing "
        "is clipped, so no σ is enough, and rounds are not composed. In dpmc nodes send clipped "
        "updates, the start is noised (Analyze Gauss), and all rounds share one budget.",
        f"Without the last of {USERS} users the top {RANK} directions of a drawn matrix turn by "
        f"{angle:.1f}°: without noise that shows who was there, at any ε.",
        {"angle": angle},
    )


def node_step(name: str, results: Results) -> Erratum:
    """A node has one column, from which it is to find all of U."""
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((USERS, RANK)), rng.standard_normal((MOVIES, RANK))
    matrix = users @ items.T
    seen = rng.random(matrix.shape) < DENSITY
    # the shortest U that fits column j exactly: row i is M_ij V_j / |V_j|^2, 0 where not seen
    fitted = np.where(seen, matrix, 0) / np.square(items).sum(axis=1)
    averaged = fitted @ items / MOVIES
    jointly = np.array(
        [
            np.linalg.lstsq(items[own], row[own], rcond=None)[0]
            for own, row in zip(seen, matrix, strict=True)
        ]
    )
    numbers = {"rated": int(seen.sum(axis=1).min())}
    for which, found in (("averaged", averaged), ("jointly", jointly)):
        error = np.linalg.norm(found @ items.T - matrix) / np.linalg.norm(matrix)
        # U may be off by a factor: let V be solved for once more
        again = [
            np.linalg.lstsq(found[own], column[own], rcond=None)[0]
            for own, column in zip(seen.T, matrix.T, strict=True)
        ]
        refitted = np.linalg.norm(found @ np.array(again).T - matrix) / np.linalg.norm(matrix)
        numbers |= {which: float(error), f"{which}_refitted": float(refitted)}
    return Erratum(
        name,
        "A node solves for U from one column",
        CHANGES_CONCLUSION,
        "DP_Matrix_Completion_Alt_Min, read-me, algorithm at node j, update of U",
        "Node j, which has column j, sets U to arg min ‖P(U Vⱼ − Mⱼ)‖²; the server averages over "
        "the nodes.",
        "One column gives one equation for each row of U, which has r unknowns, and none for a row "
        "that is not rated; and a mean of such solutions is not the least squares of alternating "
        "minimisation. In dpmc users send the smallest change of the shared factors that fits "
        "their own ratings, clipped, and the server takes a step along the noised sum.",
        f"A drawn {USERS} × {MOVIES} matrix of rank {RANK}, {DENSITY:.0%} observed, the right V "
        f"and no noise: the mean of the shortest solutions leaves {numbers['averaged']:.0%} of the "
        f"matrix unexplained ({numbers['averaged_refitted']:.0%} if V is solved for once more), "
        f"joint least squares {numbers['jointly']:.0e}.".replace("e-", "e−"),
        numbers,
    )


def one_direction(name: str, results: Results) -> Erratum:
    """A node's median over groups of entries is 0, and its orthonormal basis one column."""
    rng = np.random.default_rng(1)
    users, items = rng.standard_normal((USERS, RANK)), rng.standard_normal((MOVIES, RANK))
    matrix = users @ items.T
    groups = np.where(
        rng.random(matrix.shape) < DENSITY, rng.integers(GROUPS, size=matrix.shape), -1
    )
    # the shortest U that fits a group of column 0 exactly, one for each group
    shortest = [
        np.outer(np.where(groups[:, 0] == group, matrix[:, 0], 0), items[0] / (items[0] @ items[0]))
        for group in range(GROUPS)
    ]
    values = np.linalg.svd(np.sum(shortest, axis=0), compute_uv=False)
    basis = np.linalg.qr(users)[0]
    fitted = basis.T @ matrix
    ended = basis @ (fitted / np.linalg.norm(fitted, axis=0))
    # the published end may be off by a factor, the same for all nodes
    ended *= (ended * matrix).sum() / (ended**2).sum()
    numbers = {
        "median": float(np.abs(np.median(shortest, axis=0)).max()),
        "directions": int((values > 1e-10 * values[0]).sum()),
        "unit_length": float(np.linalg.norm(ended - matrix) / np.linalg.norm(matrix)),
    }
    return Erratum(
        name,
        "A node of DP-SAltLS keeps nothing, or one direction",
        CHANGES_CONCLUSION,
        "DP_Matrix_Completion_Alt_Min, read-me, DP-SAltLS at node j",
        "Node j sets U to MedianLS of its column, adds noise, and sends SmoothQR of it; Vⱼ is "
        "SmoothQR of MedianLS, too. The server averages. Neither procedure is there, nor the "
        "number of groups of the median, the coherence or σ.",
        "Hardt (FOCS 2014), whose names these are, has MedianLS and SmoothQR of all columns "
        "together. Of one column every entry is in one group: all fits but one have no rating of a "
        "row, so that with three groups or more the median is what a row is without ratings. The "
        "fit to one column has rank one, so that a basis of rank r has r − 1 columns of rounding "
        "or noise. And an orthonormal Vⱼ has length 1 whatever is in the column. dpmc takes "
        "medians over groups of users, each of which determines all items, and makes the items "
        "orthonormal once; “SAltLS, as published” has one group and the one column that is "
        "determined.",
        f"A drawn {USERS} × {MOVIES} matrix of rank {RANK}, {DENSITY:.0%} observed, without noise: "
        f"the median of {GROUPS} shortest fits to a column is {numbers['median']:g} everywhere, "
        f"their sum has {numbers['directions']} of {RANK} directions, and with the right U and all "
        f"entries Vⱼ of length 1 leaves {numbers['unit_length']:.0%} of the matrix unexplained.",
        numbers,
    )


def growth_with_items(name: str, results: Results) -> Erratum:
    """Theorem 2 has a factor sqrt(m) that table 1 and remark 6 do not have."""
    fits = slopes(results.get("trials"))
    here = fits[(fits["along"] == IN_ITEMS) & (fits["method"] == "dpals")]
    numbers = {"theorem": stated_slope("dpals", IN_ITEMS, (250, 2000)), "remark": RATE_IN_ITEMS}
    evidence = f"{NOT_AVAILABLE.capitalize()}."
    if len(here):
        numbers |= {f"epsilon_{row.at:g}": float(row.slope) for row in here.itertuples()}
        measured = ", ".join(
            f"{row.slope:.2f} ({row.low:.2f} to {row.high:.2f}) at ε = {row.at:g}"
            for row in here.itertuples()
        )
        evidence = (
            "Slopes of log RMSE of DPALS against log m, 20 ln n ratings a user and the same users: "
            f"{measured}. The bound of theorem 2 has {numbers['theorem']:.2g}."
        )
    return Erratum(
        name,
        "Users in proportion to m or to m√m",
        UNSTATED,
        "DPALS paper, sections 1 and 4, table 1, theorem 2, remark 6",
        "For a given error table 1 and remark 6 ask for n in proportion to m; section 1 for m√m, "
        "and so does the bound of theorem 2 at the least p of its premise, log³(n)/m: √m γ/√p with "
        "γ in proportion to √m.",
        "The proof sketch ends at γ/(√p n) without the first √m, which is in proportion to m: "
        "table 1 and remark 6 follow from it, the bound as displayed is weaker. dpmc shows the "
        "bound as displayed, and judges growth by table 1 (claim D33).",
        evidence,
        numbers,
    )
