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
from dpmc.privacy.recommendation import Plan, recommend
from dpmc.privacy.relations import RELATIONS


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


class TestReleases:
    @pytest.mark.parametrize(
        ("releases", "budget", "best"), [(1, 1, "laplace"), (10, 5, "huber"), (1000, 1, "gaussian")]
    )
    def test_the_smallest_variance(self, releases, budget, best):
        answer = recommend(budget, releases=releases)
        assert answer.best.mechanism == best
        assert {option.mechanism for option in answer.options} == {"gaussian", "laplace", "huber"}
        for option in answer.options:
            found = calibrate(option.mechanism, releases=releases, epsilon=budget, delta=1e-5)
            assert option.noise == found.noise
            assert option.cost == pytest.approx(option.noise.var())
            assert answer.best.cost <= option.cost * (1 + 1e-3)

    def test_the_pure_epsilon_that_stays(self):
        pure = {o.mechanism: o.pure_epsilon for o in recommend(5, releases=10).options}
        assert pure["gaussian"] == math.inf
        assert pure["laplace"] == pytest.approx(5.010, abs=1e-3)
        assert pure["huber"] == pytest.approx(6.49, abs=0.05)

    def test_without_delta_there_is_no_gaussian_noise(self):
        answer = recommend(1, 0, releases=3)
        assert {option.mechanism for option in answer.options} == {"laplace", "huber"}
        assert answer.best.mechanism == "laplace"
        assert "huber noise has the same" in answer.sentence()

    def test_one_of_releases_and_plan(self):
        for arguments in ({}, {"releases": 2, "plan": Plan("entry_change")}):
            with pytest.raises(InputError, match="Give either releases, a number, or a relation"):
                recommend(1, **arguments)


