"""The crate of a run: what it says of files, steps and verdicts; the public validator takes it."""

import json
import os
from types import SimpleNamespace
from urllib.parse import unquote

import pandas as pd
import pytest

from dpmc.files import file_digest
from dpmc_studies.configuration import checked, load
from dpmc_studies.frame.jobs.plan import Plan
from dpmc_studies.report.crate import METADATA, PROFILES, write_crate
from dpmc_studies.report.manifest import manifest
from dpmc_studies.studies import load as load_studies

CLAIMS = [("O1", "Less noise helps.", "supported"), ("O2", "More noise helps.", "contradicted")]


@pytest.fixture(scope="module")
def root(tmp_path_factory, request):
    """A folder of results of the one-bit study: a table of a kind of job, claims made of it."""
    home = request.config.rootpath
    root = tmp_path_factory.mktemp("results")
    folder = root / "onebit"
    (folder / "benchmarks" / "curve").mkdir(parents=True)
    (folder / "trials.csv").write_text("a,b\n1,2\n")
    claims = pd.DataFrame(CLAIMS, columns=["id", "claim", "verdict"])
    claims.to_csv(folder / "claims.csv", index=False)
    for name, end in (("curve/a~1", 1000), ("curve/a~2", 1500), ("claims", 2000)):
        path = folder / "benchmarks" / f"{name}.tsv"
        path.write_text("s\th:m:s\n100.0\t0:01:40\n")
        os.utime(path, (end, end))
    known = load_studies()
    configuration = checked(load(home / "config" / "config.yaml"), known)
    raw = {"ml-100k": folder / "trials.csv", "restaurant": None}
    content = manifest(root=home, configuration=configuration, seeds={}, raw_files=raw, changed={})
    (root / "manifest.json").write_text(json.dumps(content))
    (root / "report").mkdir()
    page = SimpleNamespace(chapter=SimpleNamespace(judged=[SimpleNamespace(claims=claims)]))
    report = SimpleNamespace(title="A run", manifest=content, studies={"onebit": page})
    plan = Plan(str(root), configuration, known)
    write_crate(root, report, plan, home, [root / "manifest.json"])
    return root


@pytest.fixture(scope="module")
def graph(root):
    content = json.loads((root / METADATA).read_text())["@graph"]
    found = {each["@id"]: each for each in content}
    assert len(found) == len(content)
    return found


def test_every_file_is_there_with_its_digest(root, graph):
    files = [each for each in graph.values() if "File" in each["@type"]]
    names = {each["name"] for each in files}
    assert {"onebit/trials.csv", "onebit/claims.csv", "manifest.json", "code/Snakefile"} <= names
    assert {"code/configuration.json", "code/envs/requirements.lock"} <= names
    for each in files:
        path = root / unquote(each["@id"])
        assert each["sha256"] == file_digest(path)
        assert each["contentSize"] == str(path.stat().st_size)


def test_steps_say_what_they_read_and_made_and_when(graph):
    curve, claims = graph["#run/onebit_curve"], graph["#run/onebit_claims"]
    assert curve["result"] == {"@id": "onebit/trials.csv"}
    assert curve["object"] == {"@id": "#data/ml-100k"}  # restaurant is not available
    assert (curve["startTime"], curve["endTime"]) == (
        "1970-01-01T00:15:00+00:00",
        "1970-01-01T00:25:00+00:00",
    )
    assert claims["object"] == {"@id": "onebit/trials.csv"}
    assert claims["result"] == {"@id": "onebit/claims.csv"}
    assert graph["#run"]["endTime"] == claims["endTime"] == "1970-01-01T00:33:20+00:00"


def test_verdicts_are_those_of_the_claims(graph):
    said = [graph[each["@id"]] for each in graph["./"]["variableMeasured"]]
    assert [(each["name"], each["description"], each["value"]) for each in said] == [
        (f"onebit {name}", claim, verdict) for name, claim, verdict in CLAIMS
    ]


def test_every_reference_leads_to_an_entity(graph):
    outside = ("https://w3id.org/ro/crate/1.1", "https://bioschemas.org/")

    def references(value):
        if isinstance(value, list):
            return [each for one in value for each in references(one)]
        return [value["@id"]] if isinstance(value, dict) else []

    named = [each for entity in graph.values() for each in references(list(entity.values()))]
    assert [each for each in named if each not in graph and not each.startswith(outside)] == []
    assert set(PROFILES) <= set(named)


def test_the_public_validator_accepts_it(root):
    """It takes `pip install roc-validator`, and the network for the words of the format."""
    services = pytest.importorskip("rocrate_validator.services")
    requests = pytest.importorskip("requests")
    try:
        requests.head("https://w3id.org/ro/crate/1.1/context", timeout=10)
    except requests.RequestException:
        pytest.skip("w3id.org cannot be reached")
    from rocrate_validator.models import Severity

    settings = services.ValidationSettings(
        rocrate_uri=str(root),
        profile_identifier="provenance-run-crate-0.5",
        requirement_severity=Severity.REQUIRED,
        skip_availability_check=True,
    )
    result = services.validate(settings)
    assert [each.message for each in result.get_issues()] == []
