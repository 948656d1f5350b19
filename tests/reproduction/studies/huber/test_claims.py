"""Every claim on made-up trials: where it holds, where it does not, where nothing can be said."""

import re

import numpy as np
import pandas as pd
import pytest
from planted import plus, when

from dpmc.errors import InputError
from dpmc_studies.frame.judging.claims import CLAIM_COLUMNS, OWN, load_claims
from dpmc_studies.frame.judging.readings import parsed
from dpmc_studies.studies.huber import reported as library
from dpmc_studies.studies.huber.claims.evidence import PREDICATES
from dpmc_studies.studies.huber.claims.judge import judge as judge_claims

S, C, N, I = "supported", "contradicted", "no effect", "inconclusive"  # noqa: E741
NOT_RUN = "not run"
U = "not reported"
LOUD = {"spread": 1.5}

SYNTHETIC_CLAIMS = [f"H{n}" for n in (*range(1, 17), 32, 33, 37, 46, 48, 49, 50, 53, 56)]
REAL_CLAIMS = [f"H{n}" for n in (17, 19, 20, 21, 22, 51)]


HUBER, GAUSSIAN, LAPLACE = ({"mechanism": noise} for noise in ("huber", "gaussian", "laplace"))
SYNTHETIC, SWEETRS = {"dataset": "synthetic"}, {"dataset": "sweetrs"}

# Where an effect supports a claim: its opposite contradicts it, and without it there is no effect.
SIDED = {
    "H3": (-0.03, HUBER),
    "H5": (0.05, LAPLACE),
    "H7": (-0.05, HUBER | {"method": "irls"}),
    "H13": (-0.05, HUBER | {"method": "irls", "variance": 2.0}),
    "H15": (-0.05, LAPLACE | {"method": "irls"}),
    "H48": (0.05, LAPLACE),
    "H49": (-0.05, GAUSSIAN),
}

