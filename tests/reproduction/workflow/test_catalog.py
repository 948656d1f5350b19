"""The workflow is what the Snakemake workflow catalog lists under "standardized usage".

https://snakemake.github.io/snakemake-workflow-catalog, adding workflows: a main file
workflow/Snakefile, rules in .smk files, a read-me with both words, settings described in
config/README.md, and a file that says how it is deployed.
"""

import sys

import pytest
from workspaces import HOME, Workspace

DEPLOYED = f"""
configfile: "config/config.yaml"
module dpmc:
    snakefile: "{HOME}/workflow/Snakefile"
    config: config
use rule * from dpmc
"""


def test_files_are_where_the_catalog_looks():
    # the workflow itself lies at the top, where whoever opens the project sees it
    assert 'include: "../Snakefile"' in (HOME / "workflow" / "Snakefile").read_text()
    rules = list((HOME / "workflow" / "rules").iterdir())
    assert rules
    assert {path.suffix for path in rules} == {".smk"}
    words = (HOME / "README.md").read_text().lower()
    assert "snakemake" in words
    assert "workflow" in words


class Deployed(Workspace):
    """A folder whose own workflow takes all rules from this one."""

    def __init__(self, folder):
        super().__init__(folder)
        (folder / "workflow").mkdir()
        (folder / "workflow" / "Snakefile").write_text(DEPLOYED)
        (folder / "config").symlink_to(HOME / "config")

    def command(self, *targets, cores=2):
        snakefile = self.folder / "workflow" / "Snakefile"
        snakemake = (sys.executable, "-m", "snakemake", "-s", snakefile)
        return [*snakemake, "--directory", self.folder, "--cores", str(cores), *targets]


@pytest.mark.workflow
@pytest.mark.slow
def test_it_runs_as_a_module_in_another_folder(tmp_path):
    assert Deployed(tmp_path / "deployed").planned("quick")["quick"] == 1
