"""The report: one HTML file that holds everything, opens offline and asks no server for anything.

Figures, tables and the files behind them are embedded as data URIs; a content security policy
forbids the browser every other source.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup

from dpmc.files import write_text
from dpmc.report import markdown
from dpmc.report.page_parts import (
    data_uri,
    dpals_part,
    embedded_figure,
    embedded_tables,
    forensics_part,
    onebit_part,
    privacy_part,
)
from dpmc.studies.dpals.findings import NOT_RUN as NO_DPALS
from dpmc.studies.dpals.frames import read_dpals
from dpmc.studies.equal_privacy.findings import NOT_RUN
from dpmc.studies.equal_privacy.frames import read_results
from dpmc.studies.huber.answer import answer
from dpmc.studies.huber.figures import NEW_FIGURES, THESIS_FIGURES
from dpmc.studies.huber.tables_rmse import PROVIDE_DATA
from dpmc.studies.onebit.findings import NOT_RUN as NO_ONEBIT
from dpmc.studies.onebit.frames import read_onebit
from dpmc.study.cells import SYNTHETIC
from dpmc.study.frames import DATASET_LABELS

TITLE = "Differentially private matrix completion, reproduced"
VERDICTS = ("supported", "contradicted", "inconclusive")


def write_page(
    path: str | Path,
    *,
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    claims: pd.DataFrame,
    stability: pd.DataFrame | None,
    tables_folder: str | Path,
    figures_folder: str | Path,
    errata: str,
    manifest: Mapping,
    notes: Sequence[str] = (),
    forensics_folder: str | Path | None = None,
    privacy_folder: str | Path | None = None,
    onebit_folder: str | Path | None = None,
    dpals_folder: str | Path | None = None,
    dpals_published: str | Path | None = None,
    title: str = TITLE,
) -> None:
    """Write the report.

    Parameters
    ----------
    path : path
        The page, for example ``results/report/index.html``.
    trials, comparison, claims : DataFrame
        The result tables of the run.
    stability : DataFrame or None
        As :func:`dpmc.studies.huber.published.stability` returns it; None if no second seed has
        been run.
    tables_folder, figures_folder : path
        What :func:`~dpmc.studies.huber.tables.write_tables` and
        :func:`~dpmc.studies.huber.figures.write_figures` wrote. What is absent there is said so.
    errata : str
        The errata as Markdown.
    manifest : mapping
        Versions, commit, machine, seeds, digests, wall time; nested as it likes.
    notes : sequence of str
        Sentences about this run that the reader must know first. That data are missing, and how
        to provide them, is added by itself.
    forensics_folder : path, optional
        Where the forensics wrote its heat maps; they are shown if they are there.
    privacy_folder : path, optional
        The tables of the privacy part (``totals.csv``, ``transcript_loss.csv``,
        ``calibrated.csv``, ``frontier.csv``, ``audit.csv``), with ``tables``, ``figures`` and
        ``audit_figure`` as
        :func:`~dpmc.studies.equal_privacy.tables.write_privacy_tables` and
        :func:`~dpmc.studies.equal_privacy.figures.write_privacy_figures` wrote them. Without it the
        page says that the part has not been run.
    onebit_folder : path, optional
        The tables of the one-bit part (``trials.csv``, ``outp_change.csv``, ``outp_attack.csv``,
        ``bounds.csv``, ``claims.csv``), with ``tables`` and ``figures`` as
        :func:`~dpmc.studies.onebit.tables.write_onebit_tables` and
        :func:`~dpmc.studies.onebit.figures.write_onebit_figures` wrote them. Without it the page
        says that the part has not been run.
    dpals_folder : path, optional
        The tables of the DPALS part (those that :func:`~dpmc.studies.dpals.frames.read_dpals`
        reads), with ``tables`` and ``figures`` as
        :func:`~dpmc.studies.dpals.tables.write_dpals_tables` and
        :func:`~dpmc.studies.dpals.figures.write_dpals_figures` wrote them. Without it the page says
        that the part has not been run.
    dpals_published : path, optional
        ``dpals_published.csv``, numbers from elsewhere that the findings compare with.
    title : str
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    privacy = {} if privacy_folder is None else read_results(privacy_folder)
    onebit = {} if onebit_folder is None else read_onebit(onebit_folder)
    dpals = {} if dpals_folder is None else read_dpals(dpals_folder, dpals_published)
    page = environment.get_template("page.html.jinja").render(
        title=title,
        findings=answer(trials, comparison, claims, stability, privacy, onebit, dpals),
        notes=[*notes, *coverage(comparison)],
        tables=list(embedded_tables(Path(tables_folder))),
        comparison=data_uri(comparison.to_csv(index=False).encode(), "csv"),
        figures=[embedded_figure(entry, Path(figures_folder)) for entry in NEW_FIGURES],
        forensics=forensics_part(forensics_folder),
        thesis_figures=[embedded_figure(entry, Path(figures_folder)) for entry in THESIS_FIGURES],
        privacy=privacy_part(privacy_folder, privacy),
        no_privacy=NOT_RUN,
        onebit=onebit_part(onebit_folder, onebit),
        no_onebit=NO_ONEBIT,
        onebit_claims=_judged(onebit.get("claims")),
        dpals=dpals_part(dpals_folder, dpals),
        no_dpals=NO_DPALS,
        dpals_claims=_judged(dpals.get("claims")),
        dpals_surrogate=_judged(dpals.get("claims_surrogate")),
        claims=claim_rows(claims, stability),
        counts={name: int((claims["verdict"] == name).sum()) for name in VERDICTS},
        claims_file=data_uri(claims.to_csv(index=False).encode(), "csv"),
        stable=_stability_text(stability),
        errata=Markup(markdown.to_html(errata, top=3)),
        manifest=list(flattened(manifest)),
    )
    write_text(path, page)