# For each claim what is planted, and the verdict that must come out. Without anything planted
# the mechanisms and the methods are equal, more variance and a higher rank hurt.
PLANTED = [
    ("H1", S, when(-0.05, rank=5, **HUBER), {}),
    ("H1", C, when(0.06, rank=20, variance=2.0, observed_fraction=0.1, **HUBER), {}),
    ("H1", N, None, {}),
    ("H2", S, when(-0.02, rank=5, **HUBER), {}),
    ("H2", C, when(0.02, rank=5, variance=1.0, observed_fraction=0.1, **HUBER), {}),
    ("H4", S, plus(when(-0.05, **HUBER), when(-0.1, rank=20, variance=1.0, **GAUSSIAN)), {}),
    ("H4", C, when(-0.05, **GAUSSIAN), {}),
    ("H4", N, None, {}),
    # Huber best on average, by far in six rows, but Gaussian in more of them.
    ("H4", C, plus(when(-0.5, rank=20, variance=1.0, **HUBER), when(-0.05, **GAUSSIAN)), {}),
    ("H4", I, when(-0.05, **HUBER), {}),  # best overall, but Gaussian never lowest
    ("H6", S, None, {}),
    ("H6", C, when(-0.05, **GAUSSIAN), {}),
    ("H7", I, when(-0.0104, method="irls", **HUBER), {}),  # better, but not by more than 1 %
    ("H8", S, when(-0.05, method="irls", observed_fraction=0.05, **HUBER), {}),
    ("H8", C, when(-0.05, method="irls", observed_fraction=0.15, **HUBER), {}),
    ("H8", N, when(-0.05, method="irls", **HUBER), {}),  # a gain, but the same everywhere
    ("H9", S, None, {}),
    ("H9", C, when(-0.5, variance=2.0, **SYNTHETIC), {}),
    ("H10", S, when(0.1, variance=2.0, observed_fraction=0.05, **SYNTHETIC), {}),
    ("H10", C, when(0.1, variance=2.0, observed_fraction=0.15, **SYNTHETIC), {}),
    ("H10", N, None, {}),
    ("H11", S, when(-0.05, variance=2.0, **HUBER), {}),
    ("H11", C, when(-0.05, variance=2.0, **LAPLACE), {}),
    ("H12", S, when(-0.05, method="als", variance=1.0, rank=5, **HUBER), {}),
    ("H12", N, when(-0.05, method="als", variance=1.0, rank=20, **HUBER), {}),
    ("H12", C, when(0.05, method="als", variance=1.0, **HUBER), {}),
    ("H14", S, when(-0.05, method="als", **GAUSSIAN), {}),
    ("H14", C, when(0.05, method="als", rank=20, **GAUSSIAN), {}),
    ("H14", N, None, {}),
    ("H37", S, when(-0.05, method="irls", rank=5, **LAPLACE), {}),
    ("H37", C, when(0.05, method="irls", rank=5, **LAPLACE), {}),
    ("H37", N, when(-0.05, method="irls", rank=20, **LAPLACE), {}),
    ("H16", S, None, {}),
    ("H16", C, when(-1.0, rank=20, **SYNTHETIC), {}),
    ("H16", C, when(0.7, variance=1.0, rank=5, **SYNTHETIC), {}),  # grows, but more noise helps
    ("H53", S, plus(when(-0.05, **HUBER), when(-0.05, method="irls", **HUBER)), {}),
    ("H53", C, plus(when(-0.05, rank=5, **HUBER), when(0.05, rank=20, **HUBER)), {}),
    ("H53", N, None, {}),
    # at ranks 5 and 20 the sign differs, but at 20 it is within the margin; one trend is none
    ("H53", N, plus(when(-0.05, rank=5, **HUBER), when(0.004, rank=20, **HUBER)), {}),
    ("H17", S, None, {}),
    ("H17", C, when(0.03, irls_iterations=2, dataset="ml-100k"), {}),
    ("H19", S, when(-0.02, observed_fraction=[0.05, 0.051], **HUBER), {}),
    ("H19", C, when(-0.02, dataset="ml-100k", **LAPLACE), {}),
    ("H20", S, when(-0.02, observed_fraction=0.15, **SWEETRS, **GAUSSIAN), {}),
    ("H20", C, when(0.02, observed_fraction=0.15, **SWEETRS, **GAUSSIAN), {}),
    ("H20", I, when(-0.02, **SWEETRS, **GAUSSIAN), {}),  # lower, but at 5 % too
    ("H21", S, when(-0.03, **HUBER), {}),
    ("H21", C, plus(when(-0.03, **SWEETRS, **HUBER), when(0.03, **SYNTHETIC, **HUBER)), {}),
    ("H21", N, when(0.03, **SYNTHETIC, **HUBER), {}),
    ("H22", S, None, {}),
    ("H22", C, when(0.5, mechanism=["huber", "gaussian", "laplace"], **SWEETRS), {}),
    ("H32", S, None, {"spread": 0.1, "spread_of": when(1.0, **LAPLACE)}),
    ("H32", C, None, {"spread": 0.1, "spread_of": when(-1.0, **LAPLACE)}),
    ("H32", I, None, {"spread": 0.1}),
    ("H33", S, when(-0.03, observed_fraction=0.05, **GAUSSIAN), {}),
    ("H33", C, when(-0.03, observed_fraction=0.15, **GAUSSIAN), {}),
    # better at 5 % than at 15 %, but worse than the others there
    ("H33", C, plus(when(0.1, **GAUSSIAN), when(-0.05, observed_fraction=0.05, **GAUSSIAN)), {}),
    ("H46", S, plus(when(-0.03, **GAUSSIAN), when(0.03, **LAPLACE)), {}),
    ("H46", N, plus(when(-0.004, **GAUSSIAN), when(0.004, **LAPLACE)), {}),  # order alone
    ("H46", C, when(0.03, **GAUSSIAN), {}),
    ("H46", C, when(-0.03, **LAPLACE), {}),
    ("H48", N, when(0.005, **LAPLACE), {}),
    ("H50", S, when(0.05, variance=1.0, **LAPLACE), {}),  # alike where the variance is high
    ("H50", C, when(0.05, variance=2.0, **LAPLACE), {}),
    ("H50", C, when(-0.05, variance=2.0, **LAPLACE), {}),
    ("H56", S, when(-0.05, **HUBER), {}),
    ("H56", N, when(-0.05, rank=20, variance=1.0, observed_fraction=0.05, **LAPLACE), {}),
    ("H56", C, when(-0.05, **GAUSSIAN), {}),
    ("H51", S, None, {}),
    ("H51", C, when(0.03, irls_iterations=2, dataset="sweetrs", observed_fraction=0.1), {}),
    ("H51", I, None, {"spread": 0.03}),
]
for name, (amount, where) in SIDED.items():
    PLANTED += [(name, S, when(amount, **where), {}), (name, C, when(-amount, **where), {})]
    PLANTED.append((name, N, None, {}))
