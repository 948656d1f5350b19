"""The workflow is what the Snakemake workflow catalog lists under "standardized usage".

https://snakemake.github.io/snakemake-workflow-catalog, adding workflows: a main file
workflow/Snakefile, rules in .smk files, a read-me with both words, settings described in
config/README.md, and a file that says how it is deployed.
"""

import re
import sys

import pytest
import yaml
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


def test_usage_is_described():
    usage = yaml.safe_load((HOME / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    deployment = usage["software-stack-deployment"]
    assert set(usage) == {"software-stack-deployment", "report"}
    assert set(deployment) == {"conda", "apptainer", "apptainer+conda"}
    # conda is claimed, so every rule that makes something names the environment
    rules = "".join(path.read_text() for path in (HOME / "workflow" / "rules").glob("*.smk"))
    environments = re.findall(r"conda:\n +\"(.*)\"\n", rules)
    assert len(environments) == len(re.findall(r"^ +script:", rules, flags=re.MULTILINE))
    for path in set(environments):
        assert (HOME / "workflow" / "rules" / path).is_file()
    assert deployment["conda"]
    assert "container:" not in rules
    assert not deployment["apptainer"]


def test_every_section_of_the_configuration_is_described():
    described = (HOME / "config" / "README.md").read_text()
    for key in yaml.safe_load((HOME / "config" / "config.yaml").read_text()):
        assert f"`{key}" in described, key


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
