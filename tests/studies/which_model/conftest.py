"""What tests of the study share."""

from pathlib import Path

import pytest

from dpmc import configuration
from dpmc.studies.which_model import STUDY


@pytest.fixture(scope="module")
def section():
    """The study's section of the configuration that is shipped."""
    home = Path(__file__).parents[3]
    return STUDY.section(configuration.load(home / "config" / "config.yaml"))