# Where trials scatter that much nothing can be said. What leaves these open stands above.
OPEN = ("H4", "H20", "H32", "H51")
PLANTED += [(name, I, None, LOUD) for name in SYNTHETIC_CLAIMS + REAL_CLAIMS if name not in OPEN]


def planted_names():
    return [f"{name} {verdict} {number}" for number, (name, verdict, *_) in enumerate(PLANTED)]


@pytest.fixture(scope="session")
def planted(judge, make_trials):
    """Return a judge of all claims that are planted on the same trials, at once."""
    known = {}

    def judged(effect, options):
        place = (effect, *options.items())
        if place not in known:
            names = [name for name, _, *same in PLANTED if same == [effect, options]]
            trials = make_trials(**options) if effect is None else make_trials(effect, **options)
            known[place] = judge(trials, *names)
        return known[place]

    return judged


@pytest.mark.parametrize(("name", "verdict", "effect", "options"), PLANTED, ids=planted_names())
def test_verdict_on_planted_trials(planted, name, verdict, effect, options):
    found = planted(effect, options).loc[name]
    assert found["verdict"] == verdict, found["reason"]
    assert found["interval_low"] <= found["effect"] <= found["interval_high"]
    assert found["n"] == 10
    assert "not part of this run" not in found["reason"]


def test_every_trial_claim_is_planted_with_every_verdict():
    planted = {(name, verdict) for name, verdict, *_ in PLANTED}
    every = {(n, verdict) for n in SYNTHETIC_CLAIMS + REAL_CLAIMS for verdict in (S, C, I)}
    assert planted >= every
    assert {verdict for _, verdict in planted - every} == {N}


@pytest.mark.parametrize(
    ("name", "effect", "amount"),
    [
        ("H3", when(-0.03, **HUBER), -0.03),
        ("H5", when(0.05, **LAPLACE), -0.05),
        ("H6", when(0.04, **GAUSSIAN), 0.04),
        ("H7", when(-0.05, method="irls", **HUBER), -0.05),
        ("H8", when(-0.05, method="irls", observed_fraction=0.05, **HUBER), -0.05),
        ("H9", None, -0.3),
        ("H10", when(0.1, variance=2.0, observed_fraction=0.05, **SYNTHETIC), -0.1),
        ("H11", when(-0.05, variance=2.0, **HUBER), -0.05),
        ("H12", when(0.05, method="irls", variance=1.0, **HUBER), -0.05),
        ("H17", when(0.02, irls_iterations=2), 0.02),
        ("H20", when(-0.02, observed_fraction=0.15, **SWEETRS, **GAUSSIAN), -0.02),
        ("H33", when(-0.03, observed_fraction=0.05, **GAUSSIAN), -0.03),
        ("H46", when(-0.03, **GAUSSIAN), -0.03),
    ],
)
def test_effects_are_log_ratios(judge, make_trials, name, effect, amount):
    trials = make_trials() if effect is None else make_trials(effect)
    found = judge(trials, name).loc[name]
    # Standard errors here are at most .002 sqrt(2 / 10) = .001.
    assert found["effect"] == pytest.approx(amount, abs=0.004)


def test_the_gap_claim_reports_the_ratio_of_gaps(judge, make_trials):
    found = judge(make_trials(), "H22").loc["H22"]
    # exp(log 3) - 1 = 2 against .05.
    assert found["effect"] == pytest.approx(40, rel=0.05)


