"""The page of Local Bayes calls constants that its modules have."""

import re
from pathlib import Path

from document_texts import HOME

from dpmc.methods.user_level import local_bayes

PAGE = HOME / "docs" / "local_bayes.md"


def test_formulas_call_known_constants_alone():
    """Those with an underscore or a module; a name that two modules have needs its module."""
    known = [
        (path.stem, name)
        for path in Path(local_bayes.__file__).parent.glob("[!_]*.py")
        for names in re.findall(r"^([A-Z][A-Z_, ]*) =", path.read_text(encoding="utf-8"), re.M)
        for name in names.split(", ")
    ]
    text = PAGE.read_text(encoding="utf-8").split("## Constants")[0]
    of_modules = re.findall(r"\b([a-z]+)\.([A-Z][A-Z_]+)\b", text)
    assert of_modules
    assert set(of_modules) <= set(known)
    plain = set(re.findall(r"(?<![.\w])[A-Z]+(?:_[A-Z]+)+\b", text))
    assert plain
    names = [name for _, name in known]
    assert {name for name in plain if names.count(name) != 1} == set()
