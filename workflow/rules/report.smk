# The report of all studies, that of each, and the comparison with the committed reference.
import shlex

REPORT = ["dpmc_studies.report.site", "dpmc_studies.report.crate"]
DEFAULT_SETTINGS = plan.configured(
    configuration.load(DEFAULTS), {}, HOME / "config" / "quick.yaml"
)
TEMPLATES = sorted((HOME / "src" / "dpmc_studies" / "report" / "templates").iterdir())


def page_code(chosen):
    """Digest of the page, and of the chapters on it, where it is asked for."""
    named = [study.chapter for study in chosen if study.folder is None]
    modules = [name.partition(":")[0] for name in named]
    files = [
        path
        for study in chosen
        for path in (*plan.own_files(study), *plan.text_files(study))
    ]
    return lambda wildcards: plan.code_digest([*REPORT, *modules], [*TEMPLATES, *files])


def snakemake_command():
    """What runs this workflow with its configuration again, to which a file is added."""
    overlays = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    configured = ["--configfile", *overlays] if overlays else []
    return shlex.join([".venv/bin/snakemake", "--cores", "1", *configured])


def targets_of(chosen):
    return lambda wildcards: [
        path for study in chosen for path in PLANS[wildcards.top].targets(study)
    ]


def sources_of(chosen):
    return lambda wildcards: source_files(
        wildcards.top, PLANS[wildcards.top].real_data(chosen)
    )


def page_params(chosen):
    def params(wildcards):
        current = PLANS[wildcards.top]
        return plan.page_settings(current, chosen) | {
            "snakemake": snakemake_command(),
            "changed": configuration.changes(
                DEFAULT_SETTINGS[current.top], current.configuration
            ),
            "home": str(HOME),
        }

    return params


# optional targets are shown if they were made, but the report does not depend on them
for name, chosen in {
    "": list(STUDIES.values()),
    **{name: [study] for name, study in STUDIES.items()},
}.items():
    beside = f"{{top}}/{name}/report" if name else "{top}"
    results = f"{{top}}/{name}" if name else "{top}"
    site = f"{results}/report"

    rule:
        name:
            f"{name}_page" if name else "page"
        input:
            targets=targets_of(chosen),
            sources=sources_of(chosen),
        output:
            index=f"{site}/{plan.INDEX}",
            pages=[f"{site}/{page}" for page in plan.report_pages(chosen)],
            files=directory(f"{site}/{plan.REPORT_FILES}"),
            errata=f"{beside}/errata.md",
            manifest=f"{beside}/manifest.json",
            crate=f"{results}/ro-crate-metadata.json",
            code=directory(f"{results}/code"),
        log:
            f"{{top}}/logs/{name or 'all'}_page.log",
        benchmark:
            f"{{top}}/benchmarks/{name or 'all'}_page.tsv"
        conda:
            "../../envs/dpmc.yaml"
        params:
            settings=page_params(chosen),
            code=page_code(chosen),
        script:
            "../scripts/page.py"


# Without an output a check runs whenever it is asked for.
CHECKED = [study for study in STUDIES.values() if study.regression is not None]


def check_inputs(top, chosen):
    return [
        f"{top}/{study.name}/{name}"
        for study in chosen
        for name in plan.files_of(study.regression)
    ]


for name, top, chosen in [
    ("check", "results", CHECKED),
    ("check_quick", "results/quick", CHECKED),
    *((f"{study.name}_check", "results", [study]) for study in CHECKED),
]:

    rule:
        name:
            name
        input:
            tables=check_inputs(top, chosen),
            sources=source_files(top, PLANS[top].real_data(chosen)),
        log:
            f"{top}/{name}.txt" if name != "check_quick" else f"{top}/check.txt",
        conda:
            "../../envs/dpmc.yaml"
        params:
            studies=[study.name for study in chosen],
            outside=PLANS[top].configuration["studies"],
            reference=str(HOME / "results" / "reference"),
        script:
            "../scripts/check.py"
