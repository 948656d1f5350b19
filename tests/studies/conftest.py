"""Tests of studies may use the helpers of the tests of the report."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "report"))
