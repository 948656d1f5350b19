"""The files of a run: every bit comes back, and broken ones are refused in one sentence."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from dpmc.errors import InputError
from dpmc_studies.frame.checking.runs import raw_files, read_frame, read_text_table, write_frame
from dpmc_studies.frame.jobs.cell_settings import read_settings


def test_tables_keep_every_bit_and_what_is_missing(tmp_path):
    rng = np.random.default_rng(0)
    values = np.append(rng.standard_normal(50) * 10.0 ** rng.integers(-300, 300, 50), np.nan)
    frame = pd.DataFrame({"name": ["none"] * 51, "value": values})
    write_frame(tmp_path / "table.csv", frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as that an argument is deprecated
        found = read_frame(tmp_path / "table.csv")
    pd.testing.assert_frame_equal(found, frame, check_exact=True)
    assert list(tmp_path.iterdir()) == [tmp_path / "table.csv"]


def test_raw_files_of_data_sets(tmp_path):
    records = {"ml-100k": "data/u.data", "sweetrs": None}
    for name, path in records.items():
        (tmp_path / name).write_text(json.dumps({"dataset": name, "path": path}))
    assert raw_files(tmp_path / name for name in records) == records


@pytest.mark.parametrize("text", ["", "a,b\n1,2,3,4\n1\n1,2,3,4,5,6\n"])
def test_a_file_that_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(InputError, match=r"table\.csv is no CSV table") as caught:
        read_text_table(tmp_path / "table.csv", ("a",))
    assert "\n" not in str(caught.value)


def test_settings_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match=r"There is no file .*settings\.json"):
        read_settings(tmp_path / "settings.json")
