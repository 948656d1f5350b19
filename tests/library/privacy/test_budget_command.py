"""The command ``dpmc budget``."""

import json

import pytest
from click.testing import CliRunner

from dpmc.cli.budget import budget
from dpmc.errors import InputError
from dpmc.privacy.nominal import NOT_A_GUARANTEE, table_one


def run(*arguments):
    return CliRunner().invoke(budget, arguments, catch_exceptions=False)


def test_the_default_is_table_one():
    result = run()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    for row in table_one():
        (line,) = (
            text for text in lines if text.split()[:2] == [row["mechanism"], f"{row['variance']:g}"]
        )
        assert [float(word) for word in line.split()[-3:]] == pytest.approx(
            [row[f"epsilon_{column}"] for column in ("published_form", "corrected", "exact")],
            abs=5.1e-5,
        )
        assert f"= {row['parameter']:.6g}" in line
    assert lines[-1] == NOT_A_GUARANTEE
    assert "whose variance is 1.003610" in result.output
    assert "no variance below 1" not in result.output


def test_json():
    result = run(
        "--variance", "1.5", "--variance", "9", "--sensitivity", "2", "--delta", "1e-6", "--json"
    )
    content = json.loads(result.output)
    assert content["rows"] == table_one((1.5, 9), 2, 1e-6)
    assert (content["sensitivity"], content["delta"]) == (2, 1e-6)
    assert content["note"] == NOT_A_GUARANTEE


def test_a_variance_below_one():
    result = run("--variance", "0.5")
    (line,) = (text for text in result.output.splitlines() if text.startswith("huber"))
    assert line.split() == ["huber", "0.5", "-", "-", "-", "-"]
    assert "Huber noise of scale 1 has no variance below 1." in result.output
    assert "1.003610" not in result.output
    assert json.loads(run("--variance", "0.5", "--json").output)["rows"][2]["epsilon_exact"] is None


@pytest.mark.parametrize("option", ["--variance", "--sensitivity"])
def test_bad_values_are_input_errors(option):
    with pytest.raises(InputError, match=f"{option[2:]} must be a positive finite number, got -1"):
        run(option, "-1")
