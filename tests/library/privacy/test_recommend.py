"""Which mechanism for my budget: the function and the command."""

import json
import math
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dpmc.cli.noise import noise as command
from dpmc.errors import InputError
from dpmc.fitting.fit import prepare
from dpmc.fitting.parameters import METHODS
from dpmc.methods import method_class
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.recommendation import recommend
from dpmc.privacy.relations import RELATIONS


def plan_of(relation, method="als", **settings):
    """What dpmc fit would train, at any budget."""
    options = {"relation": relation, "method": method, "rating_range": (-1, 1), "epsilon": 1}
    return prepare(options | settings).plan


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


class TestReleases:
    @pytest.mark.parametrize(
        ("releases", "budget", "best"), [(1, 1, "laplace"), (10, 5, "huber"), (1000, 1, "gaussian")]
    )
    def test_the_smallest_variance(self, releases, budget, best):
        answer = recommend(budget, 1e-5, releases=releases)
        assert answer.best.mechanism == best
        assert {option.mechanism for option in answer.options} == {"gaussian", "laplace", "huber"}
        for option in answer.options:
            found = calibrate(option.mechanism, releases=releases, epsilon=budget, delta=1e-5)
            assert option.noise == found.noise
            assert option.cost == pytest.approx(option.noise.var())
            assert answer.best.cost <= option.cost * (1 + 1e-3)

    def test_the_pure_epsilon_that_stays(self):
        pure = {o.mechanism: o.pure_epsilon for o in recommend(5, 1e-5, releases=10).options}
        assert pure["gaussian"] == math.inf
        assert pure["laplace"] == pytest.approx(5.010, abs=1e-3)
        assert pure["huber"] == pytest.approx(6.49, abs=0.05)

    def test_without_delta_there_is_no_gaussian_noise(self):
        answer = recommend(1, 0, releases=3)
        assert {option.mechanism for option in answer.options} == {"laplace", "huber"}
        assert answer.best.mechanism == "laplace"
        assert "huber noise has the same" in answer.sentence()

    def test_one_of_releases_and_plan(self):
        for arguments in ({}, {"releases": 2, "plan": plan_of("entry_change")}):
            with pytest.raises(InputError, match="Give either releases, a number, or a relation"):
                recommend(1, **arguments)


class TestPlan:
    def test_the_noise_of_a_training(self):
        plan = plan_of(
            "user", ratings_per_user=50, rating_range=(-2, 2), factor_bound=1.0, residual_bound=2.0,
            iterations=3,
        )  # fmt: skip
        answer = recommend(5, 1e-5, plan=plan)
        assert answer.releases == 8  # 2 of offsets, 2 of each iteration
        assert answer.best.mechanism == "gaussian"
        deviations = answer.best.deviations
        # sqrt(k T) sigma_1(5, 1e-5), T = 8, and twice that of values up to 2
        assert deviations["gram"] == pytest.approx(17.8, abs=0.1)
        assert deviations["right_hand_side"] == pytest.approx(35.6, abs=0.2)

    def test_of_single_ratings_the_noise_of_smaller_variance(self):
        """Huber noise is no advice for a training: what it saves is too little to matter."""
        answer = recommend(1, 1e-5, plan=plan_of("entry", iterations=1))
        assert [each.mechanism for each in answer.options] == ["gaussian", "laplace"]
        assert answer.options[0].cost < answer.options[1].cost
        assert answer.sentence() == (
            "Take gaussian noise, of the smallest variance: laplace noise has 1.14 times as much."
        )
        answer = recommend(20, plan=plan_of("entry", iterations=1))
        assert answer.sentence().startswith("Take laplace noise, of the smallest variance: gauss")
        answer = recommend(1, 0, plan=plan_of("entry", iterations=1))
        assert answer.sentence() == "Take laplace noise: without delta, a fit has no other."

    @pytest.mark.parametrize("method", ["als", "bias"])
    @pytest.mark.parametrize("relation", ["user_add_remove", "user_replace"])
    def test_users_are_protected_by_gaussian_noise(self, relation, method):
        plan = plan_of(relation, method, ratings_per_user=1)
        answer = recommend(20, 1e-5, plan=plan)
        assert [option.mechanism for option in answer.options] == ["gaussian"]
        said = "Take gaussian noise: where users are protected, a fit has no other."
        assert answer.sentence() == said
        with pytest.raises(InputError, match="the noise is gaussian, which needs a delta above 0"):
            recommend(20, 0, plan=plan)

    @pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
    @pytest.mark.parametrize("relation", RELATIONS)
    def test_it_is_what_the_method_does(self, relation, mechanism):
        users = {"ratings_per_user": 7} if relation.startswith("user") else {}
        plan = plan_of(relation, iterations=3, **users)
        options = {"relation": relation, "iterations": 3, "epsilon": 1, "rating_range": (-1, 1)}
        model = method_class("private_als")(mechanism=mechanism, rank=2, **options, **users)
        assert plan.releases == model.releases
        found = plan.sensitivities(mechanism)
        assert found.get("gram", 0) == model.bounds.gram()
        expected = model.bounds.right_hand_side(model.residual_bound)
        assert found["right_hand_side"] == expected