# The reported tables' own counts. (A tie counts for neither side: H12 has one, 3 wins of 9.)
REPORTED = {
    "H1": (
        C,
        "reported: 29, 34, 1, by more than sampling error 1",
    ),  # planted trials hardly scatter
    "H2": (S, "reported: 24 of 24, mean -2.91 %"),
    "H3": (S, "reported: 29 of 36"),
    "H4": (S, "reported lowest: 6, 17"),
    "H5": (S, "reported: 12 of 12"),
    "H6": (S, "mean"),
    "H7": (N, "reported: 12 of 18, mean -0.08 %"),
    "H8": (I, "reported: 1 of 2"),
    "H9": (S, "reported: 46 of 54"),
    "H10": (S, "reported: 6 of 6"),
    "H11": (S, "reported: 14 of 18"),
    "H12": (N, "reported: 1 of 3"),
    "H13": (N, "reported: 7 of 9"),
    "H14": (C, "reported: 8 of 18"),
    "H15": (C, "reported: 8 of 18"),
    "H16": (S, "reported: 96 of 96"),
    "H17": (S, "reported: 4 of 4"),
    "H18": (U, "the papers report no number"),
    "H19": (S, "reported: 4 of 4"),
    "H20": (S, "reported: 2 of 2"),
    "H21": (N, "reported: 1"),
    "H22": (S, "reported ratio"),
    "H23": (S, "(reported: 1.076, 1.037, 1.019)"),
    "H24": (S, "(reported: 1.064)"),
    "H25": (N, "0.500 by the formula"),
    "H26": (S, "(reported: 0.062, 0.741, 0.778, 0.796)"),
    "H27": (U, ""),
    "H28": (U, "the papers report no number"),
    "H29": (U, "the papers report no number"),
    "H30": (U, "the papers report no number"),
    "H31": (U, "0.184 (p below 1e-300) with the formula as published"),
    "H32": (U, "the papers report no number"),
    "H33": (S, "reported: 10 of 12"),
    "H37": (S, "reported: 4 of 6"),
    "H35": (U, ""),
    "H36": (U, ""),
    **{f"H{n}": (U, "") for n in range(38, 46)},
    "H46": (C, "reported: 7 of 36"),
    "H48": (S, "reported: 30 of 36"),
    "H49": (C, "reported: 6 of 36"),
    "H50": (S, "reported: 17 of 18"),
    "H51": (S, "reported: 4 of 4"),
    "H52": (S, "Huber 5.380, Gaussian 17.129 by the formula and 20.676 exactly"),
    "H53": (N, "(reported: -2.91, -0.96, -0.93 %)"),
    "H54": (U, "not part of this run"),
    "H55": (U, "500 of 500 predictions"),
    "H56": (S, "reported: 30 of 36"),
    "H57": (C, "reported: 7 of 36"),
    "H58": (U, "0.51 at epsilon 0.1 and 0.60 at 10 with 50 releases"),
    "H59": (U, "0.14 for one release, 1.89 for 50"),
    "H60": (U, ""),
}


@pytest.fixture(scope="session")
def everything(judge_readings, make_trials, timing, convergence, starts):
    side = {"timing": timing(), "convergence": convergence(), "starts": starts()}
    return judge_readings(make_trials(), **side)


@pytest.mark.parametrize("name", REPORTED)
def test_verdict_on_the_reported_tables(everything, name):
    verdict, count = REPORTED[name]
    found = everything.loc[name]
    assert found["reported_verdict"] == verdict
    assert count in found["reason"]


def test_all_claims_are_judged_in_their_columns(everything, claims):
    # H34 and H47, about models at an equal total budget, are judged by the study of those
    names = {f"H{n}" for n in range(1, 61) if n not in (34, 47)}
    assert list(everything.index) == [claim["id"] for claim in claims]
    assert set(everything.index) == names == set(REPORTED)
    assert {name for name in PREDICATES if name.startswith("H")} == set(REPORTED)
    assert list(everything.reset_index().columns) == list(CLAIM_COLUMNS)
    assert everything["reason"].str.len().gt(10).all()
    for column in ("source", "claim", "predicate"):
        assert everything[column].tolist() == [claim[column] for claim in claims]


@pytest.mark.parametrize(
    ("name", "verdict", "effect"),
    [("H23", S, 1.075978), ("H24", S, 24.22403 / 15), ("H25", N, 1.0),
     ("H26", C, np.log(24.22403 / 15)), ("H27", C, 1.0), ("H28", S, None), ("H29", I, 0.0208),
     ("H30", S, 1.003610), ("H31", C, 0.18376), ("H45", C, 1.0),
     ("H52", S, 17.129 / 5.380), ("H55", C, 0.190669), ("H58", C, 0.85768), ("H59", S, 1.88823)],
)  # fmt: skip
def test_facts(everything, name, verdict, effect):
    found = everything.loc[name]
    assert found["verdict"] == verdict
    if effect is not None:
        assert found["effect"] == pytest.approx(effect, rel=2e-3)


def test_facts_say_on_which_choice_of_the_papers_they_hang(everything):
    assert (
        "of scale 1, as in the papers, variance Huber/Laplace 1.000"
        in everything.loc["H45", "reason"]
    )


def test_noise_that_is_nearer_to_gaussian_noise_is_not_like_laplace_noise(
    judge, make_trials, monkeypatch
):
    from dpmc_studies.studies.huber.claims import noise_comparisons

    assert judge(make_trials(), "H50").loc["H50", "verdict"] == S
    monkeypatch.setattr(noise_comparisons, "KINDS", noise_comparisons.KINDS[::-1])
    assert judge(make_trials(), "H50").loc["H50", "verdict"] == C


