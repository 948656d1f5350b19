"""The chapter of the report: which private model for ratings?"""

from dpmc.frame.showing.chapter import telling
from dpmc.studies.which_model.figures import FIGURES
from dpmc.studies.which_model.frames import NAMES

chapter = telling(__file__, FIGURES, NAMES)
