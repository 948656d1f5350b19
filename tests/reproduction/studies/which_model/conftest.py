"""What tests of the study share."""

from pathlib import Path

import pytest
from fake_results import which_model

from dpmc_studies import configuration
from dpmc_studies.studies.which_model import STUDY


@pytest.fixture(scope="session")
def section():
    """The study's section of the configuration that is shipped."""
    home = Path(__file__).parents[4]
    return STUDY.section(configuration.load(home / "config" / "config.yaml"))


@pytest.fixture(scope="session")
def trials():
    """The committed trials."""
    return which_model.tables()["trials"]
