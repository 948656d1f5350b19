"""The run as an RO-Crate: inputs, environment, code, the origin of every file, and the verdicts.

The profile is Provenance Run Crate 0.5, with the profiles that it builds on (Leo et al., "Recording
provenance of workflow runs with RO-Crate", PLOS ONE 19, 2024). The crate is the folder of results.
A step is a kind of job, or what a study makes of its tables. All jobs of one kind are one action.
"""

import json
import mimetypes
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from dpmc.datasets.registry import REGISTRY
from dpmc.files import copy, file_digest, write_text
from dpmc_studies.frame.api import RatingsOf, Study
from dpmc_studies.frame.jobs.plan import Plan, step_files, table_file
from dpmc_studies.report.manifest import span
from dpmc_studies.report.page import Report

METADATA, CODE = "ro-crate-metadata.json", "code"
WORKFLOW = f"{CODE}/Snakefile"
COPIED = ("Snakefile", "workflow/rules", "workflow/scripts", "envs/requirements.lock", "LICENSE")
"""Of the project, for the crate; the library is named by its version and commit."""
TERMS = "https://w3id.org/ro/"
CONTEXT = [f"{TERMS}crate/1.1/context", f"{TERMS}terms/workflow-run/context"]
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    **{f"{TERMS}wfrun/{of}/0.5": f"{of} run crate" for of in ("process", "workflow", "provenance")},
    WORKFLOW_CRATE: "Workflow RO-Crate",
}
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
ENGINE, PYTHON = "https://snakemake.github.io", "https://www.python.org"
LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"


class Stage(NamedTuple):
    """A step of the workflow: its rule, its function, what it read and wrote, its benchmarks."""

    rule: str
    run: str
    data: Sequence[str]
    needs: Sequence[Path]
    makes: Sequence[Path]
    benchmarks: Sequence[Path]


def copy_code(home: Path, root: Path) -> None:
    """Copy the code of the workflow from the project into a folder of results."""
    shutil.rmtree(root / CODE, ignore_errors=True)
    for path in _files(home / name for name in COPIED):
        if path.suffix != ".pyc":
            copy(path, root / CODE / path.relative_to(home))


def write_crate(
    root: str | Path, report: Report, plan: Plan, home: str | Path, others: Iterable[str | Path]
) -> None:
    """Write the metadata and the code of the workflow into a folder of results.

    ``home`` is the project; ``others`` are files of the folder that no step made, like the
    manifest.
    """
    root = Path(root)
    copy_code(Path(home), root)
    settings = json.dumps(plan.configuration, indent=2) + "\n"
    write_text(root / CODE / "configuration.json", settings)
    stages = [each for name in report.studies for each in _stages(plan, plan.studies[name])]
    graph = _described_run(root, report.title, report.manifest, stages)
    graph += [
        _entity(f"#claim/{name}/{claim['id']}", "PropertyValue", f"{name} {claim['id']}")
        | {"description": str(claim["claim"]), "value": str(claim["verdict"])}
        for name, page in report.studies.items()
        for judged in page.chapter.judged
        for claim in judged.claims.to_dict("records")
    ]
    graph += [_file(root, Path(path)) for path in others]
    text = "Pages that open in a browser; begin with index.html."
    graph.append(_entity("report/", "Dataset", "Report", description=text))
    graph = [*_described_crate(graph, report.title, report.manifest["date"]), *graph]
    write_text(root / METADATA, json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1) + "\n")


def _stages(plan: Plan, study: Study) -> list[Stage]:
    """Return the steps of a study of which there are results."""
    found = []
    for job in study.jobs:
        sources = [s for place in plan.jobs(study, job) for _, s in plan.sources(study, job, place)]
        data = dict.fromkeys(each.dataset for each in sources if isinstance(each, RatingsOf))
        makes = [table_file(plan.top, study, table) for table in job.tables]
        found.append((job, list(data), [], makes))
    for step in study.steps:
        found.append((step, [], plan.needs(study, step), step_files(plan.top, study, step)))
    stages = []
    for of, data, *paths in found:
        paths.append([f"{plan.top}/{study.name}/benchmarks/{of.name}{end}" for end in ("", ".tsv")])
        stages.append(Stage(f"{study.name}_{of.name}", of.run, data, *map(_files, paths)))
    return [each for each in stages if each.makes]


def _described_crate(graph: list[dict], title: str, date: object) -> list[dict]:
    """Return the crate itself, and what all crates of this kind refer to."""
    profiles = [_entity(url, "CreativeWork", name) for url, name in PROFILES.items()]
    crate = _entity("./", "Dataset", title, datePublished=date, license={"@id": LICENCE})
    crate |= {
        "description": "Results of a run of dpmc: made of what, by what and when, and verdicts.",
        "conformsTo": _ids(profiles),
        "mainEntity": {"@id": WORKFLOW},
        "hasPart": _ids(e for e in graph if "File" in e["@type"] or e["@type"] == "Dataset"),
        "mentions": _ids(each for each in graph if each["@type"] == "CreateAction"),
        "variableMeasured": _ids(each for each in graph if each["@type"] == "PropertyValue"),
        "author": {"@id": "#developers"},
    }
    metadata = {"@id": METADATA, "@type": "CreativeWork", "about": {"@id": "./"}}
    metadata["conformsTo"] = [{"@id": f"{TERMS}crate/1.1"}, {"@id": WORKFLOW_CRATE}]
    return [
        *(metadata, crate, *profiles),
        _entity("#developers", "Organization", "The dpmc developers"),
        _entity(LANGUAGE, "ComputerLanguage", "Snakemake", url={"@id": ENGINE}),
        _entity(PYTHON, "ComputerLanguage", "Python", url={"@id": PYTHON}),
        _entity(LICENCE, "CreativeWork", "BSD 3-Clause licence; data sets have their own"),
    ]


