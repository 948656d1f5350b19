"""Make codemeta.json and .zenodo.json again from CITATION.cff: python envs/citation.py."""

import json
import tomllib
from pathlib import Path

import yaml

HOME = Path(__file__).parents[1]
CODEMETA, ZENODO = HOME / "codemeta.json", HOME / ".zenodo.json"


def made() -> dict[Path, str]:
    """Return the texts of both files by their paths."""
    cited = yaml.safe_load((HOME / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    works = [_work(each) for each in cited["references"]]
    codemeta = {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": project["name"],
        "description": cited["abstract"],
        "version": cited["version"],
        "license": f"https://spdx.org/licenses/{cited['license']}",
        "author": [{"type": "Organization", "name": each["name"]} for each in cited["authors"]],
        "keywords": cited["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "operatingSystem": "POSIX",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [
            {
                "type": "ScholarlyArticle",
                "name": title,
                "author": [{"type": "Person", "name": name} for name in authors],
                "datePublished": year,
            }
            | ({"identifier": number} if number else {})
            for title, authors, year, number in works
        ],
    }
    zenodo = {
        "title": cited["title"],
        "description": cited["abstract"],
        "upload_type": cited["type"],
        "version": cited["version"],
        "license": cited["license"].lower(),  # Zenodo knows it by this name alone
        "creators": [{"name": each["name"]} for each in cited["authors"]],
        "keywords": cited["keywords"],
        "references": [
            f"{', '.join(authors)}: {title} ({', '.join(filter(None, [year, number]))})"
            for title, authors, year, number in works
        ],
    }
    if "date-released" in cited:
        codemeta["datePublished"] = zenodo["publication_date"] = str(cited["date-released"])
    return {
        path: json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        for path, content in ((CODEMETA, codemeta), (ZENODO, zenodo))
    }


def _work(cited: dict) -> tuple[str, list[str], str, str]:
    """Return title, authors, year and number of a work that is referred to."""
    authors = [f"{each['given-names']} {each['family-names']}" for each in cited["authors"]]
    numbers = [each["value"] for each in cited.get("identifiers", [])]
    return cited["title"], authors, str(cited["year"]), ", ".join(numbers)


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
