import json
import subprocess
import sys

import numba
import pytest
from click.testing import CliRunner

from dpmc.cli import IN_THE_CHECKOUT, cli, commands, named
from dpmc.errors import InputError
from dpmc_studies.cli import TASKS
from dpmc_studies.studies.huber.experiments.grid import cell_settings, check_grid

SMALL = {
    **{"--users": 20, "--items": 30, "--rank": 2, "--fraction": 0.3},
    **{"--iterations": 3, "--irls-iterations": 2, "--trials": 3},
}


def invoke(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)


def small_cell(*arguments):
    """Run a small cell; what is given in other words counts."""
    rest = [word for item in SMALL.items() if item[0] not in arguments for word in item]
    return invoke("cell", *rest, *arguments)


def process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "dpmc", *arguments], capture_output=True, text=True, timeout=120
    )


def test_the_tab_key_completes_commands_and_options(monkeypatch):
    for words, expected in (("dpmc ver", "verify"), ("dpmc fit --eps", "--epsilon")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_DPMC_COMPLETE", "bash_complete")
        found = subprocess.run(
            [sys.executable, "-c", "from dpmc.cli import main; main()"],
            capture_output=True,
            text=True,
        )
        assert expected in [line.partition(",")[2] for line in found.stdout.splitlines()]


def test_help_names_every_command_and_imports_nothing_heavy():
    program = (
        "import sys; sys.argv = ['dpmc', '--help']\n"
        "from dpmc.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'numba', 'pandas', 'scipy', 'matplotlib', 'yaml')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    for command in commands():
        assert f"\n  {command} " in run.stdout
    assert run.stdout.endswith("[]\n"), run.stderr


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_command_has_help(command):
    assert invoke(command, "--help").output.startswith(f"Usage: cli {command}")


def test_unknown_command_is_told_the_nearest():
    run = process("budgte")
    assert run.returncode == 2
    assert "did you mean 'budget'?" in run.stderr


def test_the_group_lists_its_commands_and_knows_no_other():
    assert cli.list_commands(None) == sorted(commands())
    assert cli.get_command(None, "budgte") is None


def test_the_library_knows_which_commands_it_lacks_without_the_reproduction():
    assert sorted(IN_THE_CHECKOUT) == sorted(named(TASKS))


def test_version():
    assert process("--version").stdout.startswith("dpmc, version ")


def test_cell_prints_one_json_object():
    noise = ("--mechanism", "huber", "--variance", 1.5)
    result = small_cell("--method", "irls", *noise, "--json")
    found = json.loads(result.output)
    assert set(found) == {"cell", "trials", "mean", "standard_error"}
    assert found["cell"]["variance"] == 1.5
    assert found["cell"]["irls_iterations"] == 2
    assert [trial["trial"] for trial in found["trials"]] == [0, 1, 2]
    values = [trial["rmse_all"] for trial in found["trials"]]
    assert found["mean"] == pytest.approx(sum(values) / 3)
    assert {"rmse_heldout", "seconds"} <= set(found["trials"][0])


def test_cell_is_deterministic_and_seeded():
    def values(*more):
        output = small_cell("--mechanism", "gaussian", "--json", *more).output
        return [trial["rmse_all"] for trial in json.loads(output)["trials"]]

    assert values() == values()
    assert values("--seed", 1) != values()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="two fits of full size")
def test_cell_on_the_grid_equals_the_workflow_settings():
    """The defaults of the command are those of the configuration."""
    from pathlib import Path

    from dpmc_studies import configuration
    from dpmc_studies.studies.huber.cells import Cell
    from dpmc_studies.studies.huber.trial import run_cell

    defaults = configuration.load(Path(__file__).parents[2] / "config" / "config.yaml")
    cell = Cell("synthetic", 5, 2.0, 0.15, "irls", "huber", 20)
    (expected,) = run_cell(cell, cell_settings(defaults["huber"], cell), trials=[0])
    output = invoke(
        *("cell", "--rank", 5, "--fraction", 0.15, "--method", "irls", "--mechanism", "huber"),
        *("--variance", 2, "--trials", 1, "--json"),
    ).output
    found = json.loads(output)
    assert found["trials"][0]["rmse_all"] == expected["rmse_all"]
    assert found["standard_error"] is None


def test_mechanism_none_ignores_variance_with_a_note():
    noted = small_cell("--mechanism", "none", "--variance", 3, "--json")
    assert "ignored" in noted.stderr
    assert json.loads(noted.stdout)["cell"]["variance"] is None
    assert small_cell("--json").stderr == ""


def test_cell_as_text():
    output = small_cell().output
    assert "(standard error), 3 trials" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mechanism", "hubber"], "huber"),
        (
            ["--method", "asl"],
            "did you mean 'als'.*methods of cells are bayesian_als, als, global_mean",
        ),
        (
            ["--method", "dpals"],
            "which does not give relation, epsilon, .* are bayesian_als, als, global_mean",
        ),
        (["--method", "private_als"], "private_als cannot run in a cell"),
        (["--rank", "21"], "--rank must be at most 20 for 20 users and 30 items, got 21"),
        (["--rank", "9" * 30], "--rank must be at most 20"),
        (["--plugin", __file__.removesuffix(".py")], "a name that ends in .py"),
        (["--mechanism", "huber", "--variance", "0.5"], "0.5"),
        (["--method", "irls", "--loss-parameter", "x"], "'noise', got 'x'"),
        (["--method", "global_mean", "--mechanism", "huber"], "takes no noise"),
        (["--dataset", "ml-100kk"], "ml-100k"),
        (["--plugin", "nowhere.py"], "nowhere.py"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words):
    with pytest.raises(InputError, match=words) as caught:
        small_cell(*arguments)
    assert "\n" not in str(caught.value)


def test_no_method_is_offered_that_no_cell_can_have():
    for method in ("asl", "dpals"):
        with pytest.raises(InputError, match="the methods of cells are ") as caught:
            small_cell("--method", method)
        offered = str(caught.value).rstrip(".").partition(" cells are ")[2].split(", ")
        assert {"als", "irls", "rank_one"} <= set(offered)
        for name in offered:
            assert small_cell("--method", name, "--trials", 1).exit_code == 0


def test_a_grid_with_a_method_that_needs_a_budget_is_refused():
    from pathlib import Path

    from dpmc_studies import configuration

    defaults = configuration.load(Path(__file__).parents[2] / "config" / "config.yaml")
    defaults["huber"]["methods"] = ["als", "dpals"]
    with pytest.raises(InputError, match="The method dpals cannot run in a cell"):
        check_grid(defaults["huber"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"data: {directory: [1]}\n", "data.directory must be the path of a folder"),
        (b"data: {mirror: 7}\n", "data.mirror must be the path of a folder"),
        (b"data: \xff\n", "is not UTF-8 text"),
    ],
)
def test_configurations_that_name_no_folders(tmp_path, content, words):
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(InputError, match=words):
        invoke("data", "list", "--config", tmp_path / "mine.yaml")


def test_bad_input_ends_with_status_2_and_no_traceback():
    run = process("cell", "--mechanism", "hubber")
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("dpmc: ")
    assert run.stderr.count("\n") == 1


def test_more_than_memory_holds_is_one_sentence():
    run = process("cell", "--users", "9999999", "--items", "9999999", "--trials", "1")
    assert run.returncode == 2
    assert run.stderr.startswith("dpmc: This needs more memory than there is")
    assert run.stderr.count("\n") == 1


def test_cell_with_real_data(tmp_path):
    """A mirror folder with a file of the wrong content is refused, not used."""
    folder = tmp_path / "ml-100k"
    folder.mkdir()
    (folder / "u.data").write_text("1\t1\t5\t0\n")
    with pytest.raises(InputError, match=r"u\.data"):
        invoke("cell", "--dataset", "ml-100k", "--directory", tmp_path / "d", "--mirror", tmp_path)
