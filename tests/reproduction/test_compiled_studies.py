"""What numba keeps of the reproduction is removed when the library changes of which it is made."""

import json

from dpmc import compiled as library
from dpmc_studies import compiled

PACKAGE = compiled.PACKAGE


def test_the_sources_of_both_packages_are_looked_at():
    names = json.loads((PACKAGE / library.STAMP).read_text())["names"]
    assert "methods/factorization/direct.py" in names
    assert "../dpmc/methods/kernels/simd.py" in names


def test_compiled_functions_are_of_this_njit():
    """With that of the library a kernel would be kept when the library changes."""
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    of_others = ("from numba import njit", "from dpmc.compiled import", "numba.njit")
    found = [path for path, text in texts.items() if any(each in text for each in of_others)]
    assert found == [PACKAGE / "compiled.py"]
    assert sum("from dpmc_studies.compiled import njit" in text for text in texts.values()) > 1
