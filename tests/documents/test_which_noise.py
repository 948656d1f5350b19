"""The table of docs/which-noise.md is what its program prints."""

import runpy

from document_texts import HOME

PROGRAM = HOME / "benchmarks" / "which_noise.py"


def test_the_table_is_what_the_program_prints():
    page = (HOME / "docs" / "which-noise.md").read_text(encoding="utf-8")
    rows = runpy.run_path(str(PROGRAM))["rows"]()
    assert len(rows) == 12
    assert "\n" + "\n".join(rows) + "\n" in page


def test_huber_noise_is_never_much_worse_than_both_others():
    """By at most 0.15 % of the deviation, and by at most 4 % better on this grid."""
    program = runpy.run_path(str(PROGRAM))
    worst, best = 0.0, 2.0
    for releases in program["RELEASES"]:
        for epsilon in program["EPSILONS"]:
            for coordinates in program["COORDINATES"]:
                each = program["deviations"](releases, epsilon, coordinates)
                ratio = each["huber"] / min(1.0, each["laplace"])
                worst, best = max(worst, ratio), min(best, ratio)
    assert worst <= 1.0016
    assert 0.96 <= best < 0.975
