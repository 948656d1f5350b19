"""What was checked and found right is right, and the checks would see what is wrong."""

import numpy as np
import pytest

from dpmc_studies.studies.huber import formulas
from dpmc_studies.studies.huber.formulas import CHECKED, checked_table, exponent, printed_exponent


@pytest.mark.parametrize("checked", CHECKED, ids=[each.place for each in CHECKED])
def test_the_formula_is_right(checked):
    assert checked.deviation() < 1e-8


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("printed_cdf", lambda x, a: formulas.Huber(a).cdf(x) ** 1.001),
        ("printed_variance", lambda a: formulas.Huber(a).var() + 1e-6),
        ("printed_middle_quantile", lambda y, a: np.full_like(y, a / 2)),
        ("printed_inverse_error", lambda x: np.tanh(x)),
        ("printed_exponent", lambda x, a, shift: a * shift / 2 - (x - a) ** 2 / 2),  # as in A.43
        ("largest_log_ratio", lambda noise, shift: noise.a * shift * 1.001),
    ],
)
def test_a_wrong_one_is_seen(monkeypatch, name, wrong):
    monkeypatch.setattr(formulas, name, wrong)
    assert sum(each.deviation() > 1e-8 for each in CHECKED) == 1


def test_both_cases_of_appendix_a_are_looked_at():
    a, x = 1.0, np.linspace(-8, 8, 1601)
    for shift in (1.5, 5.0):  # up to 2a, and beyond
        np.testing.assert_allclose(printed_exponent(x, a, shift), exponent(x, a, shift), atol=1e-12)


def test_the_table_lists_them():
    table = checked_table()
    assert [row.labels[0] for row in table.rows] == [each.place for each in CHECKED]
    assert all(row.cells[0].value < 1e-8 for row in table.rows)
