"""What a class says of its parameters, where its docstring has a place for it (mkdocs.yml).

The site reads the source and imports nothing; :mod:`dpmc.estimator` fills the place when it is
imported, from a module that imports nothing.
"""

import runpy
from pathlib import Path

import griffe

PARAMETERS = Path(__file__).parents[1] / "src" / "dpmc" / "fitting" / "parameters.py"
PLACE = "{parameters}"


class Parameters(griffe.Extension):
    """Fill the place in docstrings of classes."""

    def on_class_instance(self, *, cls, **_):
        if cls.docstring and PLACE in cls.docstring.value:
            described = runpy.run_path(str(PARAMETERS))["described"]()
            cls.docstring.value = cls.docstring.value.replace(PLACE, described)