class TestPlan:
    def test_the_noise_of_a_training(self):
        plan = Plan(
            "user_add_remove", ratings_per_user=50, half_range=2.0, factor_bound=1.0, offsets=False
        )
        answer = recommend(5, plan=plan)
        assert answer.releases == 4
        assert answer.best.mechanism == "gaussian"
        deviations = answer.best.deviations
        # sqrt(2 k T) sigma_1(5, 1e-5) = 12.6, computed independently.
        assert deviations["gram"] == pytest.approx(12.6, abs=0.05)
        assert deviations["right_hand_side"] == pytest.approx(25.2, abs=0.1)
        laplace = next(o for o in answer.options if o.mechanism == "laplace")
        assert laplace.deviations["gram"] == pytest.approx(50 * math.sqrt(2) * 4 / 5, rel=1e-3)

    def test_huber_noise_is_no_advice_for_a_training(self):
        """What it saves is said, and is too little to matter."""
        answer = recommend(1, plan=Plan("entry_add_remove", iterations=1))
        costs = {option.mechanism: option.cost for option in answer.options}
        assert costs["huber"] < costs["gaussian"] < costs["laplace"]
        assert answer.best.mechanism == "gaussian"
        assert answer.sentence() == (
            "Take gaussian noise. Of its variance, huber noise has 0.935 times as much and laplace "
            "noise has 1.14 times as much; so little less made no training better."
        )

    def test_users_are_protected_by_gaussian_noise(self):
        for k in (1, 50):
            for relation in ("user_add_remove", "user_replace"):
                answer = recommend(20, plan=Plan(relation, ratings_per_user=k))
                assert answer.best.mechanism == "gaussian"
        assert "laplace noise has 17.8 times as much" in answer.sentence()
        few = recommend(20, plan=Plan("user_add_remove", ratings_per_user=1)).sentence()
        assert "laplace noise has 0.357 times as much" in few
        assert "rows of factors that are short in l1, which hold less." in few

    @pytest.mark.parametrize(("k", "best"), [(1, "laplace"), (50, "gaussian")])
    def test_biases_have_no_factors(self, k, best):
        plan = Plan("user_add_remove", "bias", ratings_per_user=k, half_range=2.0)
        answer = recommend(20, plan=plan)
        assert answer.releases == 2
        assert answer.best.mechanism == best
        assert answer.best.cost <= min(option.cost for option in answer.options) * 1.001
        for option in answer.options:
            grows = math.sqrt(k) if option.mechanism == "gaussian" else k
            expected = {"sums": 2 * grows, "counts": grows}
            deviations = {
                name: each / option.noise.std() for name, each in option.deviations.items()
            }
            assert deviations == pytest.approx(expected)

    @pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
    @pytest.mark.parametrize("relation", RELATIONS)
    @pytest.mark.parametrize("method", ["als", "irls"])
    @pytest.mark.parametrize("offsets", [True, False])
    def test_it_is_what_the_methods_do(self, method, relation, mechanism, offsets):
        users = {"ratings_per_user": 7} if relation.startswith("user") else {}
        shared = {"relation": relation, "iterations": 3, "offsets": offsets, **users}
        options = shared | {"epsilon": 1, "mechanism": mechanism, "rank": 2, "rating_range": (1, 5)}
        if method == "irls":
            own = {"inner_iterations": 4, "loss_parameter": 0.6}
            options, shared = options | own, shared | own
        model = method_class(f"private_{method}")(**options)
        plan = Plan(method=method, half_range=2.0, **shared)
        assert plan.releases == model.releases
        found = plan.sensitivities(mechanism)
        assert found.get("gram", 0) == model.bounds.gram()
        if method == "irls":
            assert found["residual"] == model.bounds.residual(0.6)
        else:
            expected = model.bounds.right_hand_side(model.residual_bound)
            assert found["right_hand_side"] == expected

    @pytest.mark.parametrize(
        ("plan", "releases"),
        [
            (Plan("entry_change", iterations=5, offsets=False), 10),
            (Plan("entry_add_remove", iterations=5, offsets=False), 20),
            (Plan("user_add_remove", iterations=5, ratings_per_user=9, offsets=False), 10),
            (Plan("user_replace", "irls", 2, 3, 9, offsets=False), 8),
            (Plan("entry_change", "irls", 2, 3, offsets=False), 8),
        ],
    )
    def test_releases(self, plan, releases):
        assert plan.releases == releases

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"relation": "user"}, "no neighbouring relation 'user'"),
            ({"relation": "entry_change", "method": "asl"}, r"'asl' \(did you mean 'als'"),
            ({"relation": "entry_change", "iterations": 0}, "iterations must be a whole number"),
            ({"relation": "entry_change", "factor_bound": 0}, "factor_bound must be a positive"),
            ({"relation": "user_replace"}, "user_replace needs ratings_per_user"),
            ({"relation": "entry_change", "ratings_per_user": 3}, "has no use for entry_change"),
        ],
    )
    def test_refused(self, arguments, message):
        with pytest.raises(InputError, match=message):
            Plan(**arguments)


