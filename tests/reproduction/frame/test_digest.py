import sys

import pytest

from dpmc_studies.frame.jobs import digest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules, low and high, where high imports low inside a function."""
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "low.py").write_text("X = 1\n")
    (folder / "high.py").write_text("def f():\n    from toy.low import X\n    return X\n")
    (folder / "other.py").write_text("import numpy\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(digest, "PACKAGES", ("toy",))
    clear()
    yield folder
    sys.modules.pop("toy", None)
    clear()


def clear():
    digest.imports_of.cache_clear()
    digest.source_digest.cache_clear()
    digest.source_file.cache_clear()


def test_change_in_an_imported_module_changes_the_digest(package):
    before = digest.code_digest(["toy.high"])
    (package / "low.py").write_text("X = 2\n")
    clear()
    assert digest.code_digest(["toy.high"]) != before


def test_modules_of_a_package_outside_are_followed_too(package, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "__init__.py").write_text("SIZE = 1\n")
    (folder / "run.py").write_text("from toy.high import f\nfrom . import SIZE\n")
    (folder / "show.py").write_text("from .run import f\n")

    def value():
        clear()
        return digest.code_digest(["mine.run"], outside=folder)

    first = value()
    assert first != digest.code_digest([]) == digest.code_digest(["mine.run"])
    # what shows the numbers does not make them
    (folder / "show.py").write_text("\n")
    assert value() == first
    (package / "low.py").write_text("X = 2\n")
    second = value()
    (folder / "__init__.py").write_text("SIZE = 2\n")
    assert len({first, second, value()}) == 3


BLOCKS = [
    "class C:\n def f(self):\n  {}",
    "async def f():\n async with g() as x:\n  {}",
    "for x in y:\n pass\nelse:\n while x:\n  {}",
    "try:\n pass\nexcept E:\n {}",
    "try:\n pass\nexcept* E:\n {}",
    "try:\n pass\nfinally:\n {}",
    "match x:\n case 1:\n  {}",
    "if x:\n pass\nelif y:\n pass\nelse:\n {}",
    "if TYPE_CHECKING:\n pass\nelse:\n {}",
]


@pytest.mark.parametrize("block", BLOCKS)
def test_imports_are_found_in_every_kind_of_block(package, block):
    (package / "high.py").write_text(block.format("from toy.low import X"))
    assert digest.closure_of(["toy.high"]) == {"toy.high", "toy.low"}


def test_imports_for_types_alone_do_not_count(package):
    (package / "high.py").write_text("if TYPE_CHECKING:\n from toy.low import X\n")
    assert digest.closure_of(["toy.high"]) == {"toy.high"}


def test_change_elsewhere_does_not(package):
    before = digest.code_digest(["toy.high"])
    (package / "other.py").write_text("import math\n")
    clear()
    assert digest.code_digest(["toy.high"]) == before


def test_plugin_files_count(package, tmp_path):
    plugin = tmp_path / "mine.py"
    plugin.write_text("A = 1\n")
    before = digest.code_digest(["toy.high"], [plugin])
    plugin.write_text("A = 2\n")
    assert digest.code_digest(["toy.high"], [plugin]) != before != digest.code_digest(["toy.high"])


def test_modules_of_others_are_skipped(package):
    assert digest.code_digest(["numpy", "toy.low"]) == digest.code_digest(["toy.low"])


def test_a_plot_is_not_part_of_a_training_job():
    clear()
    closure = digest.closure_of(
        [
            "dpmc_studies.studies.huber.trial",
            "dpmc_studies.methods.factorization.irls",
            "dpmc.mechanisms.huber",
        ]
    )
    assert "dpmc_studies.methods.factorization.irls" in closure
    assert not [
        name
        for name in closure
        if name.startswith(("dpmc_studies.report", "dpmc_studies.studies.huber.reported"))
    ]
    assert "dpmc.mechanisms.laplace" not in closure
