import pytest

from dpmc import mechanisms
from dpmc import methods as methods
from dpmc.errors import InputError
from dpmc_studies.frame.jobs import plugins
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.grid import cell_modules, plugins_of

TEXT = """
from dpmc.mechanisms import register_mechanism

@register_mechanism("{name}")
class Mine:
    @classmethod
    def from_variance(cls, variance):
        return cls()
    def var(self):
        return 1.0
    def rvs(self, size, rng):
        return rng.standard_normal(size)
"""


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(TEXT.format(name="mine"))
    before = dict(mechanisms.MECHANISMS), dict(mechanisms._registered), dict(methods.METHODS)
    yield path
    for registry, old in zip(
        (mechanisms.MECHANISMS, mechanisms._registered, methods.METHODS), before, strict=True
    ):
        registry.clear()
        registry.update(old)


def cell(mechanism):
    return Cell("synthetic", 2, 1.0, 0.1, "als", mechanism, None)


def test_a_plugin_is_loaded_once_and_known_by_name(plugin):
    plugins.load([plugin])
    first = type(mechanisms.make_mechanism("mine", 1.0))
    plugins.load([plugin, str(plugin)])
    assert type(mechanisms.make_mechanism("mine", 1.0)) is first


def test_only_cells_that_use_it_depend_on_it(plugin):
    plugins.load([plugin])
    assert plugins_of({"plugins": [str(plugin)]}, cell("mine")) == [str(plugin)]
    assert plugins_of({"plugins": [str(plugin)]}, cell("huber")) == []


def test_missing_and_broken_files_are_refused_in_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"no plug-in file .*nowhere\.py"):
        plugins.load([tmp_path / "nowhere.py"])
    broken = tmp_path / "broken.py"
    broken.write_text("import does_not_exist\n")
    with pytest.raises(InputError, match="ModuleNotFoundError: No module named"):
        plugins.load([broken])
    with pytest.raises(InputError, match="broken"):
        plugins.load([broken])


def test_a_name_that_is_taken_is_refused(plugin):
    plugin.write_text(TEXT.format(name="huber"))
    with pytest.raises(InputError, match="huber"):
        plugins.load([plugin])


def test_modules_of_a_cell():
    modules = cell_modules(cell("laplace"))
    assert "dpmc.mechanisms.laplace" in modules
    assert "dpmc.mechanisms.huber" not in modules
    # the loss parameter of IRLS is by default that of Huber noise
    inner = Cell("ml-100k", 2, 1.0, 0.1, "irls", "laplace", 3)
    assert "dpmc.mechanisms.huber" in cell_modules(inner)