class TestCommand:
    def test_a_number_of_releases(self):
        lines = run("--epsilon", "5", "--releases", "10").output.splitlines()
        assert lines[0] == "Epsilon 5 at delta 1e-05 over 10 releases."
        table = [line.split() for line in lines[3:6]]
        assert [row[0] for row in table] == ["huber", "gaussian", "laplace"]
        assert [row[1] for row in table] == ["l1", "l2", "l1"]
        assert float(table[0][2]) ** 2 == pytest.approx(7.225, rel=1e-3)
        assert table[1][3] == "none"
        assert lines[-1] == recommend(5, releases=10).sentence()
        assert lines[-1].startswith("Take huber noise, of the smallest variance: ")

    def test_a_training_of_users(self):
        result = run("--epsilon", "5", "--relation", "user", "--method", "als")
        assert "Neighbours: one user with all ratings is added or removed." in result.output
        assert "noise of gram" in result.output
        assert result.output.splitlines()[-1].startswith("Take gaussian noise")

    def test_the_default_method(self):
        """As in the README: what the guarantee of that fit says."""
        lines = run("--epsilon", "5", "--delta", "1e-6", "--relation", "user").output.splitlines()
        assert lines[0] == "Epsilon 5 at delta 1e-06 over 9 releases."
        assert [line.split()[:3] for line in lines[4:5]] == [["gaussian", "l2", "2.94"]]
        assert lines[-1] == "Take gaussian noise: the method bayes has no other."

    def test_json(self):
        result = run(
            "--epsilon", "1", "--relation", "entry-change", "--method", "irls", "--rating-range",
            "1", "5", "--json",
        )  # fmt: skip
        content = json.loads(result.output)
        plan = Plan("entry_change", "irls", 1, 2, half_range=2.0, loss_parameter=0.8)
        assert content == json.loads(json.dumps(recommend(1.0, plan=plan).as_dict()))
        gaussian = next(o for o in content["options"] if o["mechanism"] == "gaussian")
        assert gaussian["pure_epsilon"] is None
        assert gaussian["variance"] == pytest.approx(gaussian["scale"] ** 2)

    @pytest.mark.parametrize("method", ["als", "irls"])
    @pytest.mark.parametrize("relation", ["user", "user-replace", "entry", "entry-change"])
    def test_what_is_not_given_is_as_for_fit(self, relation, method):
        options = {"relation": relation, "method": method, "mechanism": "gaussian"}
        model = prepare(options | {"epsilon": 2.0, "delta": 1e-5, "rating_range": (1, 5)}).model
        given = ("--relation", relation, "--method", method, "--rating-range", "1", "5", "--json")
        answer = json.loads(run("--epsilon", "2", *given).output)
        assert answer["releases"] == model.releases
        noise = next(o for o in answer["options"] if o["mechanism"] == "gaussian")
        bounds, std = model.bounds, model.calibration.noise.std()
        if method == "irls":
            wanted = {"residual": bounds.residual(model.loss_parameter) * std}
        else:
            wanted = {"right_hand_side": bounds.right_hand_side(model.residual_bound) * std}
        if relation != "entry-change":
            wanted["gram"] = bounds.gram() * std
        assert noise["deviations"] == pytest.approx(wanted)

    @pytest.mark.parametrize("method", [None, *METHODS])
    @pytest.mark.parametrize("relation", ["user", "user-replace", "entry", "entry-change"])
    @pytest.mark.parametrize("budget", [(0.2, 1e-5), (1, 1e-6), (5, 1e-5), (30, 1e-6), (5, 0)])
    def test_fit_and_recommend_never_disagree(self, relation, method, budget):
        epsilon, delta = budget
        if method in ("bayes", "dpals", "ease") and (relation.startswith("entry") or delta == 0):
            return  # they have Gaussian noise and protect users
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
        if relation.startswith("user"):
            assert answer["best"] == ("gaussian" if delta else "laplace")
        else:
            assert answer["best"] in ("gaussian", "laplace")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "Give either --relation, for a fit, or --releases, for plain numbers"),
            (["--relation", "user", "--releases", "3"], "Give either --relation, for a fit, or"),
            (
                ["--relation", "user", "--method", "bias", "--iterations", "2"],
                "--iterations is no option of the method bias",
            ),
            (["--iterations", "3"], "--iterations is about a training: give --relation too"),
            (
                ["--relation", "user", "--iterations", "2"],
                "--iterations is an option of the method als and irls and dpals only: give --metho",
            ),
            (["--relation", "entry", "--method", "bayes"], "bayes protects users with all of thei"),
            (["--relation", "usr"], "no neighbouring relation 'usr'"),
            (["--relation", "entry", "--rating-range", "5", "1"], "LOWEST below HIGHEST, got 5 1"),
            (["--relation", "entry", "--inner-iterations", "2"], "option of the method irls only"),
        ],
    )
    def test_bad_input(self, arguments, message):
        with pytest.raises(InputError, match=message):
            run("--epsilon", "1", *arguments)

    def test_help_imports_nothing(self):
        assert "Say how much noise a budget needs" in run("--help").output
        code = "import sys, dpmc.cli.noise; print('numpy' in sys.modules)"
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert result.stdout.strip() == "False"
