"""What tests of the study share."""

from pathlib import Path

import pytest

from dpmc_studies import configuration
from dpmc_studies.studies.which_model import STUDY


@pytest.fixture(scope="module")
def section():
    """The study's section of the configuration that is shipped."""
    home = Path(__file__).parents[4]
    return STUDY.section(configuration.load(home / "config" / "config.yaml"))