def _described_run(root: Path, title: str, manifest: Mapping, stages: Sequence[Stage]) -> list:
    """Return inputs, software, steps, actions and all files that these made or are made of."""
    made = {path: _file(root, path) for stage in stages for path in stage.makes}
    inputs = {name: _data(name, known) for name, known in manifest["data"].items() if known}
    code = [_file(root, path) for path in _files([root / CODE])]
    commit, changed = manifest["git"]["commit"], ", changed since" * bool(manifest["git"]["dirty"])
    version = f"{manifest['dpmc']}, commit {commit or 'unknown'}{changed}"
    tools = {
        stage.run: _entity(f"#tool/{stage.run}", "SoftwareSourceCode", stage.run, version=version)
        | {"programmingLanguage": {"@id": PYTHON}}
        for stage in stages
    }
    packages = [_package(*each) for each in manifest["packages"].items()]
    engine = _entity(ENGINE, "SoftwareApplication", "Snakemake", url=ENGINE)
    engine["softwareVersion"] = manifest["packages"]["snakemake"]
    steps, runs, controls = [], [], []
    for place, stage in enumerate(stages, 1):
        tool, name = tools[stage.run], stage.rule
        read = [inputs[each] for each in stage.data if each in inputs]
        read += [made[path] for path in stage.needs if path in made]
        made_here = [made[path] for path in stage.makes]
        step = _entity(f"#step/{name}", "HowToStep", name, position=str(place))
        runs.append(_action(f"#run/{name}", name, tool, read, made_here, stage.benchmarks))
        steps.append(step | {"workExample": _ref(tool)})
        control = _entity(f"#control/{name}", "ControlAction", f"Snakemake ran {name}")
        controls.append(control | {"instrument": _ref(step), "object": _ref(runs[-1])})
    workflow = next(each for each in code if each["@id"] == WORKFLOW)
    workflow |= {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        "conformsTo": {"@id": BIOSCHEMAS},
        "programmingLanguage": {"@id": LANGUAGE},
        "version": version,
        "license": {"@id": LICENCE},
        "hasPart": _ids(tools.values()),
        "step": _ids(steps),
        "softwareRequirements": _ids(packages),
    }
    settings = [each for each in code if each["name"].endswith((".json", ".lock"))]
    read = [*inputs.values(), *settings]
    every = [path for stage in stages for path in stage.benchmarks]
    run = _action("#run", title, workflow, read, made.values(), every)
    organized = _entity("#organized", "OrganizeAction", "Snakemake ran the workflow")
    organized |= {"instrument": _ref(engine), "object": _ids(controls), "result": _ref(run)}
    found = [engine, *packages, *tools.values(), *inputs.values(), *code, *made.values()]
    return [*found, run, *runs, *steps, *controls, organized]


def _entity(identifier: str, kind: str, name: str, **more: object) -> dict:
    return {"@id": identifier, "@type": kind, "name": name, **more}


def _ref(entity: Mapping) -> dict:
    return {"@id": entity["@id"]}


def _ids(entities: Iterable[Mapping]) -> list[dict] | dict:
    """Return references; a single one alone, as the format wishes."""
    found = [_ref(each) for each in entities]
    return found[0] if len(found) == 1 else found


def _files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the files that are there, those of a folder in its place."""
    found = [[path, *sorted(path.rglob("*"))] for path in map(Path, paths)]
    return [path for paths in found for path in paths if path.is_file()]


def _file(root: Path, path: Path) -> dict:
    name = path.relative_to(root).as_posix()
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    size, digest = str(path.stat().st_size), file_digest(path)
    file = _entity(quote(name, safe="/~=,"), "File", name, contentSize=size, sha256=digest)
    return file | {"encodingFormat": kind}


def _data(name: str, known: Mapping[str, str]) -> dict:
    registered = REGISTRY.get(name)
    more = {"url": registered.url} if registered and registered.url else {}
    if registered:
        more["description"] = f"Licence: {registered.licence}. Cite: {registered.citation}."
    title = registered.title if registered else name
    return _entity(f"#data/{name}", "CreativeWork", title, sha256=known["sha256"], **more)


def _package(name: str, version: str) -> dict:
    url = f"https://pypi.org/project/{name}/{version}/"
    return _entity(url, "SoftwareApplication", name, url=url, softwareVersion=version)


def _action(identifier, name, tool, read, made, benchmarks: Sequence[Path]) -> dict:
    """Return what was run, from when its first job began until the last one ended."""
    spans = [span(path) for path in benchmarks]
    ends = [min(begin for begin, _ in spans), max(end for _, end in spans)] if spans else []
    times = (datetime.fromtimestamp(each, UTC).isoformat(timespec="seconds") for each in ends)
    action = _entity(identifier, "CreateAction", name, description=f"{len(spans)} jobs")
    action |= {"instrument": _ref(tool), "object": _ids(read), "result": _ids(made)}
    action["actionStatus"] = "http://schema.org/CompletedActionStatus"
    return action | dict(zip(("startTime", "endTime"), times, strict=False))
