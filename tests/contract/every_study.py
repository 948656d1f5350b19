"""The built-in studies as each profile plans them, for the tests that every study has to pass."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from dpmc_studies import configuration, studies
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.frame.showing.style import FigureText

HOME = Path(__file__).resolve().parents[2]
LIBRARY = HOME / "src" / "dpmc"
SOURCE = HOME / "src" / "dpmc_studies"
REFERENCE = HOME / "results" / "reference"
PROFILES = ("full", "ci", "quick")
ONCE = sorted((HOME / "config" / "once").glob("*.yaml"))
STUDIES = studies.load()


@cache
def plan_of(profile):
    """Return the plan of a profile, laid over the defaults as the workflow does it."""
    overlays = [] if profile == "full" else [HOME / "config" / f"{profile}.yaml"]
    base = configuration.load(HOME / "config" / "config.yaml", overlays)
    return Plan("results", configuration.checked(base, STUDIES), STUDIES)


@cache
def cells_of(profile, study, job):
    """Return every cell of a kind of job."""
    return STUDIES[study].cells(STUDIES[study].job(job), plan_of(profile).sections[study])


@cache
def places_of(profile, study, job):
    """Return the coordinates of all jobs of a kind, formatted."""
    return list(plan_of(profile).jobs(STUDIES[study], STUDIES[study].job(job)))


@cache
def figures_of(study):
    """Return the figures in the study's modules that draw, by name."""
    package = importlib.import_module(f"dpmc_studies.studies.{study}")
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".figures" in module.name:
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, list) and value and isinstance(value[0], FigureText):
                    found |= {entry.id: entry for entry in value}
    return found