def test_facts_say_what_they_are_measured_by(everything):
    named = ["H22", "H23", "H26", "H28", "H29", "H35", "H45"]
    assert set(everything.loc[named, "margin_of"]) == {"ours"}
    margins = [10, 1.1, np.log(1.1), 0.9, 0.01, 3, 0.9]
    np.testing.assert_allclose(everything.loc[named, "margin"], margins)


def test_similar_budgets_support(make_trials, paper, claims, budgets):
    low, columns = budgets["variance"] == 1, ["epsilon_corrected", "epsilon_exact"]
    similar = budgets.copy()
    similar.loc[low & (budgets["mechanism"] == "gaussian"), columns] = 15.5
    some = [claim for claim in claims if claim["id"] == "H26"]
    found = judge_claims(make_trials(trials=1), paper, similar, some)
    assert found["verdict"].tolist() == [S]


def test_the_reported_verdict_forgives_what_ten_trials_cannot_tell(judge, make_trials):
    # The row that is printed 4.2 % worse: seven times its error, or within it.
    for spread, verdict in ((0.002, C), (0.1, S)):
        found = judge(make_trials(spread=spread), "H1").loc["H1"]
        assert found["reported_verdict"] == verdict, found["reason"]


class TestReadings:
    def test_every_claim_is_judged_by_every_reading(self, everything):
        readings = everything["readings"].map(parsed)
        names = ["even trials", "odd trials", "equal weights", "margins times two"]
        assert all(list(found) == names for found in readings)

    def test_a_wider_margin_is_a_reading(self, judge_readings, make_trials):
        found = judge_readings(make_trials(when(-0.015, **HUBER)), "H3").loc["H3"]
        assert found["verdict"] == S
        assert found["depends_on"] == "margins times two: no effect"

    def test_equal_weights_are_a_reading(self, judge_readings, make_trials):
        # worse by 4 % where trials scatter, equal where they do not
        loud = when(5.0, observed_fraction=0.05)
        effect = when(0.04, observed_fraction=0.05, **HUBER)
        trials = make_trials(effect, spread=0.001, spread_of=loud, trials=40)
        found = judge_readings(trials, "H11", "H15", "H3").loc["H3"]
        assert "plain mean" in found["reason"]
        assert parsed(found["readings"])["equal weights"] == C
        assert found["verdict"] == N


def test_budget_claims_can_fail(make_trials, paper, claims, budgets):
    swapped = budgets.assign(
        mechanism=budgets["mechanism"].replace({"gaussian": "laplace", "laplace": "gaussian"})
    )
    names = ["H5", "H23", "H24", "H26"]
    some = [claim for claim in claims if claim["id"] in names]
    trials = make_trials(when(0.05, **LAPLACE))
    found = judge_claims(trials, paper, swapped, some).set_index("id")["verdict"]
    assert found[["H23", "H24", "H26"]].tolist() == [S, C, C]
    steep = budgets.assign(
        epsilon_corrected=budgets["epsilon_corrected"]
        * np.where(budgets["mechanism"] == "huber", 1.2, 1.0)
    )
    found = judge_claims(trials, paper, steep, some).set_index("id")["verdict"]
    assert found[["H5", "H23"]].tolist() == [C, C]