def _unbroken(text: str) -> str:
    """Keep a number and its per cent sign on one line, and the sizes of a matrix, and ε = 1."""
    for tight in (" %", " × ", "ε = "):
        text = text.replace(tight, tight.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def coverage(comparison: pd.DataFrame) -> list[str]:
    """Return what the reader must know about numbers that this run does not compare, if any."""
    rmse = comparison[comparison["metric"] != "epsilon"]
    ran = rmse["mean"].notna()
    notes = []
    synthetic = rmse["dataset"] == SYNTHETIC
    if not ran[synthetic].all():
        notes.append(
            f"A reduced run: {int(ran[synthetic].sum())} of the {int(synthetic.sum())} published "
            "synthetic numbers are compared, the rest is marked “not run”."
        )
    done = ran[~synthetic].groupby(rmse["dataset"], sort=False).any()
    if not done.all():
        names = [DATASET_LABELS.get(name, name) for name in done.index[~done]]
        count = int(rmse["dataset"].isin(done.index[~done]).sum())
        text = f"{' and '.join(names)}: {count} published numbers are not compared."
        notes.append(f"{text} {PROVIDE_DATA}")
    return notes


def _judged(claims: pd.DataFrame | None) -> list[dict]:
    """Return the rows of a part's claims, which have no second seed; none without a table."""
    return [] if claims is None else claim_rows(claims, None)


def claim_rows(claims: pd.DataFrame, stability: pd.DataFrame | None) -> list[dict]:
    """Return the claims as the page shows them, with the verdict of the second seed."""
    second = {}
    if stability is not None:
        second = dict(zip(stability["id"], stability["verdict_replication"], strict=True))
    rows = []
    for claim in claims.to_dict("records"):
        rows.append(
            {
                **{name: "" if pd.isna(value) else value for name, value in claim.items()},
                "effect": _shown(claim["effect"]),
                "interval": interval_text(claim["interval_low"], claim["interval_high"]),
                "n": "–" if pd.isna(claim["n"]) else f"{int(claim['n']):,}",
                "second": second.get(claim["id"], "–"),
            }
        )
    return rows


def interval_text(low: float, high: float) -> str:
    """Spell an interval; nothing where there is none."""
    return "" if pd.isna(low) or pd.isna(high) else f"[{_shown(low)}, {_shown(high)}]"


def _shown(number: float) -> str:
    return "–" if pd.isna(number) else f"{number:.4g}".replace("-", "−")


def _stability_text(stability: pd.DataFrame | None) -> str:
    if stability is None or stability.empty:
        return "A second seed has not been run, so nothing is known about stability."
    changed = stability.loc[~stability["stable"].astype(bool), "id"]
    same = len(stability) - len(changed)
    text = f"With a second seed {same} of {len(stability)} verdicts are the same."
    return text + (f" Changed: {', '.join(changed)}." if len(changed) else "")


def flattened(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of nested mappings and lists as (path, text)."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flattened(inner, f"{name} › {key}" if name else str(key))
    elif isinstance(value, (list, tuple)) and any(isinstance(v, (Mapping, list)) for v in value):
        for place, inner in enumerate(value, start=1):
            yield from flattened(inner, f"{name} {place}")
    elif isinstance(value, (list, tuple)):
        yield name, ", ".join(map(str, value))
    else:
        yield name, "–" if value is None else str(value)
