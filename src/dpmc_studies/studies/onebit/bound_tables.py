"""Table of the constants that error bounds of the one-bit paper are made of."""

import pandas as pd

from dpmc_studies.frame.showing.claims_table import number_cell
from dpmc_studies.frame.showing.frames import present
from dpmc_studies.frame.showing.table_model import Column, Row, Table
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.studies.onebit.frames import LINKS, link_label

SHOWN = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
CONSTANTS = {"steepness": "L", "flatness": "β"}


def link_constants_table(constants: pd.DataFrame) -> Table:
    """Return L and beta by epsilon, as printed and as they are.

    The constants have the columns
    :data:`dpmc_studies.studies.onebit.experiments.bounds.CONSTANT_COLUMNS`.
    """
    budgets = [epsilon for epsilon in SHOWN if (constants["epsilon"] == epsilon).any()]
    columns = (
        Column("no_flips", "no flips"),
        *(Column(f"epsilon_{value:g}", f"{value:g}", "Flips at ε") for value in budgets),
    )
    rows = []
    for link in present(constants["link"], LINKS):
        here = constants[constants["link"] == link]
        # no epsilon is written as 0 here, which no flips have
        values = here.assign(epsilon=here["epsilon"].fillna(0.0)).set_index("epsilon")
        for name, symbol in CONSTANTS.items():
            for column, line in ((f"{name}_published", "as printed"), (name, "as it is")):
                cells = [number_cell(values[column][at], digits=2) for at in (0.0, *budgets)]
                label = link_label(link).removesuffix(" link")
                rows.append(Row((link, name), (label, symbol), line, tuple(cells)))
    notes = (
        f"L = sup f′/(f(1 − f)) and β = sup f(1 − f)/f′² over |x| ≤ α, on which the bound of "
        f"theorem 1 ({mechanism_label('inp')}) depends in proportion: f = h without flips, "
        "f = p + (1 − 2p) h with them. As printed: the bounds below theorem 1 and in appendix A "
        "(σ = 1); L keeps to them, β does not (E25, E46). As it is: by search.",
    )
    title = "Steepness L and flatness β of a link"
    headings = (("link", "Link"), ("constant", "Constant"))
    return Table("table_onebit_5_constants", title, headings, columns, tuple(rows), notes)