class TestCommand:
    def test_a_number_of_releases(self):
        assert run("--epsilon", "5", "--releases", "10").output.startswith(
            "Epsilon 5 at delta 1e-06"
        )
        given = ("--epsilon", "5", "--delta", "1e-5", "--releases", "10")
        lines = run(*given).output.splitlines()
        assert lines[0] == "Epsilon 5 at delta 1e-05 over 10 releases."
        table = [line.split() for line in lines[3:6]]
        assert [row[0] for row in table] == ["huber", "gaussian", "laplace"]
        assert [row[1] for row in table] == ["l1", "l2", "l1"]
        assert float(table[0][2]) ** 2 == pytest.approx(7.225, rel=1e-3)
        assert table[1][3] == "none"
        assert lines[-1] == recommend(5, 1e-5, releases=10).sentence()
        assert lines[-1].startswith("Take huber noise, of the smallest variance: ")

    @pytest.mark.parametrize("method", [None, *METHODS])
    @pytest.mark.parametrize("relation", ["user", "user-replace", "entry", "entry-change"])
    @pytest.mark.parametrize("budget", [(0.2, 1e-5), (1, 1e-6), (5, 1e-5), (30, 1e-6), (5, 0)])
    def test_fit_and_recommend_never_disagree(self, relation, method, budget):
        epsilon, delta = budget
        of_users = relation.startswith("user")
        if (method in ("bayes", "ease") and not of_users) or (of_users and delta == 0):
            return  # they protect users, by Gaussian noise
        options = {"relation": relation, "method": method, "rating_range": (1, 5)}
        ready = prepare(options | {"epsilon": epsilon, "delta": delta})
        given = ("--relation", relation, "--rating-range", "1", "5", "--json")
        given += ("--method", method) if method else ()
        answer = json.loads(run("--epsilon", str(epsilon), "--delta", str(delta), *given).output)
        model = ready.model
        assert model.mechanism == answer["best"]
        assert model.releases == answer["releases"]
        if answer["best"] == "gaussian":
            assert answer["options"][0]["scale"] == pytest.approx(model.calibration.noise.std())
        assert answer["plan"]["method"] == ready.method
        assert answer["sentence"].startswith(f"Take {answer['best']} noise")
        allowed = ("gaussian",) if of_users else ("gaussian", "laplace")
        assert answer["best"] in allowed

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "Give either --relation, for a fit, or --releases, for plain numbers"),
            (["--relation", "user", "--releases", "3"], "Give either --relation, for a fit, or"),
            (
                ["--relation", "user", "--method", "bias", "--iterations", "2"],
                "--iterations is an option of the method als only",
            ),
            (["--iterations", "3"], "--iterations is about a training: give --relation too"),
            (
                ["--relation", "user", "--iterations", "2"],
                "--iterations is an option of the method als only: give --method too",
            ),
            (["--relation", "entry", "--method", "bayes"], "bayes protects users with all of thei"),
            (["--relation", "usr"], "no neighbouring relation 'usr'"),
            (
                ["--relation", "entry", "--rating-range", "5", "1"],
                "must be two numbers, the lowest",
            ),
            (["--relation", "user", "--method", "als", "--delta", "0"], "needs a --delta above 0"),
        ],
    )
    def test_bad_input(self, arguments, message):
        with pytest.raises(InputError, match=message):
            run("--epsilon", "1", *arguments)

    def test_help_imports_nothing(self):
        assert "Say how much noise a budget needs" in run("--help").output
        code = "import sys, dpmc.cli.noise, dpmc.cli.budget; print('numpy' in sys.modules)"
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert result.stdout.strip() == "False"
