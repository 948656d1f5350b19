"""Names that users bring (own data, plug-ins) pass through all that every study makes."""

import committed
import pandas as pd
import pytest
from every_study import STUDIES, plan_of
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from dpmc_studies.frame.checking.runs import write_frame
from dpmc_studies.frame.jobs.job import function
from dpmc_studies.frame.showing import style

OWN, REAL = "my-ratings.2024", "ml-100k"
# what a plug-in of the Huber study adds: rows of which mechanism or method stand for its own
PLUG_INS = {"mechanism": ("gaussian", "my_noise"), "method": ("item_bias", "my_method")}
LABELS = {OWN: OWN, "my_noise": "My noise", "my_method": "My method"}


def with_own_names(study):
    """Return the committed tables of a study's jobs, the first trials, with rows of such names.

    Those of other targets are empty, as those of jobs whose data are missing.
    """
    kept = committed.tables(study)
    found = {}
    for job in STUDIES[study].jobs:
        for name, columns in job.tables.items():
            table = kept.get(name, pd.DataFrame(columns=columns))
            table = table[table["trial"] < 2] if "trial" in table else table
            parts = [table]
            if "dataset" in table and len(table) and name != "wrong_link":
                is_real = table["dataset"] == REAL
                like = is_real if is_real.any() else table["dataset"] == table["dataset"].iloc[0]
                parts.append(table[like].assign(dataset=OWN))
            if (study, name) == ("huber", "trials"):
                for column, (known, own) in PLUG_INS.items():
                    grown = pd.concat(parts)
                    parts.append(grown[grown[column] == known].assign(**{column: own}))
            found[name] = pd.concat(parts, ignore_index=True)
    return found


@pytest.fixture
def only_boxes(monkeypatch):
    """Figures are drawn, but neither laid out nor saved."""
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: path.write_text("<svg/>"))
    monkeypatch.delitem(style.IMAGES, ".png")


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_steps_and_chapter_take_names_that_nobody_knows(name, tmp_path, only_boxes):
    study, section = STUDIES[name], plan_of("full").sections[name]
    tables = with_own_names(name)
    for table, rows in tables.items():
        write_frame(tmp_path / f"{table}.csv", rows)
    for step in study.steps:
        if step.target is not None:
            continue
        run, settings = function(step.run), step.settings(section)
        if step.makes:
            for table, rows in zip(step.makes, run(tmp_path, settings).values(), strict=True):
                write_frame(tmp_path / f"{table}.csv", rows)
        else:
            out = tmp_path / step.name
            out.mkdir()
            run(tmp_path, settings, out)
    chapter = function(study.chapter)(tmp_path, study.chapter_settings(section))
    assert chapter.introduction
    shown = "".join(path.read_text() for folder in chapter.tables for path in folder.glob("*.md"))
    for own in [OWN, *(own for _, own in PLUG_INS.values())] if name == "huber" else [OWN]:
        is_run = any((rows == own).any(axis=None) for rows in tables.values())
        assert (LABELS[own] in shown) == is_run, own