class TestMissingData:
    def test_nothing_at_all(self, judge_readings, make_trials):
        facts = ["H23", "H24", "H25", "H26", "H27", "H30", "H31", "H45"]
        side = ["H18", "H35", "H36"]
        found = judge_readings(
            make_trials().iloc[:0], *SYNTHETIC_CLAIMS, *REAL_CLAIMS, *facts, *side
        )
        others = found.drop(index=facts)
        assert set(others["verdict"]) == {NOT_RUN}
        assert others["reason"].str.contains("not part of this run").all()
        assert others["effect"].isna().all()
        assert found.loc[facts, "verdict"].ne(I).all()

    def test_without_real_data_only_their_claims_suffer(self, judge_readings, make_trials):
        trials = make_trials()
        found = judge_readings(
            trials[trials["dataset"] == "synthetic"], *SYNTHETIC_CLAIMS, *REAL_CLAIMS
        )
        lost = found["reason"].str.contains("not part of this run")
        assert set(found.index[lost]) == set(REAL_CLAIMS)
        assert (found.loc[lost, "verdict"] == NOT_RUN).all()
        pd.testing.assert_frame_equal(found[~lost], judge_readings(trials, *SYNTHETIC_CLAIMS))

    def test_lost_cells_leave_no_verdict(self, judge, make_trials):
        trials = make_trials()
        lost = trials["rank"].isin([5, 10]) & trials["observed_fraction"].eq(0.05)
        found = judge(trials[~lost], *SYNTHETIC_CLAIMS)
        assert found["verdict"].to_dict() == dict.fromkeys(SYNTHETIC_CLAIMS, NOT_RUN)
        assert found["reason"].str.contains("not part of this run").all()

    @pytest.mark.parametrize("trials", [1, 2, 3])
    def test_few_trials_never_crash(self, judge_readings, make_trials, trials):
        found = judge_readings(make_trials(trials=trials), *SYNTHETIC_CLAIMS, *REAL_CLAIMS)
        assert found["interval_low"].isna().all()
        if trials == 1:
            assert set(found["verdict"]) == {I}
            assert found["effect"].drop("H32").notna().all()

    def test_cells_with_fewer_trials(self, judge, make_trials):
        trials = make_trials(when(-0.03, **HUBER))
        short = (trials["rank"] == 20) & (trials["trial"] >= 6)
        found = judge(trials[~short], "H3", "H9", "H22")
        assert found["verdict"].tolist() == [S, S, S]
        assert found["n"].tolist() == [6, 6, 6]

    def test_a_reduced_grid_is_missing_data(self, judge, make_trials):
        trials = make_trials()
        found = judge(trials[trials["rank"] == 5], "H2", "H3")
        assert found["reason"].str.contains("not part of this run").tolist() == [False, True]


def test_row_order_does_not_matter(judge_readings, make_trials):
    trials = make_trials(when(-0.01, **HUBER), spread=0.02)
    names = SYNTHETIC_CLAIMS + REAL_CLAIMS
    shuffled = trials.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(judge_readings(trials, *names), judge_readings(shuffled, *names))


def test_real_data_at_another_noise_variance(paper_folder, make_trials, budgets, claims):
    trials = make_trials()
    sweetrs = (trials["dataset"] == "sweetrs") & trials["variance"].notna()
    trials.loc[sweetrs, "variance"] = 0.5
    table = library.load(paper_folder, real_variances={"sweetrs": 0.5})
    some = [claim for claim in claims if claim["id"] in ("H17", "H22")]
    found = judge_claims(trials, table, budgets, some)
    assert found["verdict"].tolist() == [S, S]


class TestClaimsFile:
    def write(self, tmp_path, text):
        path = tmp_path / "claims.yaml"
        path.write_text(text)
        return path

    def test_statements_are_for_readers(self, claims):
        for claim in claims:
            assert not re.search(r"\s{2,}|\n", claim["predicate"].strip())
            assert claim["predicate"].endswith(".")
            assert claim["source"].startswith(("paper", "thesis"))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("- id: [", "not valid YAML at line"),
            ("id: H1", "must be a list of claims"),
            ("- {id: H1, source: a, claim: b}", "entry 1 must have the keys id, source"),
            (
                "- {id: H1, own: true, source: a, sentence: s, claim: b, predicate: c}",
                "entry 1 must have the keys id, source",
            ),
            ("- {id: H1, own: no, claim: b, predicate: c}", "entry 1 must have the keys"),
            (
                "- {id: H01, source: a, sentence: s, claim: b, predicate: c}",
                "'H01'.*did you mean 'H1'",
            ),
            (
                "- {id: H1, source: a, sentence: s, claim: b, predicate: c}\n" * 2,
                "'H1' comes twice",
            ),
        ],
    )
    def test_a_broken_file_is_named(self, tmp_path, text, message):
        with pytest.raises(InputError, match=f"claims.yaml: .*{message}"):
            load_claims(self.write(tmp_path, text), PREDICATES)

    def test_a_claim_of_our_own_has_no_source(self, tmp_path):
        text = "- {id: H1, own: true, claim: b, predicate: c}"
        (claim,) = load_claims(self.write(tmp_path, text), PREDICATES)
        assert (claim["source"], claim["sentence"]) == (OWN, "")
        assert set(claim) == {"id", "source", "sentence", "claim", "predicate", "written"}

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(InputError, match="the file with the claims is missing"):
            load_claims(tmp_path / "claims.yaml", PREDICATES)
