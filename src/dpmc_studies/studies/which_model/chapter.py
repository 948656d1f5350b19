"""The chapter of the report: which private model for ratings?"""

from dpmc_studies.frame.showing.chapter import telling
from dpmc_studies.studies.which_model.figures import FIGURES
from dpmc_studies.studies.which_model.frames import NAMES

chapter = telling(__file__, FIGURES, NAMES)
