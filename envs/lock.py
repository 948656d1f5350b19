"""Make the files of environments again: python envs/lock.py [--upgrade], which needs uv.

pyproject.toml says which packages, envs/requirements.lock which versions of them and of all that
they need, and envs/dpmc.yaml the same versions for conda. Without --upgrade, versions stay that
still fit.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent / "pyproject.toml"
LOCK = HERE / "requirements.lock"
CONDA = HERE / "dpmc.yaml"
APART = ("adapters",)
"""Extras that need an environment of their own: LensKit has other versions of pandas."""
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>.*?))? \\$", re.MULTILINE)
CONDA_START = """\
# For `snakemake --sdm conda`: the versions of requirements.lock, by `python envs/lock.py`.
name: dpmc
channels: [conda-forge]
dependencies:
  - python{python}
  - pip
  - pip:
"""


def conda_file(lock: str, python: str) -> str:
    """Return the text of the conda file: the versions of a lock, for these versions of Python."""
    lines = [CONDA_START.format(python=python)]
    for pin in PIN.finditer(lock):
        marker = f" ; {pin['marker']}" if pin["marker"] else ""
        lines.append(f'      - "{pin["name"]}=={pin["version"]}{marker}"\n')
    return "".join(lines)


def main() -> None:
    """Write both files."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    command = ["uv", "pip", "compile", "pyproject.toml", "--universal"]
    command += [f"--extra={name}" for name in project["optional-dependencies"] if name not in APART]
    command += ["--no-header", "--generate-hashes", "--quiet", *sys.argv[1:]]
    command += ["--output-file", str(LOCK.relative_to(PROJECT.parent))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=PROJECT.parent)
    text = conda_file(LOCK.read_text(encoding="utf-8"), project["requires-python"])
    CONDA.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
